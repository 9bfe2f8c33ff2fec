"""`ordinate questions`: what to ask about a list of objects, and how many answers it will take."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ordinate._checks import InputError
from ordinate.cli._options import AskedTask, Json, MapDimension, task_name
from ordinate.cli._results import Chart, Written, check_outputs, table_opt
from ordinate.cli._typer import arg, opt, switch
from ordinate.tasks import PAIR, Task, make_task

if TYPE_CHECKING:
    from ordinate.questions.sheet import QuestionSheet

Goal = Literal["scores", "top"]
Design = Literal["k1", "k2"]


@dataclass(frozen=True)
class Lists:
    """Lists for participants, made before the first answer."""

    participants: int | None = opt(
        "Make a list for each of N participants.", "N", panel="Participants", min=1
    )
    per: int = opt("Questions per participant.", "N", default=100, panel="Participants", min=1)
    catch: int = opt(
        "Additional catch questions: an object is shown twice, so the answer is obvious.",
        "N",
        default=0,
        panel="Participants",
        min=0,
    )
    repeats: int = opt(
        "Questions repeated later with their sides swapped.",
        "N",
        default=0,
        panel="Participants",
        min=0,
    )


@dataclass(frozen=True)
class Choice:
    """Which questions: random, through landmarks, or the most informative."""

    adaptive: bool = switch(
        "Choose the most informative questions after the answers of --given; 10 % are random."
    )
    given: Path | None = opt("Answers so far, for --adaptive.", "FILE")
    features: Path | None = opt(
        "Features of the objects, for --adaptive: what they tell need not be asked.", "FILE"
    )
    landmarks: int | None = opt("Ask only questions that go through N landmarks.", "N", "-l", min=2)
    design: Design = opt(
        "k1: compare every object with pairs of landmarks."
        " k2: let landmarks compare every object with another landmark.",
        default="k1",
    )
    goal: Goal | None = opt(
        "For --task pair --adaptive: precise scores of all, or which item is best. Default: scores."
    )
    size: int | None = opt(
        "Questions. Default: all through landmarks, otherwise 200.", "N", "-n", min=1
    )

    def check(self, lists: Lists, task: str) -> None:
        """Refuse options that contradict each other."""
        if self.goal is not None and not (self.adaptive and task == PAIR):
            raise InputError("--goal is for --task pair --adaptive; add them or leave it out.")
        if self.adaptive and (self.landmarks is not None or lists.participants is not None):
            raise InputError(
                "--adaptive goes with neither --landmarks nor --participants; choose one."
            )
        if self.given is not None and not self.adaptive:
            raise InputError("--given is read for --adaptive; add --adaptive or leave it out.")
        if self.features is not None and (not self.adaptive or task == PAIR):
            raise InputError("--features is read for --adaptive questions about a map; add it.")
        if lists.participants is None and (lists.catch or lists.repeats):
            raise InputError("--catch and --repeats are for lists; add --participants.")


@dataclass(frozen=True)
class Asked:
    """What people are asked."""

    task: AskedTask = opt("What people are asked.", default="triplet", callback=task_name)
    shown: int = opt("Objects to choose from in choose-k.", "N", default=8, min=2)
    choose: int = opt("Objects that are chosen in choose-k.", "K", default=2, min=1)

    def of(self, n_objects: int) -> Task:
        """Return the task, if there are enough objects for one question."""
        task = make_task(self.task, shown=self.shown, choose=self.choose)
        if n_objects < task.n_items:
            raise InputError(f"A question of {self.task!r} needs {task.n_items} objects.")
        return task


@dataclass(frozen=True)
class Simulation:
    """How many answers a study will need."""

    budget: bool = switch("Estimate how many answers a study needs.", panel="Budget")
    noise: float = opt(
        "Share of wrong answers to random questions in the simulation.",
        "SHARE",
        default=0.15,
        panel="Budget",
    )


def questions(
    *,
    objects: Path = arg("List of objects, one per line, or a table about them."),
    choice: Choice,
    lists: Lists,
    asked: Asked,
    simulation: Simulation,
    dim: MapDimension = 2,
    plot: Chart = None,
    seed: int = opt("The same seed gives the same questions.", "N", default=0, min=0),
    output: Path | None = table_opt("questions"),
    json: Json = False,
) -> None:
    """Choose questions about a list of objects, or estimate how many answers a study needs.

    Questions are random, or go through a few landmarks (what `ordinate
    cluster` needs), or the most informative ones given the answers so far.
    Participants get lists in which all objects occur equally often.

    Example: ordinate questions objects.txt --adaptive --given answers.csv -n 200 -o next.csv
    """
    names = _read_names(objects, fewest=2 if asked.task == PAIR else 3)
    if simulation.budget:
        if asked.task == PAIR:
            raise InputError("--budget simulates maps, and pairs make a scale; leave --task out.")
        check_outputs([objects], charts=[plot])
        _show_budget(len(names), dim, simulation.noise, seed, plot, json=json)
        return
    if plot:
        raise InputError("--plot draws the curve of --budget; add --budget or leave it out.")
    choice.check(lists, asked.task)
    check_outputs([objects, choice.given, choice.features], tables=[output])
    task = asked.of(len(names))
    sheet = _sheet(names, task, choice, lists, dim, seed)
    written = Written(unwritten={} if output else {"questions": sheet.columns})
    written.write_table(output, sheet.columns)
    written.show(sheet, json=json)


def _sheet(
    names: list[str], task: Task, choice: Choice, lists: Lists, dim: int, seed: int
) -> QuestionSheet:
    """Draw the questions that were asked for."""
    import numpy as np

    from ordinate.io.read import read_comparisons
    from ordinate.questions.sheet import USUAL_SIZE, adaptive_sheet, random_sheet

    if choice.adaptive and task.name == PAIR:
        return _adaptive_pairs(names, task, choice, seed)
    if choice.adaptive:
        given = None if choice.given is None else read_comparisons(choice.given, names=names)
        features = None
        if choice.features is not None:
            from ordinate.features.files import read_features_of

            features = read_features_of(choice.features, names)
        size = choice.size or USUAL_SIZE
        return adaptive_sheet(names, task, dim, size, given, seed, features)
    return random_sheet(
        names,
        task,
        choice.size,
        np.random.default_rng(seed),
        landmarks=choice.landmarks,
        design=choice.design,
        **vars(lists),
    )


def _adaptive_pairs(names: list[str], task: Task, choice: Choice, seed: int) -> QuestionSheet:
    """Choose pairs by the answers so far."""
    import numpy as np

    from ordinate.io.read import read_pairs
    from ordinate.questions.sheet import USUAL_SIZE, QuestionSheet
    from ordinate.scales.next_pairs import choose_pairs

    answers = None if choice.given is None else read_pairs(choice.given, names=names)
    counts = None if answers is None else answers.counts()
    goal, size = choice.goal or "scores", choice.size or USUAL_SIZE
    chosen = choose_pairs(counts, len(names), size, goal, random_state=seed)
    left, right = np.array(names, dtype=object)[chosen.pairs.T]
    pool = "random" if chosen.rule == "random" else "adaptive"
    columns = {"left": left, "right": right, "pool": np.full(len(left), pool, dtype=object)}
    said = f"{pool} (too few answers)" if pool == "random" else pool
    return QuestionSheet(task, len(names), columns, "adaptive", {said: len(left)})


def _show_budget(
    n_objects: int, dim: int, noise: float, seed: int, plot: Path | None, *, json: bool
) -> None:
    """Simulate studies, print the table, draw the curve."""
    from ordinate.plots._error_charts import plot_budget
    from ordinate.questions.budget import simulate_budget

    found = simulate_budget(n_objects, dim, wrong=noise, random_state=seed, verbose=True)
    written = Written()
    written.draw_chart(plot, lambda: plot_budget(found))
    written.show(found, json=json)


def _read_names(path: Path, fewest: int) -> list[str]:
    """Read the objects to ask about; each counts once."""
    from ordinate.verbs.answers import read_names

    names = read_names(path)
    if len(names) < fewest:
        raise InputError(
            f"{str(path)!r} has {len(names)} objects; expected {fewest} or more, each on its own"
            " line."
        )
    (name, times), *_ = Counter(names).most_common(1)
    if times > 1:
        raise InputError(f"{str(path)!r} has {name!r} {times} times; every object counts once.")
    return names
