"""Options that verbs share: a dataclass parameter becomes options of its own."""

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from typer.testing import CliRunner

from ordinate.cli._options import AnswerFile
from ordinate.cli._typer import spread_options


def test_a_file_of_answers_says_how_it_was_read():
    plain = AnswerFile("answers.csv")
    assert plain.reading() == {}
    options = {"columns": "a,b,c", "header": False, "on_invalid": "drop"}
    expected = {"columns": ["a", "b", "c"], "header": False, "on_invalid": "drop"}
    assert AnswerFile("answers.csv", **options).reading() == expected


@dataclass(frozen=True)
class Shape:
    width: Annotated[int, typer.Option("--width", "-w")] = 1
    height: int = 2


def test_dataclass_parameters_are_spread_and_put_together_again():
    seen = []

    def draw(shape: Shape, colour: str = "red") -> None:
        """Draw."""
        seen.append((shape, colour))

    app = typer.Typer()
    app.command()(spread_options(draw))
    result = CliRunner().invoke(app, ["-w", "5", "--colour", "blue"])
    assert result.exit_code == 0, result.output
    assert seen == [(Shape(5, 2), "blue")]


def test_a_verb_without_dataclasses_keeps_its_signature_and_help():
    def sing(loud: bool = False) -> None:
        """Sing."""

    spread = spread_options(sing)
    assert spread.__doc__ == "Sing."
    assert list(inspect.signature(spread).parameters) == ["loud"]


def test_files_of_conditions_are_inputs_too():
    source = AnswerFile(
        Path("log.csv"), where=["phase=test", "@rows.txt"], exclude=["participant=@people.txt"]
    )
    assert source.files == [Path("log.csv")]
    assert source.inputs == [Path("log.csv"), Path("rows.txt"), Path("people.txt")]


def test_safe_csv_for_all_verbs_that_write_tables(ordinate, tmp_path, answers):
    log = tmp_path / "formulas.csv"
    log.write_text("anchor,near,far\n=a,@b,c\n@b,c,=a\nc,@b,=a\n")
    plain = tmp_path / "plain.csv"
    for option, row in ((["--safe-csv"], '"\'=a","\'@b","c"'), ([], '"=a","@b","c"')):
        assert ordinate(*option, "describe", log, "-o", plain).code == 0
        assert plain.read_text().splitlines()[1] == row
    fixed = ["--method", "SOE", "--dim", 1, "--error-folds", 0, "--quiet"]
    assert ordinate("embed", log, *fixed, "--safe-csv", "-o", tmp_path / "map.csv").code == 0
    assert '"\'=a"' in (tmp_path / "map.csv").read_text()
