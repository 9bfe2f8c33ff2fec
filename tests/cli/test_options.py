"""Options that verbs share: a dataclass parameter becomes options of its own."""

import inspect
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import ordinate as od
from ordinate.cli._options import (
    KERNELS,
    STARTLESS,
    AnswerFile,
    Fitting,
    Method,
    OnInvalid,
    spread_options,
)


def test_a_file_of_answers_says_how_it_was_read():
    plain = AnswerFile("answers.csv")
    assert plain.arguments() == ["answers.csv"]
    options = {"columns": "a,b,c", "header": False, "on_invalid": OnInvalid.DROP}
    expected = ["--columns", "a,b,c", "--no-header", "--on-invalid", "drop"]
    assert AnswerFile("answers.csv", **options).arguments() == ["answers.csv", *expected]


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


@pytest.mark.parametrize("method", sorted(set(Method) - {*KERNELS, *STARTLESS}))
def test_every_method_is_an_estimator_that_takes_the_options(method):
    fitting = Fitting(dim=3, method=method, starts=4, seed=5, jobs=2, device="auto")
    estimator = fitting.estimator()
    parameters = estimator.get_params()
    assert type(estimator) is getattr(od, method.value)
    assert parameters["n_components"] == 3
    assert parameters["n_init"] == 4
    assert parameters["random_state"] == 5
    assert parameters["n_jobs"] == 2
    assert parameters["device"] == "auto"


@pytest.mark.parametrize("method", STARTLESS)
def test_methods_without_a_start_refuse_starts(method):
    estimator = Fitting(dim=3, method=method, seed=5, jobs=2).estimator()
    assert type(estimator) is getattr(od, method.value)
    assert estimator.get_params()["n_components"] == 3
    with pytest.raises(od.InputError, match=f"--starts has no meaning for --method {method.value}"):
        Fitting(method=method, starts=2).estimator()
    with pytest.raises(od.InputError, match=r"--device has no meaning .* which runs on the CPU"):
        Fitting(method=method, device="cuda").estimator()


def test_starts_are_the_methods_own_unless_given():
    assert Fitting().estimator().get_params()["n_init"] == od.SOE().get_params()["n_init"]


@pytest.mark.parametrize("method", KERNELS)
def test_a_kernel_places_objects_by_kernel_pca(method):
    answers = od.datasets.load_cities().comparisons
    kernel = getattr(od, method.value)().fit(answers)
    found = Fitting(dim=3, method=method).place(answers)
    np.testing.assert_array_equal(found, od.kernels.kernel_pca(kernel, 3))


@pytest.mark.parametrize("option", ["starts", "jobs", "device"])
def test_a_kernel_refuses_options_that_mean_nothing_to_it(option):
    fitting = Fitting(method=Method.K1, **{option: 2})
    with pytest.raises(od.InputError, match=f"--{option} has no meaning for --method K1"):
        fitting.place(od.datasets.load_cities().comparisons)


def test_a_pattern_reads_all_files_that_match(tmp_path):
    for name, row in (("part-1", "cat,dog,car"), ("part-2", "dog,cat,bus"), ("other", "a,b,c")):
        (tmp_path / f"{name}.csv").write_text(f"anchor,near,far\n{row}\n")
    answers = AnswerFile(tmp_path / "part-*.csv").read()
    named = [[answers.names[o] for o in row] for row in answers.rows]
    assert named == [["cat", "dog", "car"], ["dog", "cat", "bus"]]


def test_a_pattern_without_a_match_is_refused(tmp_path):
    with pytest.raises(od.InputError, match=r"part-\*.csv: No file matches this pattern"):
        AnswerFile(tmp_path / "part-*.csv").read()
