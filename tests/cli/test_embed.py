"""`ordinate embed`: the table, the plot and the report."""

import csv
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import ordinate as od
from ordinate.selection import _compare

QUICK = ("--method", "SOE", "--dim", 1, "--error-folds", 0)


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_writes_coordinates_and_ends_with_the_report(ordinate, answers, tmp_path):
    run = ordinate("embed", answers, "--method", "SOE", "--dim", 1, "-o", tmp_path / "map.csv")
    assert run.code == 0
    rows = read(tmp_path / "map.csv")
    assert [row["object"] for row in rows] == [f"o{i:02}" for i in range(12)]
    places = np.array([float(row["x1"]) for row in rows])
    assert abs(np.corrcoef(places, np.arange(12))[0, 1]) > 0.98
    for words in (
        "Held-out error",
        "Training error",
        "contradictions",
    ):
        assert words in run.out
    assert run.out.endswith(f"Wrote {tmp_path / 'map.csv'}\n")


def test_json_alone_on_standard_output(ordinate, answers, tmp_path):
    options = ("--method", "SOE", "--dim", 1, "--error-folds", 5)
    run = ordinate("embed", answers, *options, "-o", tmp_path / "map.npz", "--json")
    figures = run.json
    assert figures["method"] == "SOE"
    assert figures["dimension"] == 1
    assert figures["train_error"] <= 0.01
    assert figures["held_out_error"] <= 0.05
    low, high = figures["held_out_interval"]
    assert low <= figures["held_out_error"] <= high < 0.06
    assert 380 <= figures["n_held_out"] <= 400
    assert figures["choice"] is None
    assert figures["answers"]["n_rows"] == 400
    assert figures["files"] == [str(tmp_path / "map.npz")]
    assert "coordinates" not in figures


def test_without_output_the_table_is_standard_output(ordinate, answers):
    run = ordinate("embed", answers, *QUICK)
    assert run.out.splitlines()[0] == '"object","x1"'
    assert len(run.out.splitlines()) == 13
    assert "Held-out error" in run.err
    coordinates = ordinate("embed", answers, *QUICK, "--json").json["coordinates"]
    assert coordinates["object"][0] == "o00"
    assert len(coordinates["x1"]) == 12


def test_coordinates_come_from_a_fit_to_all_answers(ordinate, answers):
    run = ordinate("embed", answers, *QUICK, "--starts", 2, "--seed", 7, "--json")
    model = od.SOE(1, n_init=2, random_state=7).fit(od.read_comparisons(answers))
    assert run.json["coordinates"]["x1"] == model.embedding_[:, 0].tolist()


def test_seed_decides_and_jobs_do_not(ordinate, answers):
    def places(*more):
        return ordinate("embed", answers, *QUICK, *more, "--json").json["coordinates"]["x1"]

    assert places("--seed", 1) == places("--seed", 1, "--jobs", 2)
    assert places("--seed", 1) != places("--seed", 2)


def test_trials_are_held_out_whole(ordinate, answers):
    options = ("--method", "SOE", "--dim", 1, "--json")
    assert ordinate("embed", answers, *options).json["split_by"] == "trial"
    by_participant = ordinate(
        "embed", answers, *options, "--split-by", "participant", "--error-folds", 3
    ).json
    assert by_participant["split_by"] == "participant"
    assert (by_participant["folds"], by_participant["n_held_out"]) == (3, 400)


def test_nothing_is_held_out_on_request(ordinate, answers):
    figures = ordinate("embed", answers, *QUICK, "--json").json
    assert figures["held_out_error"] is None
    assert figures["n_held_out"] == 0


def test_method_and_dimension_are_chosen_and_said(ordinate, answers, tmp_path):
    run = ordinate("embed", answers, "--folds", 5, "-o", tmp_path / "map.csv")
    first = next(line for line in run.out.splitlines() if line.startswith("We chose "))
    assert " in 2 dimensions by 5-fold cross-validation over 5 methods × " in first
    assert "%" not in first  # the error was measured by other folds and has a line of its own
    assert list(read(tmp_path / "map.csv")[0]) == ["object", "x1", "x2"]


def test_everything_rests_on_the_same_method_and_dimension(ordinate, answers, monkeypatch):
    """Flipped answers, few of them, so that methods and starts differ."""
    rows = answers.read_text().splitlines()
    wrong = [",".join([a, c, b, *rest]) for a, b, c, *rest in (r.split(",") for r in rows[1::4])]
    answers.write_text("\n".join([rows[0], *rows[2:160:4], *wrong[:20]]))
    monkeypatch.setattr(_compare, "USUAL_METHODS", ("SOE", "CKL"))
    monkeypatch.setattr(_compare, "USUAL_DIMENSIONS", (1, 2))
    record = od.read_comparisons(answers)
    table = od.compare(record, by="trial", random_state=0)
    figures = ordinate("embed", answers, "--show", "methods,noise,learning", "--json").json
    chosen = figures["method"], figures["dimension"]
    assert chosen == (table.choice.method, table.choice.dimension)
    assert figures["choice"]["rows"][0]["error"] == table.rows[0].error
    overall = figures["noise"]["overall"]
    assert [overall["low"], overall["high"]] == figures["held_out_interval"]
    assert figures["learning"]["points"][-1]["high"] == table.choice.high
    in_python = od.analyze(str(answers), verbose=False)
    assert (in_python.method, in_python.dimension) == chosen


def test_what_is_given_is_not_chosen(ordinate, answers):
    figures = ordinate("embed", answers, "--method", "ste", "--error-folds", 0, "--json").json
    assert figures["method"] == "STE"
    assert {row["method"] for row in figures["choice"]["rows"]} == {"STE"}
    assert [row["dimension"] for row in figures["choice"]["rows"]][:4] == [1, 2, 3, 4]
    figures = ordinate(
        "embed", answers, "--dim", 2, "--error-folds", 0, "--starts", 1, "--json"
    ).json
    assert figures["dimension"] == 2
    assert figures["method"] == figures["choice"]["choice"]["method"]
    assert {row["dimension"] for row in figures["choice"]["rows"]} == {2}


@pytest.mark.filterwarnings("default:STE put all objects")
def test_a_map_without_extent_is_not_silent(ordinate, answers):
    answers.write_text("".join(answers.read_text().splitlines(keepends=True)[:31]))
    run = ordinate("embed", answers, "--method", "STE", "--error-folds", 0, "--set", "penalty=400")
    assert "STE put all objects in nearly one place, because answers are too few" in run.err
    assert "try --set penalty=100" in run.err


def test_a_kernel_is_drawn_in_two_dimensions(ordinate, answers):
    figures = ordinate("embed", answers, "--method", "K1", "--error-folds", 0, "--json").json
    assert (figures["dimension"], figures["choice"]) == (2, None)


def test_method_may_be_written_in_any_case(ordinate, answers):
    assert ordinate("embed", answers, *QUICK, "--method", "soe", "--json").json["method"] == "SOE"
    assert ordinate("embed", answers, "--method", "astrology").code == 2


def test_plot_is_written_beside_the_table(ordinate, answers, tmp_path):
    picture = tmp_path / "map.png"
    run = ordinate("embed", answers, *QUICK, "--plot", picture, "-o", tmp_path / "map.csv")
    assert run.code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        (["-o", "map.xlsx"], "map.xlsx"),
        (["--plot", "map.docx"], "docx"),
        (["-o", "no/such/folder/map.csv"], "no folder"),
        (["--split-by", "planet"], "planet"),
    ],
)
def test_mistakes_are_found_before_the_fit(ordinate, answers, monkeypatch, wrong, expected):
    monkeypatch.chdir(answers.parent)
    monkeypatch.setattr(od.SOE, "fit", lambda *_: pytest.fail("fitted before checking"))
    run = ordinate("embed", answers, *wrong)
    assert (run.code, run.out) == (1, "")
    assert expected in run.err
    assert [path.name for path in answers.parent.iterdir()] == ["answers.csv"]


@pytest.mark.skipif(os.name == "nt", reason="sends a POSIX signal")
def test_ctrl_c_during_a_fit_leaves_no_file(answers, tmp_path):
    code = (
        "import signal, sys, time, ordinate as od\nfrom ordinate.cli import main\n"
        # a shell starts what runs in the background with the signal ignored
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        # in one piece, as two folds may be fitted at a time
        "def endless(*_):\n    sys.stderr.write('fitting\\n')\n    sys.stderr.flush()\n"
        "    time.sleep(600)\n"  # an import here could swallow the signal
        "od.SOE.fit = endless\nmain()"
    )
    old = tmp_path / "map.csv"
    old.write_text("precious")
    command = [sys.executable, "-c", code, "embed", str(answers), "--method", "SOE", "-d", "1"]
    command += ["-o", str(old)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
        assert process.stderr.readline() == "fitting\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert old.read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answers.csv", "map.csv"]


def test_uncertainty_in_the_table_the_picture_and_the_report(ordinate, answers, tmp_path):
    options = ("--method", "STE", "--dim", 2, "--error-folds", 0, "--uncertainty", "bootstrap")
    table, page = tmp_path / "map.csv", tmp_path / "map.html"
    run = ordinate("embed", answers, *options, "-o", table, "--plot", page)
    assert run.code == 0
    rows = read(table)
    doubts = ["semi_axis1", "semi_axis2", "angle", "stability", "answers", "contradicted"]
    assert list(rows[0]) == ["object", "x1", "x2", *doubts]
    assert all(float(row["semi_axis1"]) >= float(row["semi_axis2"]) > 0 for row in rows)
    assert "Uncertainty of the map, by 200 bootstrap resamples" in run.out
    assert page.exists()
    figures = ordinate("embed", answers, *options, "--json").json
    assert figures["uncertainty"]["method"] == "bootstrap"
    assert 0 < figures["uncertainty"]["sure_share"] <= 1
    assert "semi_axis1" in figures["coordinates"]


@pytest.mark.filterwarnings("ignore:The chains of the posterior have not converged")
def test_uncertainty_from_the_posterior(ordinate, answers, monkeypatch):
    monkeypatch.setattr("ordinate.uncertainty._map_uncertainty._N_DRAWS", 40)
    options = ("--method", "STE", "--dim", 1, "--error-folds", 0, "--json")
    figures = ordinate("embed", answers, *options, "--uncertainty", "posterior").json["uncertainty"]
    assert (figures["method"], figures["by"], figures["n_draws"]) == ("posterior", None, 40)
    assert 0 < figures["lapse_rate"] < 0.3


def test_whole_participants_are_resampled_or_what_is_asked_for(ordinate, answers, tmp_path):
    record = od.read_comparisons(answers)
    people = np.arange(len(record)) % 9
    path = tmp_path / "people.csv"
    od.write_comparisons(
        od.Comparisons(record.rows, names=record.names, groups={"participant": people}), path
    )
    options = ("--method", "STE", "--dim", 2, "--error-folds", 0, "--json")
    drawn = [
        ordinate("embed", path, *options, "--uncertainty", "bootstrap", *more).json["uncertainty"][
            "by"
        ]
        for more in ((), ("--resample", "answers"), ("--resample", "participant"))
    ]
    assert drawn == ["participant", None, "participant"]
    refused = ordinate(
        "embed", path, *options, "--uncertainty", "posterior", "--resample", "participant"
    )
    assert "--resample is for the bootstrap" in refused.err


def test_similarities_have_no_uncertainty(ordinate, answers):
    run = ordinate(
        "embed", answers, "--method", "K1", "--error-folds", 0, "--uncertainty", "bootstrap"
    )
    assert run.code == 1
    assert "--uncertainty needs a method that places objects; K1 gives similarities" in run.err


def test_a_column_of_the_objects_colours_the_map(ordinate, answers, tmp_path):
    table = tmp_path / "objects.csv"
    table.write_text("object,half\n" + "\n".join(f"o{i:02},{i // 6}" for i in range(12)))
    page = tmp_path / "map.html"
    run = ordinate(
        "embed", answers, "--method", "SOE", "--dim", 2, "--error-folds", 0,
        "--objects", table, "--color", "half", "--plot", page, "-o", tmp_path / "map.csv",
    )  # fmt: skip
    assert run.code == 0
    assert page.read_bytes().startswith(b"<!doctype html>")
