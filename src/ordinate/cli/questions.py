"""`ordinate questions`: what to ask about a list of objects, and how many answers it will take."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ordinate._checks import InputError, check_integer
from ordinate.cli._options import AskedTask, Json, MapDimension, read_names, task_name
from ordinate.cli._results import Chart, Written, check_outputs, print_report, table_opt
from ordinate.cli._typer import arg, opt, switch
from ordinate.tasks import PAIR, Task, make_task

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ordinate.tasks import Items

    Drawn = tuple[dict[str, NDArray[Any]], dict[str, Any]]
    """The table of questions, and figures of how they were drawn."""

Goal = Literal["scores", "top"]
Design = Literal["k1", "k2"]


@dataclass(frozen=True)
class QuestionsReport:
    """How many questions there are, and what is to be done with them."""

    n_objects: int
    task: str
    n_questions: int
    n_participants: int | None
    seed: int
    files: tuple[Path, ...]
    design: str
    pools: dict[str, int]
    n_possible: int | None = None
    landmarks: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values."""
        return asdict(self) | {"files": [str(path) for path in self.files]}

    def __str__(self) -> str:
        """Say how many questions there are, and how to go on."""
        of = "" if self.n_possible is None else f" of {self.n_possible:,}"
        about = f"{self.n_questions:,}{of} questions about {self.n_objects:,} objects"
        if self.n_participants is not None:
            about += f" for {self.n_participants:,} participants"
        if self.landmarks:
            about += f"; landmarks: {', '.join(self.landmarks)}"
        elif self.pools:
            about += "; " + ", ".join(f"{count:,} {pool}" for pool, count in self.pools.items())
        task = make_task(self.task)
        reader = "ordinate rank" if self.task == PAIR else "Every command"
        lines = [
            f"{about}.",
            f'Ask "{task.ask}" and add a column "answer" with {task.answer}. {reader} then reads'
            " the table.",
        ]
        if "catch" in self.pools:
            lines.append("Leave out the catch questions there: --exclude pool=catch.")
        return "\n".join([*lines, *(f"Wrote {path}" for path in self.files)])


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
        "Choose the most informative questions after the answers of --given; 15 % are random."
    )
    given: Path | None = opt("Answers so far, for --adaptive.", "FILE")
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
    from ordinate.io.coordinates import write_table

    check_outputs([objects, choice.given], tables=[output])
    task = asked.of(len(names))
    if choice.adaptive and task.name == PAIR:
        columns, figures = _adaptive_pairs(names, choice, seed)
    elif choice.adaptive:
        columns, figures = _adaptive(names, task, choice, dim, seed)
    else:
        columns, figures = _designed(names, task, choice, lists, seed)
    report = QuestionsReport(
        n_objects=len(names),
        task=task.name,
        n_questions=len(next(iter(columns.values()))),
        n_participants=lists.participants,
        seed=seed,
        files=(output,) if output else (),
        **figures,
    )
    if output:
        write_table(output, columns)
    print_report(report, {} if output else {"questions": columns}, json=json)


def _adaptive(names: list[str], task: Task, choice: Choice, dim: int, seed: int) -> Drawn:
    """Choose questions by the answers so far."""
    import numpy as np

    from ordinate.io.logs import read_comparisons
    from ordinate.questions.questions import Questions

    answers = None if choice.given is None else read_comparisons(choice.given, names=names)
    batch = Questions(
        names,
        dim,
        task=task.name,
        shown=task.n_choices,
        choose=task.n_select,
        given=answers,
        random_state=seed,
    ).ask(choice.size or 200)
    table = batch.to_dict()
    kinds = zip(table["pool"], table["fallback"], strict=True)
    pools = Counter(f"{pool} ({why})" if why else pool for pool, why in kinds)
    scores = ["" if score != score else f"{score:.4g}" for score in table["score"]]
    columns = {name: np.array(column) for name, column in (table | {"score": scores}).items()}
    return columns, {"design": "adaptive", "pools": dict(pools)}


def _adaptive_pairs(names: list[str], choice: Choice, seed: int) -> Drawn:
    """Choose pairs by the answers so far."""
    import numpy as np

    from ordinate.scales.files import read_pairs
    from ordinate.scales.next_pairs import choose_pairs

    answers = None if choice.given is None else read_pairs(choice.given, names=names)
    counts = None if answers is None else answers.counts()
    goal = choice.goal or "scores"
    chosen = choose_pairs(counts, len(names), choice.size or 200, goal, random_state=seed)
    left, right = np.array(names, dtype=object)[chosen.pairs.T]
    pool = "random" if chosen.rule == "random" else "adaptive"
    pools = np.array([pool] * len(left), dtype=object)
    said = f"{pool} (too few answers)" if pool == "random" else pool
    figures = {"design": "adaptive", "pools": {said: len(left)}}
    return {"left": left, "right": right, "pool": pools}, figures


def _designed(names: list[str], task: Task, choice: Choice, lists: Lists, seed: int) -> Drawn:
    """Draw questions that do not depend on answers."""
    import numpy as np

    from ordinate.questions.lists import make_lists

    rng = np.random.default_rng(seed)
    through: tuple[str, ...] = ()
    possible: Items | None = None
    if choice.landmarks is not None:
        possible, through = _through_landmarks(names, task, choice.landmarks, choice.design, rng)
    if lists.participants is not None:
        columns = make_lists(
            task,
            names,
            lists.participants,
            lists.per,
            rng,
            design=possible,
            n_catch=lists.catch,
            n_repeats=lists.repeats,
        )
        if not lists.catch:
            del columns["expected"]
    else:
        rows = _rows(task, len(names), possible, choice.size, rng)
        columns = dict(zip(task.columns, np.array(names, dtype=object)[rows.T], strict=True))
    return columns, {
        "design": "random" if possible is None else choice.design,
        "pools": dict(Counter(columns["pool"].tolist())) if "pool" in columns else {},
        "n_possible": None if possible is None or lists.participants else len(possible),
        "landmarks": through,
    }


def _through_landmarks(
    names: list[str], task: Task, landmarks: int, design: Design, rng: np.random.Generator
) -> tuple[Items, tuple[str, ...]]:
    from ordinate.sources import choose_landmarks, landmark_questions

    if task.name != "triplet":
        raise InputError("--landmarks is for triplets; leave it or --task out.")
    check_integer("--landmarks", landmarks, minimum=2, maximum=len(names))
    chosen = choose_landmarks(landmarks, n_objects=len(names), random_state=rng)
    possible = landmark_questions(len(names), chosen, design=design)
    return possible, tuple(names[number] for number in chosen)


def _rows(
    task: Task, n_objects: int, possible: Items | None, size: int | None, rng: np.random.Generator
) -> Items:
    """Return one list of questions, in random order and places."""
    if possible is None:
        from ordinate.questions.lists import balanced_questions

        size = size or min(200, task.n_possible(n_objects))
        return task.shuffled(balanced_questions(task, n_objects, 1, size, rng), rng)
    check_integer("--size", size or len(possible), minimum=1, maximum=len(possible))
    return task.shuffled(rng.permutation(possible)[:size], rng)


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
