"""Questions: what to ask next, by a rule and the answers so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import nan
from threading import Lock
from typing import Any, Self

import numpy as np

from ordinate._arrays import Floats
from ordinate._checks import (
    InputError,
    check_choice,
    check_integer,
    check_names,
    check_real,
)
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.record import Comparisons
from ordinate.questions.batch import Asked, QuestionBatch
from ordinate.questions.ledger import Ledger
from ordinate.questions.prepare import Fit, Prepared, Snapshot, prepare
from ordinate.questions.progress import Counts, Judgement, Progress, judge_progress
from ordinate.questions.rules import RULES
from ordinate.questions.state import pack, unpack
from ordinate.tasks import MAPPED, PAIR, Key, Task, make_task

_FIRST = 1
"""Comparisons per object before a map is fitted; until then questions are random and balanced."""
_NEW_SHARE = 0.02
"""New answers, as a share of those fitted, that make a new fit worth while."""
_QUEUE = 40
"""Questions that are prepared at least."""
_TRIES = 1000
_BALANCED_TRIES = 20
"""Ties among the objects used least that are broken again before any question is accepted."""
_VALIDATION_SHARE = 0.25


class Questions:
    """Choose which questions to ask, from the answers so far.

    Every batch has a share of random questions: an unbiased test set, and a safeguard where the
    model is wrong. The others are chosen by a rule. The default asks the batch whose answers tell
    most about the answers to all questions, out of fifteen random questions for each, by draws of
    maps from their posterior. Objects take turns as anchors. The draws have `n_components` and
    eight dimensions, in shares that depend on how well each predicts: people see more than a flat
    map shows. The map that is handed out has `n_components`.

    Parameters
    ----------
    objects : int or sequence of str
        How many objects there are, or their labels.
    n_components : int, default=2
        Dimension of the map.
    task : {"triplet", "odd_one_out", "choose_k", "pair_against_pair"}, default="triplet"
        What is asked.
    rule : {"posterior", "ckl", "random"}, default="posterior"
        How questions are chosen. "ckl" is for triplets.
    random_share : float, default=0.1
        Share of random questions.
    validation : int, default=0
        How many questions every participant gets.
    repeats : int, default=1
        How often a question is asked, of different participants.
    shown : int, default=8
        For "choose_k": how many objects to choose from.
    choose : int, default=2
        For "choose_k": how many to choose.
    given : Comparisons, optional
        Answers that are there already.
    features : array-like or data frame of shape (n_objects, n_features), optional
        Features of the objects, in their order or by label; a row of NaN for an object without.
        Objects with similar features are then thought to be similar, as far as answers agree
        (see `FeatureEmbedding`): the first question already knows something.
    random_state : int, Generator or None, default=None
        Seed; the same seed and answers give the same questions.

    See Also
    --------
    learning_curve : Whether more answers would help.
    ordinate.sources.answer_questions : Answers to questions, simulated.

    References
    ----------
    Tamuz, Liu, Belongie, Shamir & Kalai, Adaptively Learning the Crowd Kernel, ICML 2011.
    Chaloner & Verdinelli, Bayesian Experimental Design: A Review, Statistical Science 1995.
    Bickford Smith et al., Prediction-Oriented Bayesian Active Learning, AISTATS 2023.

    Examples
    --------
    >>> import ordinate as od
    >>> questions = od.Questions(["tea", "milk", "wine", "beer", "water"], random_state=0)
    >>> batch = questions.ask(12)
    >>> questions.tell(batch, ["left"] * 12)  # what people say
    >>> questions.ask(10)["pool"].count("adaptive")
    9
    """

    def __init__(
        self,
        objects: int | Iterable[object],
        n_components: int = 2,
        *,
        task: str = "triplet",
        rule: str = "posterior",
        random_share: float = 0.1,
        validation: int = 0,
        repeats: int = 1,
        shown: int = 8,
        choose: int = 2,
        given: Comparisons | None = None,
        features: Any = None,
        random_state: RandomState = None,
    ) -> None:
        if task == PAIR:
            raise InputError(
                "Questions draws a map; pairs for a scale are chosen by ordinate.next_pairs."
            )
        check_choice("task", task, MAPPED)
        self._task = make_task(task, shown=shown, choose=choose)
        self._names = _check_objects(objects, self._task)
        self._n_components = check_integer("n_components", n_components, minimum=1)
        self._rule = check_choice("rule", rule, RULES)
        if rule == "ckl" and task != "triplet":
            raise InputError(f"The rule {rule!r} is for triplets; the task is {task!r}.")
        self._random_share = check_real("random_share", random_share, minimum=0, maximum=1)
        self._repeats = check_integer("repeats", repeats, minimum=1)
        given = None if given is None else _matched(given, self._names, self._task)
        self._seed = int(as_generator(random_state).integers(2**63))
        self._ledger = Ledger(self._task, given)
        if features is not None:
            from ordinate.prior import rows_by_name

            features = rows_by_name(features, self._names, len(self._names))
        self._features: Floats | None = features
        self._fit: Fit | None = None
        self._queue: list[tuple[tuple[int, ...], float]] = []
        self._judged: list[Judgement] = []
        self._left_open: list[tuple[int, float]] = []
        self._lock, self._fitting = Lock(), Lock()
        rng = np.random.default_rng([self._seed, 2])
        n_validation = check_integer("validation", validation, minimum=0)
        self._validation: list[tuple[int, ...]] = []
        self._validation = self._draw_new(n_validation, "", set(), rng)

    @property
    def names(self) -> tuple[str, ...]:
        """Labels of the objects."""
        return self._names

    @property
    def columns(self) -> tuple[str, ...]:
        """What the objects of a question are called."""
        return self._task.columns

    @property
    def model_version(self) -> int:
        """Number of the last fit; 0 before the first."""
        return 0 if self._fit is None else self._fit.version

    @property
    def map(self) -> Floats | None:
        """Coordinates by the last fit, a row per object; None before the first."""
        return None if self._fit is None else self._fit.points

    def ask(self, n: int = 20, participant: object = None, *, wait: bool = True) -> QuestionBatch:
        """Return the next questions.

        Parameters
        ----------
        n : int, default=20
            How many.
        participant : object, optional
            Who is asked: nobody gets the same question twice, and everyone the validation
            questions, up to a quarter of each batch until they are through.
        wait : bool, default=True
            Whether to fit the answers first where new ones have come. A server passes False and
            calls `update` in a thread, or `install(prepare(snapshot()))` around a process: then
            questions come from what was prepared, at once, and are random where that is used up.

        Returns
        -------
        QuestionBatch
            A row per question.
        """
        n = check_integer("n", n, minimum=1)
        if wait and self._is_due(n):
            self.update(n)
        with self._lock:
            rows = self._serve(n, "" if participant is None else str(participant))
            return QuestionBatch(tuple(rows), self._task.columns, self._names)

    def tell(self, asked: object, answers: object, participant: object = None) -> None:
        """Record answers: in any order, late, only some, or several to one question.

        If one of them is wrong, none is recorded.

        Parameters
        ----------
        asked : QuestionBatch, int or sequence of int
            Which questions: what `ask` returned, a row of it, or ids of questions.
        answers : object or sequence
            For each of them the choice, from 0; or the label of the object or its column, such as
            "left"; for pairs "first" or "second"; for "choose_k" a sequence of choices. None for
            a question that was skipped.
        participant : object or sequence, optional
            Who answered; by default who was asked.
        """
        if isinstance(asked, (int, np.integer, Asked)):
            asked, answers = [asked], [answers]
        try:
            rows, given = list(asked), list(answers)  # type: ignore[call-overload]
        except TypeError:
            raise InputError(
                f"tell takes a batch and its answers, or an id and its answer; got {asked!r} and"
                f" {answers!r}."
            ) from None
        numbers = [row.id if isinstance(row, Asked) else row for row in rows]
        if len(given) != len(numbers):
            raise InputError(
                f"tell takes one answer per question; got {len(numbers)} questions and"
                f" {len(given)} answers."
            )
        people = _people(participant, len(numbers))
        with self._lock:
            told = [
                self._ledger.read(number, answer, who, self._names)
                for number, answer, who in zip(numbers, given, people, strict=True)
            ]
            for answer in told:
                self._judge(answer.id, answer.chosen)
                self._ledger.enter(answer)

    def update(self, n: int = 20) -> None:
        """Fit the answers so far and prepare questions; `ask` and `tell` go on meanwhile.

        Parameters
        ----------
        n : int, default=20
            How many questions are asked at a time.
        """
        n = check_integer("n", n, minimum=1)
        with self._fitting:
            snapshot = self.snapshot(n)
            if snapshot is not None:
                self.install(prepare(snapshot))

    def snapshot(self, n: int = 20) -> Snapshot | None:
        """Return all that the next fit depends on; `prepare` takes it, in any process.

        Parameters
        ----------
        n : int, default=20
            How many questions are asked at a time.

        Returns
        -------
        Snapshot or None
            None where there are too few answers.
        """
        with self._lock:
            too_few = self._ledger.n_comparisons < _FIRST * len(self._names)
            if too_few and self._features is None:
                return None
            names, fit, n_answered = self._names, self._fit, len(self._ledger.told)
            out, taken = self._ledger.items_out(), self._taken()
        version = 1 if fit is None else fit.version + 1
        return Snapshot(
            self._task,
            self._n_components,
            "random" if self._random_share == 1 else self._rule,
            self._ledger.comparisons(names, n_answered, may_be_none=True)[0],
            out,
            taken,
            max(2 * n, _QUEUE),
            (self._seed, 1, version),
            version,
            n_answered,
            fit,
            features=self._features,
        )

    def install(self, prepared: Prepared) -> None:
        """Take over what `prepare` found, unless a newer fit is there.

        Parameters
        ----------
        prepared : Prepared
            From a snapshot of these questions.
        """
        with self._lock:
            if prepared.fit.version > self.model_version:
                self._fit = prepared.fit
                self._left_open.append((prepared.fit.n_answers, prepared.fit.left_open))
                rows = map(tuple, prepared.items.tolist())
                self._queue = list(zip(rows, prepared.scores.tolist(), strict=True))

    def add_objects(self, objects: Iterable[object]) -> None:
        """Let new objects take part from now on.

        Parameters
        ----------
        objects : sequence of str
            Their labels.
        """
        with self._lock:
            before, self._names = self._names, check_names([*self._names, *objects])
            if self._features is not None:  # they have none
                n_new = len(self._names) - len(before)
                self._features = np.pad(
                    self._features, ((0, n_new), (0, 0)), constant_values=np.nan
                )
            self._queue = []  # it knows nothing of them

    def progress(self) -> Progress:
        """Say how good the map is, by answers to random questions only.

        The map of all answers so far is judged, whatever the rule: it is fitted again without a
        tenth of the random questions, ten times, and predicts their answers. The interval is wider
        the more these maps disagree, because mistakes then come together.

        Returns
        -------
        Progress
            Prints as a report: held-out accuracy with its interval, a learning curve, and
            whether to go on.
        """
        if self._fit is None or self._fit.n_answered < len(self._ledger.told):
            self.update()
        with self._lock:
            ledger = self._ledger
            skipped = len(ledger.told) - ledger.n_answered
            counts = Counts(len(ledger.asked), ledger.n_answered, skipped, ledger.n_out)
            answers, is_random = None, np.zeros(0, dtype=bool)
            if ledger.n_comparisons:
                answers, is_random = ledger.comparisons(self._names)
            judged, left_open = list(self._judged), list(self._left_open)
        return judge_progress(
            answers, is_random, self._n_components, judged, left_open, counts, self._features
        )

    def comparisons(self) -> Comparisons:
        """Return all answers as the record that every method takes.

        Returns
        -------
        Comparisons
            Those given at the start, then those told, with participant, trial and pool.
        """
        with self._lock:
            return self._ledger.comparisons(self._names)[0]

    def state(self) -> dict[str, Any]:
        """Return everything, as values that JSON can hold and `from_state` goes on from."""
        with self._lock:
            return pack(self)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Return questions as they were when `state` was called.

        Parameters
        ----------
        state : dict
            What `state` returned, perhaps through JSON.

        Returns
        -------
        Questions
            They go on as if nothing had happened.
        """
        return unpack(cls, state)

    def __repr__(self) -> str:
        return (
            f"Questions({len(self._names)} objects, {self._task.name}, rule {self._rule!r},"
            f" {len(self._ledger.asked)} asked, {self._ledger.n_answered} answered)"
        )

    def _is_due(self, n: int) -> bool:
        """Whether a new fit is worth while, or too few prepared questions are left."""
        if RULES[self._rule] is None or self._fit is None:
            return RULES[self._rule] is not None
        new = self._task.rows_per_answer * (len(self._ledger.told) - self._fit.n_answered)
        return (
            self._random_share < 1 and len(self._queue) < n
        ) or new > _NEW_SHARE * self._fit.n_answers

    def _serve(self, n: int, participant: str) -> list[Asked]:
        """Put together a batch of all pools, in random order and places."""
        start = len(self._ledger.asked)
        rng = np.random.default_rng([self._seed, 0, start])
        fixed = self._validation_due(n, participant)
        n_random = self._random_due(n - len(fixed))
        chosen = self._chosen(n - len(fixed) - n_random, participant)
        n_drawn = n - len(fixed) - len(chosen)
        taken = {self._ledger.key(row.items) for row in chosen + fixed}
        begins = self._fit is None and RULES[self._rule] is not None
        balanced = self._balanced(n_drawn, participant, taken, rng) if begins else []
        others = self._draw_new(n_drawn - len(balanced), participant, taken, rng)
        why = "too few answers" if self._fit is None else "none prepared"  # and not of the rule
        drawn = [
            Asked(0, items, "random", nan, "random", 0, "" if rank < n_random else why)
            for rank, items in enumerate([*balanced, *others])
        ]
        rows = [*fixed, *chosen, *drawn]
        places = self._task.shuffled(self._ledger.as_items(row.items for row in rows), rng)
        asked = [
            replace(rows[at], id=number, items=tuple(places[at].tolist()), participant=participant)
            for number, at in enumerate(rng.permutation(n), start)
        ]
        for row in asked:
            self._ledger.add(row)
        return asked

    def _taken(self) -> set[Key]:
        """Return the questions that a rule must not choose."""
        fixed = self._task.keys(self._ledger.as_items(self._validation))
        used_up = (key for key, times in self._ledger.times.items() if times >= self._repeats)
        return {*fixed, *used_up}

    def _validation_due(self, n: int, participant: str) -> list[Asked]:
        had = self._ledger.asked_of(participant)
        due = [items for items in self._validation if self._ledger.key(items) not in had]
        most = int(np.ceil(_VALIDATION_SHARE * n))
        return [Asked(0, items, "validation", nan, "fixed", 0) for items in due[:most]]

    def _random_due(self, n: int) -> int:
        """Return how many of the next questions are random, so that the share is kept."""
        if self._rule == "random":
            return n
        if RULES[self._rule] is not None and self._fit is None:
            return 0  # all of them will be
        due = round(self._random_share * (self._ledger.n_ruled + n)) - self._ledger.n_random
        return int(np.clip(due, 0, n))

    def _chosen(self, n: int, participant: str) -> list[Asked]:
        """Take questions of the rule that this participant has not had."""
        chosen: list[Asked] = []
        left = []
        had, times = self._ledger.asked_of(participant), self._ledger.times
        for items, score in self._queue:
            key = self._ledger.key(items)
            uses = times[key]
            if len(chosen) < n and uses < self._repeats and key not in had:
                chosen.append(Asked(0, items, "adaptive", score, self._rule, self.model_version))
                uses += 1
            if uses < self._repeats:
                left.append((items, score))
        self._queue = left
        return chosen

    def _balanced(
        self, n: int, participant: str, taken: set[Key], rng: np.random.Generator
    ) -> list[tuple[int, ...]]:
        """Draw questions about the objects used least, and add them to `taken`."""
        n_objects, n_references = len(self._names), int(self._task.has_reference)
        known = self._ledger.as_items(row.items for row in self._ledger.asked)
        as_reference = np.bincount(known[:, :n_references].ravel(), minlength=n_objects)
        as_other = np.bincount(known[:, n_references:].ravel(), minlength=n_objects)
        had, times = self._ledger.asked_of(participant), self._ledger.times
        taken.update(self._task.keys(self._ledger.as_items(self._validation)))
        rows: list[tuple[int, ...]] = []
        for _ in range(n):
            for _ in range(_BALANCED_TRIES):
                first = np.argsort(as_reference + rng.random(n_objects))[:n_references]
                others = np.argsort(as_other + rng.random(n_objects))
                others = others[~np.isin(others, first)][: self._task.n_shown]
                row = tuple(int(item) for item in (*first, *others))
                key = self._ledger.key(row)
                if key not in taken and key not in had and times[key] < self._repeats:
                    taken.add(key)
                    rows.append(row)
                    as_reference[first] += 1
                    as_other[others] += 1
                    break
        return rows

    def _draw_new(
        self,
        n: int,
        participant: str,
        taken: set[Key],
        rng: np.random.Generator,
    ) -> list[tuple[int, ...]]:
        """Draw questions that may still be asked."""
        had, times = self._ledger.asked_of(participant), self._ledger.times
        taken = taken | set(self._task.keys(self._ledger.as_items(self._validation)))
        rows: list[tuple[int, ...]] = []
        while len(rows) < n:
            items = self._task.draw(len(self._names), _TRIES, rng)
            before = len(rows)
            for row, key in zip(items.tolist(), self._task.keys(items), strict=True):
                if len(rows) == n:
                    break
                if key not in taken and key not in had and times[key] < self._repeats:
                    taken.add(key)
                    rows.append(tuple(row))
            if len(rows) == before:
                raise InputError(
                    f"All questions about {len(self._names)} objects have been asked; add objects"
                    f" or ask each of them more often than repeats={self._repeats}."
                )
        return rows

    def _judge(self, number: int, chosen: tuple[int, ...] | None) -> None:
        """Let the present map predict the first answer to a random question."""
        asked = self._ledger.asked[number]
        if self._fit is None or chosen is None or asked.pool != "random":
            return
        if self._ledger.was_answered(asked.items) or max(asked.items) >= len(self._fit.points):
            return
        margins = self._task.margins(self._ledger.as_items([asked.items]), self._fit.points[None])
        order = np.argsort(-np.append(margins[0, :, 0], 0.0), kind="stable").tolist()
        right = len(set(order[: self._task.n_select]) & set(chosen)) / self._task.n_select
        self._judged.append(Judgement(self._fit.n_answers, right))


def _check_objects(objects: int | Iterable[object], task: Task) -> tuple[str, ...]:
    """Return labels of enough objects for one question."""
    if isinstance(objects, str) or not isinstance(objects, (Iterable, int, np.integer)):
        raise InputError(f"objects must be labels or how many there are; got {objects!r}.")
    if isinstance(objects, (int, np.integer)):
        objects = range(check_integer("objects", objects, minimum=1))
    names = check_names(list(objects))
    if len(names) < task.n_items:
        raise InputError(
            f"A question of {task.name!r} needs {task.n_items} objects; got {len(names)}."
        )
    return names


def _matched(given: Comparisons, names: tuple[str, ...], task: Task) -> Comparisons:
    """Return answers with the objects numbered as in `names`."""
    kind = "quadruplet" if task.name == "pair_against_pair" else "triplet"
    if not isinstance(given, Comparisons) or given.kind != kind:
        raise InputError(f"given must be a Comparisons of {kind}s for {task.name!r}; got {given}.")
    if given.names is None:
        if given.n_objects > len(names):
            raise InputError(f"given has {given.n_objects} objects; there are only {len(names)}.")
        return given
    number = {name: position for position, name in enumerate(names)}
    unknown = [name for name in given.names if name not in number]
    if unknown:
        raise InputError(f"given has answers about {unknown[0]!r}, which is not among the objects.")
    numbers = np.array([number[name] for name in given.names], dtype=np.int32)
    return Comparisons._from_validated(
        numbers[given.rows], given.weights, given.groups, names, len(names)
    )


def _people(participant: object, n: int) -> Sequence[object]:
    """Return who gave each of n answers."""
    if participant is None or isinstance(participant, (str, int, np.integer)):
        return [participant] * n
    people: list[object] = list(participant)  # type: ignore[call-overload]
    if len(people) != n:
        raise InputError(
            f"participant must be one name, or one per answer; got {len(people)} for {n} answers."
        )
    return people
