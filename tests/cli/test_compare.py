"""`ordinate compare`: the table, the advice and the options."""

import pytest

import ordinate as od
from ordinate.selection._compare import USUAL_METHODS


def test_prints_the_table_and_says_what_to_use(ordinate, answers):
    run = ordinate(
        "compare", answers, "--methods", "soe,tste", "--dims", "1,2", "--folds", 3, "--repeats", 1
    )
    assert run.code == 0
    lines = run.out.splitlines()
    assert lines[0].startswith("Use SOE in ")  # of answers without noise, hardly any are missed
    assert lines[1] == "400 answers about 12 objects, 3 folds, whole groups of trial"
    assert [line.split()[:2] for line in lines[3:]] == [
        ["SOE", "1"],
        ["SOE", "2"],
        ["TSTE", "1"],
        ["TSTE", "2"],
    ]


def test_maps_that_really_differ_are_reported(ordinate, answers, monkeypatch):
    monkeypatch.setattr("ordinate.analysis.differences.N_DRAWS", 10)
    options = ("compare", answers, "--methods", "STE,SOE", "--dims", "1,2", "--folds", 2, "--maps")
    run, report = ordinate(*options), ordinate(*options, "--json").json
    method, dimension = report["choice"]["method"], report["choice"]["dimension"]
    size = {1: "1 dimension", 2: "2 dimensions"}
    assert f"Beside the map of {method} in {size[dimension]}:" in run.out
    other_method = f"{'SOE' if method == 'STE' else 'STE'} in {size[dimension]}"
    assert set(report["maps"]) == {other_method, f"{method} in {size[3 - dimension]}"}
    for name, found in report["maps"].items():
        (line,) = [line for line in run.out.splitlines() if line.startswith(f"  {name}: ")]
        assert f"Procrustes distance {found['distance']:.3f}" in line


def test_json_is_what_python_gives(ordinate, answers):
    run = ordinate("compare", answers, "--methods", "SOE", "--dims", 1, "--seed", 3, "--json")
    table = od.compare(od.read_comparisons(answers), ["SOE"], [1], by="trial", random_state=3)
    assert run.json["rows"][0]["fold_errors"] == list(table.rows[0].fold_errors)
    assert run.json["by"] == "trial"
    assert run.json["advice"] == table.advice


def test_options_reach_the_comparison(ordinate, answers, monkeypatch):
    seen = {}

    def spy(comparisons, methods, dimensions, **options):
        seen.update(options, methods=methods, dimensions=dimensions)
        return real(comparisons, ["SOE"], [1], folds=2)

    real = od.compare
    monkeypatch.setattr("ordinate.selection._compare.compare", spy)
    options = ("--split-by", "participant", "--repeats", 2, "--folds", 3, "--jobs", 1, "--seed", 5)
    ordinate("compare", answers, "--methods", "ste, ckl", "--dims", "2, 4", *options)
    assert seen == {
        "methods": ["STE", "CKL"],
        "dimensions": [2, 4],
        "folds": 3,
        "repeats": 2,
        "by": "participant",
        "random_state": 5,
        "n_jobs": 1,
        "verbose": True,
    }


@pytest.mark.parametrize(
    ("wrong", "code", "expected"),
    [
        (["--dims", "two"], 2, "'two' is not a whole number"),
        (["--dims", "0"], 1, "dimension must be an integer >= 1"),
        (["--methods", "astrology"], 2, "'astrology' is not one of SOE"),
        (["--folds", "1"], 2, "--folds"),
        (["--split-by", "planet"], 1, "planet"),
    ],
)
def test_mistakes_are_explained(ordinate, answers, wrong, code, expected):
    run = ordinate("compare", answers, *wrong)
    assert (run.code, run.out) == (code, "")
    assert expected in run.err


def test_methods_take_parameters_of_their_own(ordinate, answers):
    quick = ["--methods", "SOE,STE", "--dims", "1", "--folds", 2, "--repeats", 1]
    run = ordinate("compare", answers, *quick, "--set", "soe.delta=2", "--json")
    assert [row["method"] for row in run.json["rows"]] == ["SOE(delta=2.0)", "STE"]


@pytest.mark.parametrize(
    ("setting", "code", "expected"),
    [
        ("delta=2", 1, "--set takes METHOD.NAME=VALUE, such as TETE.t_prime=1.25; got 'delta=2'"),
        ("SOE.delta", 1, "--set takes NAME=VALUE"),
        ("SOE.alpha=2", 1, "SOE has no parameter 'alpha' to --set; it has "),
        ("CKL.mu=1", 2, "'CKL' is not one of SOE"),
    ],
)
def test_parameters_that_cannot_be_are_refused(ordinate, answers, setting, code, expected):
    run = ordinate("compare", answers, "--methods", "SOE", "--set", setting)
    assert (run.code, run.out) == (code, "")
    assert expected in run.err


def test_without_methods_the_usual_ones_are_compared(ordinate, answers, monkeypatch):
    seen = []

    def spy(comparisons, methods, dimensions, **options):
        seen.append([str(method) for method in methods])
        return real(comparisons, ["SOE"], [1], folds=2)

    real = od.compare
    monkeypatch.setattr("ordinate.selection._compare.compare", spy)
    ordinate("compare", answers)
    ordinate("compare", answers, "--set", "tete.penalty=0", "--set", "STE.tol=0.1")
    usual = list(USUAL_METHODS)
    assert seen[0] == usual
    assert seen[1][:2] == usual[:2]
    assert seen[1][2] == "STE(tol=0.1)"
    assert seen[1][4] == "TETE(penalty=0.0)"


FEW = ("--methods", "SOE,STE", "--dims", "1,2", "--folds", 3)


def test_the_chart_shows_error_against_dimension(ordinate, answers, tmp_path):
    chart = tmp_path / "errors.png"
    few = ("--methods", "SOE", "--dims", "1,2", "--folds", 2)
    run = ordinate("compare", answers, *few, "--plot", chart)
    assert run.out.endswith(f"Wrote {chart}\n")
    assert chart.read_bytes().startswith(b"\x89PNG")
    assert ordinate("compare", answers, *few, "--plot", chart, "--json").json["files"] == [
        str(chart)
    ]
    refused = ordinate("compare", answers, "--plot", "chart.html")
    assert (refused.code, refused.out) == (1, "")
    assert "must end in .png, .svg, .pdf" in refused.err
