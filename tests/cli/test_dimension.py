"""`ordinate dimension`: what Python finds, and its chart."""

import ordinate as od

SOE = ("--method", "SOE", "--set", "delta=2")


def test_it_says_what_python_finds_and_draws_it(ordinate, answers, tmp_path):
    chart = tmp_path / "dimensions.png"
    options = ["--dims", "1,2", "--folds", 3, "--method", "STE", "--seed", 4]
    run = ordinate("dimension", answers, *options, "--plot", chart)
    record = od.read_comparisons(answers)
    expected = od.estimate_dimension(record, [1, 2], "STE", folds=3, by="trial", random_state=4)
    assert run.out == f"{expected}\nWrote {chart}\n"
    assert chart.read_bytes().startswith(b"\x89PNG")


def test_json_and_parameters(ordinate, answers):
    run = ordinate("dimension", answers, "--dims", "1", "--folds", 2, *SOE, "--json")
    assert run.json["rows"][0]["method"] == "SOE(delta=2.0)"
    assert run.json["files"] == []


def test_a_chart_is_a_picture(ordinate, answers):
    run = ordinate("dimension", answers, "--plot", "chart.html")
    assert (run.code, run.out) == (1, "")
    assert "must end in .png, .svg, .pdf" in run.err
