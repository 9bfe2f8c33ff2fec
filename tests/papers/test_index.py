"""The figures of the summary, and those about choosing, are those of their tables."""

import csv
import re
from pathlib import Path

import pytest

RESULTS = Path(__file__).parents[2] / "docs" / "results"
INDEX = (RESULTS / "index.rst").read_text(encoding="utf-8")


def tables(name):
    """Yield the rows of every table in a file that a script wrote, as dictionaries."""
    text = (RESULTS / f"{name}.txt").read_text(encoding="utf-8")
    for block in text.split(".. csv-table::")[1:]:
        inside = [line.strip() for line in block.splitlines()[1:] if line.startswith("   ")]
        header = [line.removeprefix(":header: ") for line in inside if line.startswith(":header: ")]
        body = [line for line in inside if not line.startswith(":")]
        yield list(csv.DictReader([*header, *body], skipinitialspace=True))


def cell(name, method, column):
    """Return the number that a cell begins with; rows are named by their first column."""
    for rows in tables(name):
        for row in rows:
            first = re.sub(r" \(\d+\)$", "", next(iter(row.values())))
            if first == method and column in row:
                return float(re.match(r"\**(-?[\d.]+)", row[column])[1])
    raise KeyError((name, method, column))


def here(what):
    """Return what the summary says that was found here."""
    return re.search(rf"^   \* - {re.escape(what)}\n     - .*\n     - (.*)$", INDEX, re.M)[1]


def numbers(text):
    return [float(number) for number in re.findall(r"-?\d*\.\d+|\d+", text)]


SIZES = ("200", "1,000", "10,000")
H = ("keep H", "predict H")
ROWS = {
    "Desargues graph, LOE in 2-D: GARI, stress": [
        ("loe-figure4", "LOE-2D", "GARI"),
        ("loe-figure4", "LOE-2D", "stress"),
    ],
    "two dense squares: only LOE preserves density and geometry": [
        ("loe-figure2-2000", "LOE", "density"),
        ("loe-figure2-2000", "t-SNE", "density"),
    ],
    "mixture in 5-D, n = 90: LOE and t-SNE are best (GARI)": [
        ("loe-figure3a", "LOE", "gari"),
        ("loe-figure3a", "t-SNE", "gari"),
    ],
    "the same, n = 1500: LOE shows three clouds": [
        ("loe-figure3b", "LOE", "density"),
        ("loe-figure3b", "LOE", "GARI"),
        ("loe-figure3b", "t-SNE", "GARI"),
    ],
    "music artists, 1-NN error: t-ETE, t-STE": [
        ("tete-music", "t-ETE, t = t' = 2", "1-NN error, mean (range)"),
        ("tete-music", "t-STE", "1-NN error, mean (range)"),
    ],
    "DMOE": [("dmoe-synthetic", "DMOE", size) for size in SIZES],
    "GNMDS-p": [("dmoe-synthetic", "GNMDS-p", size) for size in SIZES],
    "STE-p": [("dmoe-synthetic", "STE-p", size) for size in SIZES],
    "PosteriorGram (ours)": [("dmoe-synthetic", "PosteriorGram", size) for size in SIZES],
    "DMOE on music, at 200 / 1,000 / 5,000": [
        ("dmoe-music", "DMOE", "200"),
        ("dmoe-music", "DMOE", "1,000"),
        ("dmoe-music", "DMOE", "5,000"),
    ],
    "MovieLens, all triples": [("coe-table3", "COE-S", name) for name in H],
    "MovieLens, 100,000 triples": [("coe-table2", "COE-S", name) for name in H],
    "Last.fm": [("coe-table5", "COE-S", name) for name in H],
    "20 Newsgroups": [("coe-table6", "COE-S", name) for name in H],
    "CFEE on MovieLens": [("coe-table3", "CFEE", name) for name in H],
    "BPR+ on MovieLens": [("coe-table3", "BPR+ for users", name) for name in H],
}


@pytest.mark.parametrize("what", ROWS)
def test_the_summary_repeats_its_tables(what):
    shown, sources = numbers(here(what)), ROWS[what]
    assert len(shown) == len(sources)
    for number, source in zip(shown, sources, strict=True):
        # the summary may have fewer digits than its table, and rounds
        digits = len(str(number).partition(".")[2])
        assert abs(number - cell(*source)) <= 0.5 * 10**-digits + 1e-9, source


def test_what_t_ete_loses_to_noise():
    rows = [
        row
        for row in next(tables("tete-figure3_noise"))
        if (row["far objects"], row["accuracy of"]) == ("as in the program", "answers")
    ]
    lost = {row["method"]: float(row["0 %"]) - float(row["15 %"]) for row in rows}
    published = lost.pop("t-ETE, t = t'")
    del lost["t-ETE, default"]
    shown = numbers(here("accuracy lost to 15 % of flipped answers: t-ETE, others"))
    assert shown == pytest.approx([published, min(lost.values()), max(lost.values())], abs=0.051)


POOLS = {
    "SOE, 1,000,000 triplets of 1000 objects: time, error on new triplets": (
        "benchmarks_triplets-fits",
        ["D", "SOE"],
    ),
    "STE, the same": ("benchmarks_triplets-fits", ["D", "STE"]),
    "LOE, n = 1000, 50 iterations of majorisation from a random start": (
        "benchmarks_loe-iterations",
        ["1000", "MM, R's random start"],
    ),
    "LOE, n = 1000, a whole fit: time, stress": (
        "benchmarks_loe-iterations",
        ["1000", "LOE (L-BFGS), to convergence"],
    ),
    "DMOE's problem, n = 50, 500 triplets": ("benchmarks_gram-peers", ["1", "1"]),
    "the same with a one-sided hinge": ("benchmarks_gram-peers", ["1", "0"]),
    "COE, MovieLens 100K: time, preserved and predicted comparisons (%)": (
        "benchmarks_coe-others",
        [],
    ),
    "map of 10,000 digits: time in a fresh process, warm, trustworthiness, 10-NN, triplets": (
        "benchmarks_reduce-time",
        ["mnist, 10,000"],
    ),
    "k1 matrix of 10,000 digits": ("kernels-figure5_mnist", ["k1"]),
    "50 iterations: majorisation is the fastest": ("loe-figure5", []),
    "a table of the size of Netflix (made up): kept, of what its planted positions keep": (
        "coe-netflix_size",
        [],
    ),
}
"""The table of a row of the summary, and cells that its lines in the table have."""


@pytest.mark.parametrize("what", POOLS)
def test_every_number_of_a_row_is_in_its_table(what):
    name, cells = POOLS[what]
    lines = [list(row.values()) for rows in tables(name) for row in rows]
    lines = [line for line in lines if set(cells) <= set(line)]
    pool = {number for line in lines for cell in line for number in numbers(cell.replace(",", ""))}
    row = re.search(rf"^   \* - {re.escape(what)}\n     - (.*)\n     - (.*)$", INDEX, re.MULTILINE)
    printed = "" if name.startswith(("kernels", "loe-", "coe-")) else row[1]
    text = re.sub(r"\(.*?\)|\d+ iterations", "", f"{printed} {row[2]}").replace(",", "")
    for shown in re.findall(r"\d*\.\d+|\d+", text):
        digits = len(shown.partition(".")[2])
        assert min(abs(float(shown) - x) for x in pool) <= 0.5 * 10**-digits + 1e-9, shown


QUOTED = {
    "dishes, 10 answers per object, best of four dimensions, no penalty": (
        ["defaults-temperatures"],
        ["dishes, 1,000"],
    ),
    "music artists, 5 answers per object": (["defaults-temperatures"], ["music, 2,000"]),
    "dishes, 100 answers per object": (["defaults-temperatures"], ["dishes, 10,000"]),
    "dishes, 2,503 answers per object, SOE by dimension": (["methods-people"], ["dishes"]),
    "simulated careful observers, plenty of answers": (
        ["methods-simulated"],
        ["plenty, all right"],
    ),
    "10 % of the answers flipped": (["methods-simulated"], ["plenty, 10 % flipped"]),
    "20 % of the answers flipped": (["methods-simulated"], ["plenty, 20 % flipped"]),
    "3 answers per object in ten dimensions": (
        ["methods-simulated"],
        ["three per object, ten dimensions"],
    ),
    "10 answers per object in the plane": (
        ["methods-simulated"],
        ["ten per object, 10 % flipped"],
    ),
    "30 people whose log weights differ by .7, 100 answers each": (
        ["people-recovery"],
        ["s = 1, spread 0.7, 100 answers each"],
    ),
    "MNIST neighbours in five dimensions": (["tete-figure3_dimensions"], []),
    "k1 with landmarks on MNIST": (["kernels-figure5_mnist"], ["landmark"]),
    "LOE: correlation of densities": (["loe-figure2-2000"], []),
    "MovieLens, comparisons preserved": (["coe-table3"], []),
    "MovieLens, unseen pairs ordered correctly": (["coe-table3"], []),
    "10,000 digits: time from a fresh process": (
        ["benchmarks_reduce-time"],
        ["mnist, 10,000", "2"],
    ),
    "the same: random triplets preserved": (
        ["benchmarks_reduce-time", "benchmarks_reduce-peers"],
        ["mnist, 10,000"],
    ),
    "the same: trustworthiness": (
        ["benchmarks_reduce-time", "benchmarks_reduce-peers"],
        ["mnist, 10,000"],
    ),
}
"""Rows of the page about choosing a method, with the tables they quote and cells of their lines."""


@pytest.mark.parametrize("what", QUOTED)
def test_every_figure_about_choosing_is_in_its_table(what):
    names, cells = QUOTED[what]
    lines = [list(row.values()) for name in names for rows in tables(name) for row in rows]
    lines = [line for line in lines if set(cells) <= set(line)]
    pool = {number for line in lines for cell in line for number in numbers(cell)}
    page = (RESULTS.parent / "choosing.rst").read_text(encoding="utf-8")
    shown = re.search(rf"^   \* - {re.escape(what)}\n     - (.*)$", page, re.MULTILINE)[1]
    figures = re.findall(r"\d*\.\d+", shown)
    assert figures
    for figure in figures:
        digits = len(figure.partition(".")[2])
        assert min(abs(float(figure) - x) for x in pool) <= 0.5 * 10**-digits + 1e-9, figure
