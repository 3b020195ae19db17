#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of plot.py, and that docs/performance.md fits to it. Needs nothing but Python."""

import contextlib
import io
import json
import pathlib
import re
import shutil
import tempfile
import unittest
import xml.etree.ElementTree as xml

import plot

ROOT = pathlib.Path(__file__).resolve().parent.parent


def run(name, ns, family, elements=1000, size=4000, label="", **more):
    return {"name": name, "run_name": name, "run_type": "iteration", "family_index": family,
            "real_time": 9 * ns, "cpu_time": ns, "time_unit": "ns", "elements": elements,
            "bytes": size, "label": label, **more}


def results(names, context=None):
    """As a program writes them: three runs a case of 1, 2 and 6 us, and an aggregate."""
    runs = []
    for family, name in enumerate(names):
        runs += [run(name, ns, family) for ns in (6000.0, 1000.0, 2000.0)]
        runs.append({"name": name + "_mean", "run_name": name, "run_type": "aggregate"})
    # The order of the file is that in which cases happened to run.
    return json.dumps({"context": context or {}, "benchmarks": runs[::-1]})


def names(*parts):
    """Every combination: names(["a", "b"], ["/n:1"]) is a/n:1, b/n:1."""
    made = [""]
    for part in parts:
        made = [m + p for m in made for p in part]
    return made


def keys(key, values):
    return [f"/{key}:{value}" for value in values]


# What each program runs, a few cases of each.
PROGRAMS = {
    "contiguous_bench": names(["weft", "by hand, avx2", "by hand, avx2 streaming"],
                              keys("op", ["add_f32", "copy_f32"]), keys("n", [65536, 1 << 20])),
    "inner_size_bench": names(["add, no gaps", "add, rows with gaps"],
                              keys("inner", [1, 2, 3, 16, 17])),
    "stride_bench": names(["", "plain "],
                          ["copy, strided input", "copy, strided output", "add, strided inputs"],
                          keys("bytes", [1, 16]), keys("stride", [1, 2, 64])),
    "transpose_bench": names(["transposed copy", "memcpy", "plain loops", "a + b", "a.T + b"],
                             ["/bytes:4"], keys("size", [255, 256, 1000])) +
                       names(["transposed copy", "memcpy"], ["/bytes:1"], keys("size", [256])),
    "coalescing_bench": names(["for_each, ", "cpu_kernel, "],
                              ["coalesced", "gaps between rows", "kept separate"],
                              keys("inner", [4, 16]), keys("rank", [2, 3])) +
                        ["for_each, coalesced/inner:32768/rank:1"],
    "order_bench": names(["for_each, ", "cpu_kernel, "], ["weft's order", "PyTorch's order"],
                         keys("layout", ["agree", "backwards"])),
}


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, programs=PROGRAMS):
        for program, cases in programs.items():
            (self.folder / f"{program}.json").write_text(results(cases), encoding="utf-8")

    @staticmethod
    def main(*arguments):
        """Exit code and messages."""
        messages = io.StringIO()
        with contextlib.redirect_stdout(messages), contextlib.redirect_stderr(messages):
            code = plot.main([str(argument) for argument in arguments])
        return code, messages.getvalue()


class Results(unittest.TestCase):
    def test_median_of_the_runs_in_the_order_of_the_program(self):
        study = plot.parse_results(results(["b/n:2", "a/n:2/op:x"]))
        self.assertEqual([c.series for c in study.cases], ["b", "a"])
        self.assertEqual([c.ns for c in study.cases], [2000.0, 2000.0])
        self.assertEqual(study.cases[1].keys, {"n": 2, "op": "x"})
        self.assertEqual(study.cases[0].ns_per_element, 2.0)
        self.assertEqual(study.cases[0].gigabytes_per_second, 2.0)

    def test_units(self):
        text = json.dumps({"benchmarks": [run("a", 3.0, 0, time_unit="ms")]})
        self.assertEqual(plot.parse_results(text).cases[0].ns, 3e6)

    def test_failed_and_misnamed_cases_are_refused(self):
        failed = json.dumps({"benchmarks": [run("a", 1.0, 0, error_occurred=True)]})
        with self.assertRaisesRegex(plot.Unusable, "case 'a' failed"):
            plot.parse_results(failed)
        with self.assertRaisesRegex(plot.Unusable, "not key:value"):
            plot.parse_results(results(["a/17"]))


class Texts(unittest.TestCase):
    def test_numbers(self):
        for value, text in ((0, "0"), (0.012345, "0.0123"), (1.2345, "1.23"), (12.345, "12.3"),
                            (1234.5, "1230"), (999.9, "1000"), (1, "1.00")):
            self.assertEqual(plot.number(value), text)

    def test_durations_and_counts(self):
        self.assertEqual(plot.duration(12.3), "12.3 ns")
        self.assertEqual(plot.duration(4560), "4.56 µs")
        self.assertEqual(plot.duration(2.5e6), "2.50 ms")
        self.assertEqual([plot.binary(n) for n in (1000, 65536, 1 << 24)],
                         ["1000", "64 Ki", "16 Mi"])
        self.assertEqual(plot.binary(32768, "B"), "32 KiB")

    def test_ticks(self):
        self.assertEqual(plot.Axis([0.15, 3], log=10).ticks, [0.1, 0.2, 0.5, 1, 2, 5])
        self.assertEqual(plot.Axis([1, 64], log=2).ticks, [1, 2, 4, 8, 16, 32, 64])
        self.assertEqual(plot.Axis([1, 40], step=16).ticks, [16, 32])
        self.assertEqual(plot.Axis([3, 97], zero=True).ticks, list(range(0, 91, 10)))
        self.assertEqual([plot.Axis.text(t) for t in (0, 50, 0.05)], ["0", "50", "0.05"])


class Documents(Folder):
    DOCUMENT = "Before.\n<!-- table: order -->\nold\n<!-- end -->\nAfter.\n"

    def test_tables_go_between_their_marks(self):
        filled = plot.fill_in(self.DOCUMENT, {"order": "new"})
        self.assertEqual(filled, self.DOCUMENT.replace("old", "new"))
        self.assertEqual(plot.fill_in(filled, {"order": "new"}), filled)
        self.assertEqual(plot.fill_in(self.DOCUMENT, {}), self.DOCUMENT)

    def test_marks_and_tables_have_to_match(self):
        with self.assertRaisesRegex(plot.Unusable, "'ordre', which there is not"):
            plot.fill_in(self.DOCUMENT.replace("order", "ordre"), {})
        with self.assertRaisesRegex(plot.Unusable, "0 places for the table 'transpose'"):
            plot.fill_in(self.DOCUMENT, {"transpose": "new"})

    def test_all_studies_give_all_pictures_and_tables(self):
        self.write()
        pictures, tables = plot.render(self.folder)
        self.assertEqual(sorted(pictures), sorted(plot.PICTURES))
        self.assertEqual(sorted(tables), sorted(plot.TABLES))
        for svg in pictures.values():
            xml.fromstring(svg)
            self.assertNotRegex(svg, r"nan|inf\b|None")
        for text in tables.values():
            widths = {line.count("|") for line in text.splitlines()}
            self.assertEqual(len(widths), 1, text)

    def test_same_results_give_the_same_bytes(self):
        self.write()
        self.assertEqual(plot.render(self.folder), plot.render(self.folder))

    def test_missing_cases_and_programs_are_passed_over(self):
        self.write({"transpose_bench": ["transposed copy/bytes:4/size:256"],
                    "order_bench": ["for_each, weft's order/layout:agree"]})
        code, messages = self.main(self.folder)
        self.assertEqual((code, messages.count("tables")), (0, 2), messages)
        self.assertTrue((self.folder / "pictures" / "order.svg").exists())
        self.assertIn("## order", (self.folder / "tables.md").read_text(encoding="utf-8"))

    def test_nothing_to_read_is_an_error(self):
        self.assertEqual(self.main(self.folder)[0], 1)
        (self.folder / "order_bench.json").write_text("{")
        self.assertEqual(self.main(self.folder)[0], 1)

    def test_the_document_of_the_project(self):
        document = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
        self.assertEqual(sorted(name for _, name, _ in plot.MARKED.findall(document)),
                         sorted(plot.TABLES))
        shown = re.findall(r"\]\(pictures/([a-z-]+)\.svg\)", document)
        self.assertEqual(sorted(shown), sorted(plot.PICTURES))
        for name in shown:
            xml.parse(ROOT / "docs" / "pictures" / f"{name}.svg")

        docs = self.folder / "docs"
        docs.mkdir()
        (docs / "performance.md").write_text(document, encoding="utf-8")
        self.write()
        self.assertEqual(self.main(self.folder, "--docs", docs)[0], 0)
        filled = (docs / "performance.md").read_text(encoding="utf-8")
        self.assertIn("| agree |", filled)
        self.assertEqual(plot.MARKED.sub("", filled), plot.MARKED.sub("", document))


if __name__ == "__main__":
    unittest.main()
