"""`ordinate.plan_questions`: what to ask about a list of objects, and how many answers it takes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import argument, parameter
from ordinate._checks import InputError, check_choice, check_integer
from ordinate.features.files import read_features_of
from ordinate.io.object_tables import read_names
from ordinate.io.tables import name_of
from ordinate.plots._error_charts import plot_budget
from ordinate.questions.budget import Budget, simulate_budget
from ordinate.questions.lists import balanced_questions, make_lists
from ordinate.questions.questions import Questions
from ordinate.results.finding import Finding
from ordinate.results.provenance import Provenance, provenance_of
from ordinate.results.result import Result
from ordinate.scales.next_pairs import choose_pairs
from ordinate.sources import choose_landmarks, landmark_questions
from ordinate.tasks import PAIR, TASKS, Items, Task, make_task
from ordinate.verbs.answers import read_answers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.comparisons.record import Comparisons
    from ordinate.io.coordinates import Columns

_USUAL_SIZE = 200
"""Questions, unless told otherwise."""
_LEAST = {"size": 1, "participants": 1, "per": 1, "catch": 0, "repeats": 0, "random_state": 0}
"""Smallest values of arguments that count something."""


@dataclass(frozen=True, eq=False)
class QuestionSheet(Result):
    """A table of questions and how they were drawn.

    Attributes
    ----------
    columns : dict of str to ndarray
        The questions, a row each.
    n_objects : int
        Objects that may be asked about.
    design : str
        How they were drawn: "random", "k1", "k2" or "adaptive".

    Examples
    --------
    >>> import ordinate as od
    >>> sheet = od.plan_questions(["tea", "milk", "wine", "beer"], size=5)
    >>> list(sheet.columns)
    ['anchor', 'left', 'right']
    """

    heading: ClassVar[str] = "Questions about"

    task: Task
    n_objects: int
    columns: dict[str, NDArray[Any]]
    design: str
    pools: dict[str, int] = field(default_factory=dict)
    n_participants: int | None = None
    n_possible: int | None = None
    landmarks: tuple[str, ...] = ()
    provenance: Provenance = field(default_factory=Provenance, repr=False)

    @property
    def n_questions(self) -> int:
        """How many there are."""
        return len(next(iter(self.columns.values())))

    def tables(self) -> dict[str, Columns]:
        """Return the questions."""
        return {"questions": self.columns}

    def figures(self) -> dict[str, Callable[[], Axes]]:
        """Return nothing: a list of questions has no picture."""
        return {}

    def findings(self) -> Iterator[Finding]:
        """Yield how many questions there are, and what is to be done with them."""
        of = "" if self.n_possible is None else f" of {self.n_possible:,}"
        about = f"{self.n_questions:,}{of} questions about {self.n_objects:,} objects"
        if self.n_participants is not None:
            about += f" for {self.n_participants:,} participants"
        if self.landmarks:
            about += f"; landmarks: {', '.join(self.landmarks)}"
        elif self.pools:
            about += "; " + ", ".join(f"{count:,} {pool}" for pool, count in self.pools.items())
        yield Finding("n_questions", self.n_questions, f"{about}.")
        reader = "ordinate rank" if self.task.name == PAIR else "Every command"
        asked = (
            f'Ask "{self.task.ask}" and add a column "answer" with {self.task.answer}. {reader}'
            " then reads the table."
        )
        yield Finding("task", self.task.name, asked)
        if "catch" in self.pools:
            text = "Leave out the catch questions there: --exclude pool=catch."
            yield Finding("catch", text=text, kind="advice")
        for name in ("n_objects", "n_participants", "design", "pools", "n_possible"):
            yield Finding(name, getattr(self, name))
        yield Finding("landmarks", list(self.landmarks))


@dataclass(frozen=True, eq=False)
class StudyBudget(Result):
    """How many answers a study will need, by simulation.

    Attributes
    ----------
    budget : object
        The error of the map by the number of answers, for each way of choosing questions.

    Examples
    --------
    >>> import ordinate as od
    >>> found = od.plan_questions(["tea", "milk", "wine", "beer", "soup"], budget=True)
    >>> list(found.tables()["errors"])
    ['answers', 'random', 'posterior']
    """

    heading: ClassVar[str] = "Answers needed for"

    budget: Budget
    provenance: Provenance = field(default_factory=Provenance, repr=False)

    def tables(self) -> dict[str, Columns]:
        """Return the error of the map by the number of answers."""
        curves = self.budget.curves
        columns = {"answers": np.array(curves[0].n_answers)}
        return {"errors": columns | {curve.rule: np.array(curve.error) for curve in curves}}

    def printed(self) -> list[str]:
        """Return nothing: the sentences hold a table."""
        return []

    def figures(self) -> dict[str, Callable[[], Axes]]:
        """Return what draws the curves."""
        return {"budget": lambda: plot_budget(self.budget)}

    def findings(self) -> Iterator[Finding]:
        """Yield the answers needed for several errors."""
        figures = self.budget.to_dict()
        headline, _, table = str(self.budget).partition("\n")
        yield Finding("needed", figures.pop("needed"), headline)
        yield Finding("curves", figures.pop("curves"), table, section="data")
        for key, value in figures.items():
            yield Finding(key, value)


def plan_questions(
    source: str | os.PathLike[str] | Sequence[object],
    *,
    task: str = "triplet",
    shown: int = 8,
    choose: int = 2,
    size: int | None = None,
    landmarks: int | None = None,
    design: str = "k1",
    adaptive: bool = False,
    given: str | os.PathLike[str] | Any = None,
    features: str | os.PathLike[str] | Any = None,
    goal: str | None = None,
    participants: int | None = None,
    per: int = 100,
    catch: int = 0,
    repeats: int = 0,
    budget: bool = False,
    noise: float = 0.15,
    n_components: int = 2,
    random_state: int = 0,
    verbose: bool = False,
) -> QuestionSheet | StudyBudget:
    """Choose questions about a list of objects, or estimate how many answers a study needs.

    Questions are random, or go through a few landmarks (what `cluster` needs), or the most
    informative ones given the answers so far. Participants get lists in which all objects occur
    equally often.

    Parameters
    ----------
    source : path or sequence of str
        List of objects, one per line, or a table about them.
    task : {"triplet", "odd_one_out", "choose_k", "pair_against_pair", "pair"}, default="triplet"
        What people are asked.
    shown : int, default=8
        Objects to choose from in choose-k.
    choose : int, default=2
        Objects that are chosen in choose-k.
    size : int, optional
        Number of questions; by default all through landmarks, otherwise 200.
    landmarks : int, optional
        Ask only questions that go through so many landmarks.
    design : {"k1", "k2"}, default="k1"
        k1 compares every object with pairs of landmarks; k2 lets landmarks compare every object
        with another landmark.
    adaptive : bool, default=False
        Choose the most informative questions after the answers so far; 10 % are random.
    given : path, frame or record, optional
        Answers so far, for adaptive questions.
    features : path or array, optional
        Features of the objects, for adaptive questions: what they tell need not be asked.
    goal : {"scores", "top"}, optional
        For adaptive pairs: precise scores of all, or which item is best; by default scores.
    participants : int, optional
        Make a list for each of so many participants.
    per : int, default=100
        Questions per participant.
    catch : int, default=0
        Additional catch questions: an object is shown twice, so the answer is obvious.
    repeats : int, default=0
        Questions repeated later with their sides swapped.
    budget : bool, default=False
        Estimate how many answers a study needs.
    noise : float, default=0.15
        Share of wrong answers to random questions in the simulation.
    n_components : int, default=2
        Dimension of the map.
    random_state : int, default=0
        The same seed gives the same questions.
    verbose : bool, default=False
        Show progress of a simulation.

    Returns
    -------
    QuestionSheet or StudyBudget
        Print it, `save` the questions as a table, or draw the curve of a budget.

    See Also
    --------
    Questions : Asks and tells, one answer at a time.
    next_pairs : The next pairs to compare.

    Examples
    --------
    >>> import ordinate as od
    >>> print(od.plan_questions(["tea", "milk", "wine", "beer"], size=3))
    3 questions about 4 objects.
    Ask "is the anchor more like left or more like right?" and add a column "answer" with ...
    """
    asked = locals()
    check_choice("task", task, TASKS)
    for name, least in _LEAST.items():
        if asked[name] is not None:
            check_integer(parameter(name), asked[name], minimum=least)
    names = _named(source, fewest=2 if task == PAIR else 3)
    if budget:
        if task == PAIR:
            raise InputError(
                f"{parameter('budget')} simulates maps, and pairs make a scale; leave"
                f" {parameter('task')} out."
            )
        found = simulate_budget(
            len(names), n_components, wrong=noise, random_state=random_state, verbose=verbose
        )
        return StudyBudget(found, provenance_of(plan_questions, asked))
    _refuse_together(asked)
    made = make_task(task, shown=shown, choose=choose)
    if len(names) < made.n_items:
        raise InputError(f"A question of {task!r} needs {made.n_items} objects.")
    if adaptive and task == PAIR:
        sheet = _adaptive_pairs(names, made, size or _USUAL_SIZE, given, goal, random_state)
    elif adaptive:
        sheet = _adaptive(
            names, made, n_components, size or _USUAL_SIZE, given, features, random_state
        )
    else:
        lists: Any = {
            "participants": participants, "per": per, "catch": catch, "repeats": repeats,
        }  # fmt: skip
        rng = np.random.default_rng(random_state)
        sheet = _random(names, made, size, rng, landmarks=landmarks, design=design, **lists)
    return replace(sheet, provenance=provenance_of(plan_questions, asked))


def _refuse_together(asked: Mapping[str, Any]) -> None:
    """Refuse arguments that contradict each other."""
    adaptive, task = asked["adaptive"], asked["task"]
    pairs = f"{argument('task', PAIR)} {parameter('adaptive')}"
    if asked["goal"] is not None and not (adaptive and task == PAIR):
        raise InputError(f"{parameter('goal')} is for {pairs}; add them or leave it out.")
    if adaptive and (asked["landmarks"] is not None or asked["participants"] is not None):
        raise InputError(
            f"{parameter('adaptive')} goes with neither {parameter('landmarks')} nor"
            f" {parameter('participants')}; choose one."
        )
    if asked["given"] is not None and not adaptive:
        raise InputError(
            f"{parameter('given')} is read for {parameter('adaptive')}; add that or leave it out."
        )
    if asked["features"] is not None and (not adaptive or task == PAIR):
        raise InputError(
            f"{parameter('features')} is read for {parameter('adaptive')} questions about a map;"
            " add that."
        )
    if asked["participants"] is None and (asked["catch"] or asked["repeats"]):
        raise InputError(
            f"{parameter('catch')} and {parameter('repeats')} are for lists; add"
            f" {parameter('participants')}."
        )


def _named(source: Any, fewest: int) -> list[str]:
    """Read the objects to ask about; each counts once."""
    names, called = read_names(source), repr(name_of(source, "The list"))
    if len(names) < fewest:
        raise InputError(
            f"{called} has {len(names)} objects; expected {fewest} or more, each on its own line."
        )
    (name, times), *_ = Counter(names).most_common(1)
    if times > 1:
        raise InputError(f"{called} has {name!r} {times} times; every object counts once.")
    return names


def _adaptive_pairs(
    names: list[str], task: Task, size: int, given: Any, goal: str | None, seed: int
) -> QuestionSheet:
    """Choose pairs by the answers so far."""
    answers = None if given is None else read_answers(given, None, {"names": names}, pairs=True)[0]
    counts = None if answers is None else answers.counts()
    chosen = choose_pairs(counts, len(names), size, goal or "scores", random_state=seed)
    left, right = np.array(names, dtype=object)[chosen.pairs.T]
    pool = "random" if chosen.rule == "random" else "adaptive"
    columns = {"left": left, "right": right, "pool": np.full(len(left), pool, dtype=object)}
    said = f"{pool} (too few answers)" if pool == "random" else pool
    return QuestionSheet(task, len(names), columns, "adaptive", {said: len(left)})


def _adaptive(
    names: list[str],
    task: Task,
    dim: int,
    size: int,
    given: Any,
    features: Any,
    seed: int,
) -> QuestionSheet:
    """Choose the most informative questions after the answers given so far."""
    answers: Comparisons | None = None
    if given is not None:
        answers = read_answers(given, None, {"names": names}, check=False)[0]
    batch = Questions(
        names,
        dim,
        task=task.name,
        shown=task.n_choices,
        choose=task.n_select,
        given=answers,
        features=None if features is None else read_features_of(features, names),
        random_state=seed,
    ).ask(size)
    table = batch.to_dict()
    kinds = zip(table["pool"], table["fallback"], strict=True)
    pools = Counter(f"{pool} ({why})" if why else pool for pool, why in kinds)
    scores = ["" if score != score else f"{score:.4g}" for score in table["score"]]
    columns = {name: np.array(column) for name, column in (table | {"score": scores}).items()}
    return QuestionSheet(task, len(names), columns, "adaptive", dict(pools))


def _random(
    names: Sequence[str],
    task: Task,
    size: int | None,
    rng: np.random.Generator,
    *,
    landmarks: int | None = None,
    design: str = "k1",
    participants: int | None = None,
    per: int = 100,
    catch: int = 0,
    repeats: int = 0,
) -> QuestionSheet:
    """Draw questions that depend on no answers, as one list or as one for each participant."""
    through: tuple[str, ...] = ()
    possible: Items | None = None
    if landmarks is not None:
        possible, through = _through_landmarks(names, task, landmarks, design, rng)
    if participants is not None:
        controls = {"n_catch": catch, "n_repeats": repeats}
        columns = make_lists(task, names, participants, per, rng, design=possible, **controls)
        if not catch:
            del columns["expected"]
    else:
        rows = _rows(task, len(names), possible, size, rng)
        columns = dict(zip(task.columns, np.array(names, dtype=object)[rows.T], strict=True))
    return QuestionSheet(
        task,
        len(names),
        columns,
        "random" if possible is None else design,
        dict(Counter(columns["pool"].tolist())) if "pool" in columns else {},
        participants,
        None if possible is None or participants else len(possible),
        through,
    )


def _through_landmarks(
    names: Sequence[str], task: Task, landmarks: int, design: str, rng: np.random.Generator
) -> tuple[Items, tuple[str, ...]]:
    if task.name != "triplet":
        landmarked, asked = parameter("landmarks"), argument("task", task.name)
        raise InputError(f"{landmarked} is for triplets; leave it or {asked} out.")
    check_integer(parameter("landmarks"), landmarks, minimum=2, maximum=len(names))
    chosen = choose_landmarks(landmarks, n_objects=len(names), random_state=rng)
    possible = landmark_questions(len(names), chosen, design=design)
    return possible, tuple(names[number] for number in chosen)


def _rows(
    task: Task, n_objects: int, possible: Items | None, size: int | None, rng: np.random.Generator
) -> Items:
    """Return one list of questions, in random order and places."""
    if possible is None:
        size = size or min(_USUAL_SIZE, task.n_possible(n_objects))
        return task.shuffled(balanced_questions(task, n_objects, 1, size, rng), rng)
    check_integer(parameter("size"), size or len(possible), minimum=1, maximum=len(possible))
    return task.shuffled(rng.permutation(possible)[:size], rng)
