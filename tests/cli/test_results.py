"""Where results go, and what is printed."""

import json
from pathlib import Path

import numpy as np
import pytest

import ordinate as od
from ordinate.cli._results import ResultFiles, check_outputs, print_json, print_report
from ordinate.results.finding import Finding
from ordinate.results.result import Result

COLUMNS = {"object": np.array(["a", "b"]), "x1": np.array([0.5, 1.0])}


class Map(Result):
    """One table, and a picture that a test draws."""

    title = "A map"

    def __init__(self, draw=None):
        self.draw = draw

    def tables(self):
        return {"coordinates": COLUMNS}

    def findings(self):
        return [Finding("sky", "grey", "The sky is grey.")]


def test_the_table_is_written_before_the_picture(tmp_path, capfd):
    results = ResultFiles(tmp_path / "map.csv", tmp_path / "map.png")

    def draw(path):
        assert (tmp_path / "map.csv").read_text().startswith('"object","x1"')
        path.write_text("picture")

    results.write_and_show(Map(draw), json=False)
    assert results.plot.read_text() == "picture"
    said = f"The sky is grey.\nWrote {results.output} and {results.plot}\n"
    assert capfd.readouterr().out == said


@pytest.mark.parametrize("error", [OSError(28, "No space left", "map.png"), od.InputError("Odd.")])
def test_without_its_picture_a_report_is_still_shown(tmp_path, capfd, error):
    def fail(path):
        raise error

    with pytest.raises(od.InputError, match=r"picture .*map.png was not written, all other"):
        ResultFiles(None, tmp_path / "map.png").write_and_show(Map(fail), json=False)
    assert capfd.readouterr().out == '"object","x1"\n"a",0.5\n"b",1\n'


def test_nothing_is_asked_for(capfd):
    ResultFiles().write_and_show(Map(lambda path: pytest.fail("drew")), json=True)
    assert json.loads(capfd.readouterr().out)["coordinates"]["x1"] == [0.5, 1.0]


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        (ResultFiles(Path("map.xlsx")), "Cannot tell the format of 'map.xlsx'"),
        (ResultFiles(None, Path("map.docx")), r"must end in \.png, \.svg, \.pdf, \.html"),
        (ResultFiles(None, Path("gone/map.png")), "no folder"),
    ],
    ids=["table", "picture", "folder"],
)
def test_impossible_files_are_refused_at_once(tmp_path, monkeypatch, results, expected):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(od.InputError, match=expected):
        results.check()


@pytest.mark.parametrize("name", ["in.csv", "./in.csv", "sub/../in.csv", "link.csv", "hard.csv"])
def test_an_output_that_is_an_input_is_refused(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("answers")
    Path("sub").mkdir()
    Path("link.csv").symlink_to("in.csv")
    Path("hard.csv").hardlink_to("in.csv")
    with pytest.raises(od.InputError, match=r"Cannot write .*: it is read too"):
        check_outputs([None, Path("in.csv")], others=[Path(name)])
    check_outputs([Path("in.csv")], others=[Path("other.csv"), None])


def test_two_outputs_in_one_file_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(od.InputError, match="two results would go there"):
        check_outputs([], others=[Path("map.csv"), Path("./map.csv")])
    Path("map.csv").write_text("old")
    Path("link.png").symlink_to("map.csv")
    with pytest.raises(od.InputError, match="two results would go there"):
        check_outputs([], others=[Path("map.csv"), Path("link.png")])


def test_prints_one_json_object(capsys):
    print_json({"name": "Zürich", "error": None})
    assert json.loads(capsys.readouterr().out) == {"name": "Zürich", "error": None}


def test_numbers_that_json_does_not_have_are_a_bug():
    with pytest.raises(ValueError, match="not JSON compliant"):
        print_json({"error": float("nan")})


class Weather:
    def to_dict(self):
        return {"sky": "blue"}

    def __str__(self):
        return "The sky is blue."


def test_a_report_alone_goes_to_standard_output(capfd):
    print_report(Weather(), {}, json=False)
    assert capfd.readouterr() == ("The sky is blue.\n", "")


def test_a_table_has_standard_output_to_itself(capfd):
    print_report(Weather(), {"hours": {"sun": np.array([3, 4])}}, json=False)
    assert capfd.readouterr() == ('"sun"\n3\n4\n', "The sky is blue.\n")


def test_in_json_a_table_is_part_of_the_report(capfd):
    print_report(Weather(), {"hours": {"sun": np.array([3, 4])}}, json=True)
    told = {"files": [], "sky": "blue", "hours": {"sun": [3, 4]}}
    assert json.loads(capfd.readouterr().out) == told
