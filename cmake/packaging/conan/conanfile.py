# SPDX-License-Identifier: Apache-2.0
"""Recipe for Conan 2 of the tree that it is in; docs/packaging.md."""
import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class WeftConan(ConanFile):
    name = "weft"
    version = "0.2.0"
    description = "Iteration over strided tensors on CPUs: kernels, functions, graphs, loops"
    license = "Apache-2.0"
    topics = ("tensor", "simd", "iterator")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {
        "shared": [True, False],
        "fPIC": [True, False],
        "levels": ["baseline", "baseline;avx2", "baseline;avx2;avx512"],
        "with_ops": [True, False],
        "with_graph": [True, False],
        "with_ir": [True, False],
    }
    default_options = {
        "shared": False,
        "fPIC": True,
        "levels": "baseline;avx2;avx512",
        "with_ops": True,
        "with_graph": True,
        "with_ir": True,
    }
    implements = ["auto_shared_fpic"]

    def components(self):
        """From the lowest one up: each is there only if those below it are."""
        names = ["iter"]
        for name in ("ops", "graph", "ir"):
            if not self.options.get_safe(f"with_{name}"):
                break
            names.append(name)
        return names

    def export_sources(self):
        tree = os.path.join(self.recipe_folder, "..", "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "*.md", "cmake/*", "docs/*", "include/*",
                        "kernels/*", "src/*"):
            copy(self, pattern, tree, self.export_sources_folder)

    def requirements(self):
        self.requires("onetbb/[>=2021.7 <2023]")
        # The headers of weft::vectorized include it.
        self.requires("xsimd/[>=8.1 <15]", transitive_headers=True)
        if "ir" in self.components():
            self.requires("pugixml/[>=1.13 <2]")

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        variables = toolchain.cache_variables
        for name in ("ops", "graph", "ir"):
            variables[f"WEFT_WITH_{name.upper()}"] = name in self.components()
        variables["WEFT_LEVELS"] = str(self.options.levels)
        for part in ("BENCH", "CLI", "TESTS"):
            variables[f"WEFT_BUILD_{part}"] = False
        variables["WEFT_WERROR"] = False
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # weft's own CMake package, which brings weft_add_kernels.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append(os.path.join("lib", "cmake", "weft"))
        requires = {"iter": ["onetbb::onetbb", "xsimd::xsimd"], "ir": ["pugixml::pugixml"]}
        below = []
        for name in self.components():
            component = self.cpp_info.components[name]
            component.set_property("pkg_config_name", f"weft-{name}")
            component.libs = [f"weft-{name}"]
            component.requires = below + requires.get(name, [])
            if name == "iter":
                level = str(self.options.levels).count(";")
                component.defines = [] if level == 2 else [f"WEFT_HIGHEST_LEVEL={level}"]
                if not self.options.shared:
                    component.defines.append("WEFT_STATIC")
            below = [name]
