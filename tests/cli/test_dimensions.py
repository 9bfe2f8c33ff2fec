"""`ordinate dimensions`: the report, the tables and the page."""

import csv
import json
import re

import numpy as np
import pytest

import ordinate as od

NAMES = ["cat", "dog", "cow", "saw", "axe", "pen", "pie", "jam", "egg"]


@pytest.fixture
def trials(tmp_path):
    loadings = 2.5 * np.repeat(np.eye(3), 3, axis=0)
    rows = od.sources.random_trials(loadings, 900, random_state=0).rows
    path = tmp_path / "trials.txt"
    np.savetxt(path, np.column_stack([rows, np.arange(900) % 5]), fmt="%d")
    (tmp_path / "names.csv").write_text("\n".join(["object", *NAMES]) + "\n")
    return path


QUICK = ("--max-dimensions", 6, "--penalty", "3,1", "--starts", 2)


def test_report_tables_and_page(ordinate, trials, tmp_path):
    names, table, page, rdm = (
        tmp_path / name for name in ("names.csv", "d.csv", "d.html", "rdm.csv")
    )
    run = ordinate(
        *("dimensions", trials, "--objects", names, *QUICK),
        *("-o", table, "--plot", page, "--rdm", rdm),
    )
    assert run.code == 0, run.err
    first, second, *_ = run.out.splitlines()
    assert first.startswith("3 dimensions of 9 objects from 900 odd-one-out trials")
    assert "chance is 33.3%" in second
    tops = re.findall(r"r = [\d.]+\s+(\w+), (\w+), (\w+)", run.out)
    assert sorted(map(sorted, tops)) == [
        ["axe", "pen", "saw"],
        ["cat", "cow", "dog"],
        ["egg", "jam", "pie"],
    ]
    rows = list(csv.reader(table.read_text().splitlines()))
    ends = [f"x{number}_{end}" for number in (1, 2, 3) for end in ("low", "high")]
    assert rows[0] == ["object", "x1", "x2", "x3", *ends]
    assert [row[0] for row in rows[1:]] == NAMES
    header, *rows = csv.reader(rdm.read_text().splitlines())
    assert header == ["object", *NAMES]
    matrix = np.array([row[1:] for row in rows], dtype=float)
    np.testing.assert_allclose(matrix, matrix.T)
    assert matrix[0, 1] < matrix[0, 8]
    assert "<script" in page.read_text()


def test_dissimilarities_are_read_back(ordinate, trials, tmp_path):
    rdm = tmp_path / "rdm.npz"
    assert ordinate("dimensions", trials, *QUICK, "--rdm", rdm).code == 0
    found = od.Dissimilarities.read(rdm)
    assert found.matrix.shape == (9, 9)
    assert found.matrix[0, 1] < found.matrix[0, 8]


def test_the_figures_come_as_json(ordinate, trials):
    run = ordinate("dimensions", trials, *QUICK, "--json")
    figures = json.loads(run.out)
    assert figures["n_dimensions"] == 3
    assert figures["ceiling"]["n_questions"] == 84
    assert len(figures["dimensions"]) == 3


def test_choices_among_several(ordinate, tmp_path):
    rng = np.random.default_rng([40, 7])
    kind = np.repeat(np.arange(3), 3)
    lines = ["anchor,option_1,option_2,option_3,chosen"]
    for _ in range(400):
        anchor = rng.integers(9)
        others = [
            rng.choice([o for o in range(9) if kind[o] == k and o != anchor]) for k in range(3)
        ]
        like = others[kind[anchor]] if rng.random() < 0.85 else rng.choice(others)
        lines.append(",".join(NAMES[at] for at in (anchor, *rng.permutation(others), like)))
    log = tmp_path / "log.csv"
    log.write_text("\n".join(lines) + "\n")
    run = ordinate("dimensions", log, "--max-dimensions", 5, "--penalty", "3,1", "--starts", 1)
    assert run.code == 0, run.err
    assert run.out.startswith("3 dimensions of 9 objects from 400 choices")
    assert "of the other half; chance is 33.3%" in run.out


def test_noise_has_no_dimension_at_any_door(ordinate, tmp_path):
    rows = od.sources.random_trials(np.zeros((12, 1)), 400, random_state=0).rows
    log, table, page, rdm = (tmp_path / f"n.{end}" for end in ("txt", "csv", "html", "rdm.csv"))
    np.savetxt(log, rows, fmt="%d")
    given = ("dimensions", log, "--starts", 1)
    run = ordinate(*given, "-o", table, "--plot", page, "--rdm", rdm)
    assert run.code == 0, run.err
    assert "No dimension is supported by these answers" in run.out
    assert "r = " not in run.out
    assert table.read_text().splitlines()[0].strip('"') == "object"
    assert "No dimension of 12 objects is supported" in page.read_text()
    figures = json.loads(ordinate(*given, "--json").out)
    assert (figures["n_dimensions"], figures["dimensions"]) == (0, [])
    assert figures["p_value"] > 0.05
    assert "No dimension is supported" in figures["advice"]


def test_too_few_names_are_refused(ordinate, trials, tmp_path):
    names = tmp_path / "few.txt"
    names.write_text("a b\n")
    run = ordinate("dimensions", trials, "--objects", names, *QUICK)
    assert run.code == 1
    assert "names 1 objects, but the largest position" in run.err


def test_a_picture_has_a_known_ending(ordinate, trials, tmp_path):
    run = ordinate("dimensions", trials, *QUICK, "--plot", tmp_path / "d.docx")
    assert run.code == 1
    assert "must end in .png" in run.err


def test_a_penalty_is_two_numbers(ordinate, trials):
    run = ordinate("dimensions", trials, "--penalty", "three")
    assert run.code == 2
    assert "is not a number" in run.err
