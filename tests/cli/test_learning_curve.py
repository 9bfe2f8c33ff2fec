"""`ordinate learning-curve`: what Python finds, and its chart."""

import json

import ordinate as od


def test_it_says_what_python_finds_and_draws_it(ordinate, answers, tmp_path):
    chart = tmp_path / "curve.svg"
    options = ["--method", "SOE", "--dim", 1, "--folds", 2, "--seed", 4]
    run = ordinate("learning-curve", answers, *options, "--plot", chart)
    record = od.read_comparisons(answers)
    expected = od.learning_curve(record, "SOE", 1, folds=2, by="trial", random_state=4)
    assert run.out == f"{expected}\nWrote {chart}\n"
    assert b"<svg" in chart.read_bytes()
    figures = ordinate("learning-curve", answers, *options, "--json").json
    assert figures == json.loads(json.dumps(expected.to_dict())) | {"files": []}
