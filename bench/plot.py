#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures and tables from the studies in this folder.

    plot.py RESULTS              writes RESULTS/pictures/*.svg and RESULTS/tables.md
    plot.py RESULTS --docs DOCS  writes DOCS/pictures/*.svg and the tables in DOCS/performance.md

RESULTS holds what the programs wrote with --benchmark_out, as <program>.json; programs that are
missing are passed over. Of repeated runs the median counts. Times are those of the CPU: one thread,
without what other processes took. The same results always give the same bytes.
"""

import argparse
import json
import math
import pathlib
import re
import statistics
import sys
from dataclasses import dataclass, field
from xml.sax.saxutils import escape


class Unusable(Exception):
    """A message for the one who called."""


# ---- Results -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    series: str
    keys: dict
    ns: float  # one run, median
    elements: float
    bytes: float
    label: str

    @property
    def ns_per_element(self):
        return self.ns / self.elements

    @property
    def gigabytes_per_second(self):
        return self.bytes / self.ns


class Study:
    """The cases of one program, found by series and keys."""

    def __init__(self, cases, context):
        self.cases = cases
        self.context = context

    def find(self, series, **keys):
        found = [c for c in self.cases if c.series == series and c.keys == keys]
        return found[0] if found else None

    def values(self, key):
        """All values of a key, each once, in the order of the program."""
        return list(dict.fromkeys(c.keys[key] for c in self.cases if key in c.keys))

    def series(self):
        return list(dict.fromkeys(c.series for c in self.cases))


def parse_name(name):
    """series/key:value/... -> series, {key: value}; integers become int."""
    series, *parts = name.split("/")
    keys = {}
    for part in parts:
        key, colon, value = part.partition(":")
        if not colon:
            raise Unusable(f"case {name!r}: {part!r} is not key:value")
        keys[key] = int(value) if re.fullmatch(r"[0-9]+", value) else value
    return series, keys


def parse_results(text):
    nanoseconds = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
    data = json.loads(text)
    runs = {}
    for run in data["benchmarks"]:
        if run.get("error_occurred"):
            raise Unusable(f"case {run['name']!r} failed: {run.get('error_message', '')}")
        if run.get("run_type", "iteration") == "iteration":
            runs.setdefault(run.get("run_name", run["name"]), []).append(run)
    cases = []
    # The program's order, whatever order the cases ran in.
    for name, repeated in sorted(runs.items(), key=lambda item: item[1][0].get("family_index", 0)):
        series, keys = parse_name(name)
        ns = statistics.median(r["cpu_time"] * nanoseconds[r["time_unit"]] for r in repeated)
        first = repeated[0]
        cases.append(Case(series, keys, ns, first["elements"], first["bytes"],
                          first.get("label", "")))
    return Study(cases, data.get("context", {}))


# ---- Numbers and tables ------------------------------------------------------------------------


def number(value, digits=3):
    """With so many significant digits and no exponent: 0.0123, 1.23, 12.3, 1230."""
    if value == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{round(value, digits - 1 - math.floor(math.log10(abs(value)))):.{decimals}f}"
    return text


def duration(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{number(ns / size)} {unit}"
    return f"{number(ns)} ns"


def binary(count, unit=""):
    """65536 -> 64 Ki"""
    for prefix, size in (("Mi", 1 << 20), ("Ki", 1 << 10)):
        if count >= size and count % size == 0:
            return f"{count // size} {prefix}{unit}"
    return f"{count} {unit}".rstrip()


def table(header, rows, left=1):
    """Markdown; the first `left` columns are text, the others numbers."""
    rule = ["---" if i < left else "---:" for i in range(len(header))]
    return "\n".join("| " + " | ".join(str(cell) for cell in row) + " |"
                     for row in [header, rule, *rows])


# ---- Pictures ----------------------------------------------------------------------------------

# Distinguished by people who do not see all colours, too.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555"]
INK, GRID = "#222222", "#dddddd"


class Svg:
    def __init__(self, width, height):
        self.width, self.height, self.parts = width, height, []

    def line(self, x1, y1, x2, y2, colour=INK, width=1.0, dash=""):
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
                          f'stroke="{colour}" stroke-width="{width:g}"{dashed}/>')

    def path(self, points, colour, dash=""):
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{text}" fill="none" stroke="{colour}" '
                          f'stroke-width="1.8" stroke-linejoin="round"{dashed}/>')

    def dot(self, x, y, colour):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.4" fill="{colour}"/>')

    def box(self, x, y, width, height, colour):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
                          f'height="{height:.1f}" fill="{colour}"/>')

    def text(self, x, y, text, anchor="start", size=12, turn=0, bold=False):
        turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
                          f'font-size="{size}"{weight}{turned}>{escape(text)}</text>')

    def __str__(self):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" '
                f'height="{self.height}" viewBox="0 0 {self.width} {self.height}" '
                f'font-family="sans-serif" fill="{INK}">\n'
                f'<rect width="{self.width}" height="{self.height}" fill="#ffffff"/>\n')
        return head + "\n".join(self.parts) + "\n</svg>\n"


class Axis:
    """Values to positions, and where ticks go."""

    def __init__(self, values, log=0, zero=False, step=None):
        low, high = min(values), max(values)
        self.log = log
        if log:
            # Out to the next tick, so that the curve has a frame to be read against.
            self.ticks = self.log_ticks(low, high)
            low, high = min(low, self.ticks[0]), max(high, self.ticks[-1])
        else:
            low = 0 if zero else low
            size = 10 ** math.floor(math.log10((high - low) or 1))
            step = step or next(size * f for f in (0.1, 0.2, 0.5, 1, 2)
                                if high - low <= 10 * size * f)
            first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
            self.ticks = [i * step for i in range(first, last + 1)]
        self.low, self.high = low, high

    def log_ticks(self, low, high):
        if self.log == 2:
            return [2.0**e for e in range(math.floor(math.log2(low)),
                                         math.ceil(math.log2(high)) + 1)]
        all_ticks = [m * 10.0**e for e in range(math.floor(math.log10(low)) - 1,
                                               math.ceil(math.log10(high)) + 1) for m in (1, 2, 5)]
        inner = [t for t in all_ticks if low <= t <= high]
        below = [t for t in all_ticks if t < low]
        above = [t for t in all_ticks if t > high]
        return below[-1:] + inner + above[:1]

    def at(self, value):
        """0 to 1."""
        if self.high == self.low:
            return 0.5
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    @staticmethod
    def text(tick):
        return f"{tick:.6f}".rstrip("0").rstrip(".")


@dataclass
class Line:
    label: str
    points: list  # of (x, y)
    colour: str
    dash: str = ""
    dots: bool = True


@dataclass
class LineChart:
    title: str
    x_label: str
    y_label: str
    lines: list
    x_log: int = 0
    y_log: int = 10
    x_step: float = None  # from tick to tick
    names: list = field(default_factory=list)  # x counts these, and neighbours need not be near

    def draw(self):
        left, top, right, bottom = 66, 40, 250, 56 if not self.names else 72
        width, height = 900, 430
        svg = Svg(width, height)
        xs = [x for line in self.lines for x, _ in line.points]
        ys = [y for line in self.lines for _, y in line.points]
        x_axis = Axis(xs, self.x_log, step=self.x_step)
        y_axis = Axis(ys, self.y_log, zero=True)

        def x_of(value):
            return left + x_axis.at(value) * (width - left - right)

        def y_of(value):
            return height - bottom - y_axis.at(value) * (height - top - bottom)

        svg.text(left, 22, self.title, size=14, bold=True)
        for tick in y_axis.ticks:
            svg.line(left, y_of(tick), width - right, y_of(tick), GRID)
            svg.text(left - 8, y_of(tick) + 4, Axis.text(tick), "end", 11)
        for tick in range(len(self.names)) if self.names else x_axis.ticks:
            svg.line(x_of(tick), top, x_of(tick), height - bottom, GRID)
            if self.names:
                svg.text(x_of(tick) + 4, height - bottom + 14, self.names[tick], "end", 10, -60)
            else:
                svg.text(x_of(tick), height - bottom + 18, Axis.text(tick), "middle", 11)
        svg.line(left, height - bottom, width - right, height - bottom)
        svg.line(left, top, left, height - bottom)
        svg.text((left + width - right) / 2, height - 12, self.x_label, "middle")
        svg.text(18, (top + height - bottom) / 2, self.y_label, "middle", 12, -90)
        for i, line in enumerate(self.lines):
            for piece in self.pieces(line.points):
                places = [(x_of(x), y_of(y)) for x, y in piece]
                svg.path(places, line.colour, line.dash)
                if line.dots:
                    for place in places:
                        svg.dot(*place, line.colour)
            y = top + 8 + 20 * i
            svg.path([(width - right + 16, y), (width - right + 44, y)], line.colour, line.dash)
            svg.text(width - right + 50, y + 4, line.label, size=12)
        return str(svg)

    def pieces(self, points):
        """Points that are connected: with names, only where they stand for consecutive numbers."""
        pieces = []
        for point in points:
            if pieces and (not self.names or int(self.names[point[0]]) ==
                           int(self.names[pieces[-1][-1][0]]) + 1):
                pieces[-1].append(point)
            else:
                pieces.append([point])
        return pieces


@dataclass
class BarChart:
    title: str
    x_label: str
    groups: list  # of (name, [value or None per label])
    labels: list
    log: bool = False  # bars then begin at half the least value
    thickness: int = 11

    def draw(self):
        left, top, right, bottom = 150, 40, 250, 46
        gap = 10
        group_height = self.thickness * len(self.labels) + gap
        width, height = 900, top + bottom + group_height * len(self.groups)
        svg = Svg(width, height)
        values = [v for _, row in self.groups for v in row if v is not None]
        axis = Axis([*values, min(values) / 2] if self.log else values, 10 if self.log else 0,
                    zero=True)

        def x_of(value):
            return left + axis.at(value) * (width - left - right)

        svg.text(left, 22, self.title, size=14, bold=True)
        for tick in axis.ticks:
            svg.line(x_of(tick), top, x_of(tick), height - bottom, GRID)
            svg.text(x_of(tick), height - bottom + 16, Axis.text(tick), "middle", 11)
        svg.text((left + width - right) / 2, height - 10, self.x_label, "middle")
        for g, (name, row) in enumerate(self.groups):
            y = top + gap / 2 + g * group_height
            svg.text(left - 8, y + (group_height - gap) / 2 + 4, name, "end", 12)
            for i, value in enumerate(row):
                if value is not None:
                    svg.box(left, y + i * self.thickness, x_of(value) - left, self.thickness - 1.5,
                            COLOURS[i])
        svg.line(left, top, left, height - bottom)
        for i, label in enumerate(self.labels):
            svg.box(width - right + 16, top + 2 + 20 * i, 14, 11, COLOURS[i])
            svg.text(width - right + 38, top + 12 + 20 * i, label, size=12)
        return str(svg)


# ---- The studies -------------------------------------------------------------------------------
# Each gives ({picture name: SVG}, {table name: Markdown}). Cases that were filtered out are left
# out here as well.


def ratio(a, b):
    return f"{a.ns / b.ns:.2f}" if a and b else ""


def time_of(case):
    return duration(case.ns) if case else ""


def per_element(case):
    return number(case.ns_per_element) if case else ""


def line_of(label, cases, x, y, colour, dash="", dots=True):
    points = [(x(c), y(c)) for c in cases if c]
    return [Line(label, points, colour, dash, dots)] if points else []


def machine(study):
    context = study.context
    caches = [f"level {c['level']}: {binary(c['size'], 'B')}" for c in context.get("caches", [])
              if c["type"] in ("Data", "Unified")]
    rows = [("processor", context.get("processor", "")),
            ("clock, as the system tells it", f"{context.get('mhz_per_cpu', 0) / 1000:.1f} GHz"),
            ("data caches", ", ".join(caches)),
            ("instruction set of the kernels", context.get("instruction_set", ""))]
    return {}, {"machine": table(("", ""), rows, left=2)}


def inner_size(study):
    sizes = sorted(study.values("inner"))
    lines = []
    for i, series in enumerate(study.series()):
        lines += line_of(series, [study.find(series, inner=n) for n in sizes],
                         lambda c: c.keys["inner"], lambda c: c.ns_per_element, COLOURS[i],
                         dots=False)
    picture = LineChart("A sum of f32 over short rows, in L2", "elements in a row",
                        "ns per element", lines, x_step=16).draw()
    shown = [1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 96, 127, 128, 130]
    rows = []
    for n in (n for n in sizes if n in shown):
        cases = [study.find(series, inner=n) for series in study.series()]
        rows.append([n, *map(per_element, cases)])
    header = ["elements in a row", *(f"{series}, ns per element" for series in study.series())]
    return {"inner-size": picture}, {"inner-size": table(header, rows, left=0)}


def stride(study):
    kinds = [("copy, strided input", "stride-input"), ("copy, strided output", "stride-output"),
             ("add, strided inputs", "stride-add")]
    strides, sizes = sorted(study.values("stride")), sorted(study.values("bytes"))
    pictures, tables = {}, {}
    for kind, name in kinds:
        lines = []
        for series, dash, suffix in ((kind, "", "B"), ("plain " + kind, "5 3", "B, plain loop")):
            for i, size in enumerate(sizes):
                cases = [study.find(series, bytes=size, stride=s) for s in strides]
                lines += line_of(f"{size} {suffix}", cases, lambda c: c.keys["stride"],
                                 lambda c: c.ns_per_element, COLOURS[i], dash, dots=False)
        if not lines:
            continue
        pictures[name] = LineChart(f"{kind[0].upper()}{kind[1:]}, by bytes an element",
                                   "stride in elements", "ns per element", lines, x_log=2).draw()
        rows = []
        for s in (s for s in strides if s in (1, 2, 3, 4, 6, 8, 12, 16, 24, 31, 32, 33, 48, 64)):
            cells = []
            for size in sizes:
                ours = study.find(kind, bytes=size, stride=s)
                plain = study.find("plain " + kind, bytes=size, stride=s)
                cells.append(f"{per_element(ours)} / {per_element(plain)}")
            rows.append([s, *cells])
        tables[name] = table(["stride", *(f"{size} B" for size in sizes)], rows, left=0)
    return pictures, tables


def transpose(study):
    sizes = sorted(study.values("size"))
    pictures, tables = {}, {}
    pairs = [("transposed copy / memcpy", "transposed copy", "memcpy", ""),
             ("plain loops / memcpy", "plain loops", "memcpy", "5 3"),
             ("(a.T + b) / (a + b)", "a.T + b", "a + b", "")]
    shown = [n for n in sizes if study.find("transposed copy", bytes=4, size=n)]
    lines = []
    for i, (label, ours, yardstick, dash) in enumerate(pairs):
        points = []
        for n in shown:
            a, b = study.find(ours, bytes=4, size=n), study.find(yardstick, bytes=4, size=n)
            if a and b:
                points.append((shown.index(n), a.ns / b.ns))
        if points:
            lines.append(Line(label, points, COLOURS[i], dash))
    if lines:
        pictures["transpose"] = LineChart(
            "Transposed squares of f32", "rows and columns", "times the yardstick", lines,
            names=[str(n) for n in shown]).draw()
        rows = []
        for n in shown:
            copy, memcpy, plain, turned, dense = (
                study.find(series, bytes=4, size=n)
                for series in ("transposed copy", "memcpy", "plain loops", "a.T + b", "a + b"))
            rows.append([n, time_of(memcpy), time_of(copy), ratio(copy, memcpy),
                         ratio(plain, memcpy), time_of(dense), time_of(turned),
                         ratio(turned, dense)])
        tables["transpose"] = table(
            ["size", "memcpy", "transposed copy", "to memcpy", "plain loops to memcpy", "a + b",
             "a.T + b", "to a + b"], rows, left=0)
    widths = sorted(study.values("bytes"))
    rows = []
    for n in sizes:
        cells = [ratio(study.find("transposed copy", bytes=w, size=n),
                       study.find("memcpy", bytes=w, size=n)) for w in widths]
        if sum(1 for cell in cells if cell) > 1:
            rows.append([n, *cells])
    if rows:
        tables["transpose-widths"] = table(["size", *(f"{w} B" for w in widths)], rows, left=0)
    return pictures, tables


def coalescing(study):
    inners = [n for n in sorted(study.values("inner"))
              if study.find("for_each, kept separate", inner=n, rank=2)]
    ranks = sorted(study.values("rank"))
    whole = max(study.values("inner"))
    lines = []
    if inners:
        flat = [study.find("for_each, coalesced", inner=whole if r == 1 else inners[-1], rank=r)
                for r in ranks]
        lines += line_of("coalesced", flat, lambda c: c.keys["rank"], lambda c: c.ns_per_element,
                         COLOURS[6])
    for i, inner in enumerate(inners):
        for kind, dash in (("gaps between rows", "5 3"), ("kept separate", "")):
            cases = [study.find(f"for_each, {kind}", inner=inner, rank=r) for r in ranks]
            lines += line_of(f"{kind}, rows of {inner}", cases, lambda c: c.keys["rank"],
                             lambda c: c.ns_per_element, COLOURS[i], dash)
    pictures = {}
    if lines:
        pictures["coalescing"] = LineChart("A raw loop over 32768 sums of f32, in L2", "rank",
                                           "ns per element", lines, x_step=1).draw()
    kinds = ["coalesced", "gaps between rows", "kept separate"]
    rows = []
    for inner, rank in [(whole, 1), *((n, r) for n in inners for r in ranks if r > 1)]:
        cells = [per_element(study.find(f"for_each, {kind}", inner=inner, rank=rank))
                 for kind in kinds]
        cells += [per_element(study.find(f"cpu_kernel, {kind}", inner=inner, rank=rank))
                  for kind in kinds[:2]]
        rows.append([inner, rank, *cells])
    header = ["elements in a row", "rank", *(f"for_each, {kind}" for kind in kinds),
              *(f"cpu_kernel, {kind}" for kind in kinds[:2])]
    return pictures, {"coalescing": table(header, rows, left=0)}


def order(study):
    series = ["for_each, weft's order", "for_each, PyTorch's order", "cpu_kernel, weft's order",
              "cpu_kernel, PyTorch's order"]
    groups, rows = [], []
    for layout in study.values("layout"):
        cases = [study.find(s, layout=layout) for s in series]
        groups.append((layout, [c.ns / 1e3 if c else None for c in cases]))
        labels = [next((c.label for c in cases[i::2] if c), "") for i in (0, 1)]
        rows.append([layout, *labels, *map(time_of, cases[:2]), ratio(cases[1], cases[0]),
                     *map(time_of, cases[2:]), ratio(cases[3], cases[2])])
    picture = BarChart("Two orders", "µs, less is better", groups, series, log=True).draw()
    header = ["layout", "weft's order", "PyTorch's order", "for_each, weft's",
              "for_each, PyTorch's", "ratio", "cpu_kernel, weft's", "cpu_kernel, PyTorch's",
              "ratio"]
    return {"order": picture}, {"order": table(header, rows, left=3)}


def contiguous(study):
    groups, rows = [], []
    for op in study.values("op"):
        for n in study.values("n"):
            ours = study.find("weft", op=op, n=n)
            hand = [c for c in study.cases if c.keys == {"op": op, "n": n} and c.series != "weft"]
            if not ours or not hand:
                continue
            best = min(hand, key=lambda c: c.ns)
            streaming = [c for c in hand if c.series.endswith("streaming")]
            cached = [c for c in hand if c not in streaming]
            groups.append((f"{op}, {binary(n)}", [
                ours.gigabytes_per_second,
                max((c.gigabytes_per_second for c in cached), default=None),
                max((c.gigabytes_per_second for c in streaming), default=None)]))
            rows.append([op, best.series, binary(n), duration(ours.ns), duration(best.ns),
                         number(ours.gigabytes_per_second), number(best.gigabytes_per_second),
                         f"{best.ns / ours.ns:.2f}"])
    labels = ["weft", "by hand, best without streaming", "by hand, best streaming"]
    picture = BarChart("Dense operands", "GB/s of operands, more is better", groups, labels).draw()
    header = ["operation", "best by hand", "elements", "weft", "by hand", "weft, GB/s",
              "by hand, GB/s", "weft's share of the best"]
    return {"contiguous": picture}, {"contiguous": table(header, rows, left=2)}


STUDIES = {"contiguous_bench": contiguous, "inner_size_bench": inner_size, "stride_bench": stride,
           "transpose_bench": transpose, "coalescing_bench": coalescing, "order_bench": order}
TABLES = ["machine", "contiguous", "inner-size", "stride-input", "stride-output", "stride-add",
          "transpose", "transpose-widths", "coalescing", "order"]
PICTURES = ["contiguous", "inner-size", "stride-input", "stride-output", "stride-add", "transpose",
            "coalescing", "order"]


# ---- Files -------------------------------------------------------------------------------------


def render(folder):
    """All pictures and tables that the results in `folder` are enough for."""
    pictures, tables = {}, {}
    for program, study_of in STUDIES.items():
        path = folder / f"{program}.json"
        if not path.exists():
            continue
        study = parse_results(path.read_text(encoding="utf-8"))
        if not study.cases:
            continue
        for make in [machine] * (not tables) + [study_of]:
            more_pictures, more_tables = make(study)
            pictures.update(more_pictures)
            tables.update(more_tables)
    if not tables:
        raise Unusable(f"{folder}: no results; expected files such as contiguous_bench.json")
    return pictures, tables


MARKED = re.compile(r"(<!-- table: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def fill_in(document, tables):
    """The document with its tables replaced. Tables that are not given stay as they are."""
    names = [match[1] for match in MARKED.findall(document)]
    for name in names:
        if name not in TABLES:
            raise Unusable(f"the document has a place for a table {name!r}, which there is not")
    for name in tables:
        if names.count(name) != 1:
            raise Unusable(f"the document has {names.count(name)} places for the table {name!r}")
    return MARKED.sub(lambda m: f"{m[1]}{tables[m[2]]}\n{m[3]}" if m[2] in tables else m[0],
                      document)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("results", type=pathlib.Path, help="folder of <program>.json")
    parser.add_argument("--docs", type=pathlib.Path, help="write into this folder's performance.md")
    options = parser.parse_args(arguments)
    try:
        pictures, tables = render(options.results)
        if options.docs:
            path = options.docs / "performance.md"
            path.write_text(fill_in(path.read_text(encoding="utf-8"), tables), encoding="utf-8")
        else:
            path = options.results / "tables.md"
            path.write_text("\n\n".join(f"## {name}\n\n{text}" for name, text in tables.items()) +
                            "\n", encoding="utf-8")
        folder = (options.docs or options.results) / "pictures"
        folder.mkdir(exist_ok=True)
        for name, svg in pictures.items():
            (folder / f"{name}.svg").write_text(svg, encoding="utf-8")
    except (Unusable, OSError, json.JSONDecodeError) as error:
        print(f"plot.py: {error}", file=sys.stderr)
        return 1
    print(f"{path}: {len(tables)} tables; {folder}: {len(pictures)} pictures")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
