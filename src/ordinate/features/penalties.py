"""How much features may say and how free objects are: chosen by held-out answers and objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from ordinate._arrays import Points
from ordinate._checks import InputError
from ordinate._threads import effective_n_jobs
from ordinate.comparisons.choices import Answers
from ordinate.comparisons.trials import Trials

Penalties: TypeAlias = tuple[float, float]
"""That of the map from features (`ridge`) and that of the free part (`penalty`)."""
Fit: TypeAlias = Callable[[Answers, Penalties], Points]
"""Places all objects by some of the answers."""
Judge: TypeAlias = Callable[[Answers, Points], tuple[float, float]]
"""The mean loss of answers at given coordinates, and the share of them that is wrong."""

_RIDGES = (0.01, 0.1, 1.0, 10.0, 30.0, 100.0)
_FREE = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
"""Penalties that are tried; in units of the map, whose coordinates are about 1."""
_SHARE_OF_OBJECTS = 0.25
"""What held-out objects count beside held-out answers."""
_FITTED = 200_000
"""Comparisons that are fitted for each pair of penalties; of more, fewer parts are held out."""


@dataclass(frozen=True)
class HeldOut:
    """What was held out: rows of answers, by answers or by whole objects."""

    rows: NDArray[np.bool_]
    is_objects: bool


@dataclass
class PenaltySearch:
    """Try penalties on answers that were held out."""

    answers: Answers
    held_out: Sequence[HeldOut]
    fit: Fit
    judge: Judge
    ridge: float | None = None
    penalty: float | None = None
    until_worse: bool = False
    """Whether to go from stiff to loose and stop where it gets worse: loose fits take longest."""
    n_jobs: int | None = 1
    advance: Callable[[], object] = lambda: None
    results: dict[Penalties, NDArray[np.float64]] = field(default_factory=dict)

    def best(self) -> Penalties:
        """Search features alone, objects alone and both together, and return the best.

        The mean loss of held-out answers counts four times that of held-out objects: when objects
        are held out, half of all answers go with them, and what is left favours stiffer maps.
        """
        ridges = _RIDGES if self.ridge is None else (self.ridge,)
        penalties = _FREE if self.penalty is None else (self.penalty,)
        self._try((ridge, np.inf if self.penalty is None else penalties[0]) for ridge in ridges)
        ridge = self._best_of(list(self.results))[0]
        if self.ridge is None:
            self._try((np.inf, penalty) for penalty in penalties if penalty < np.inf)
        self._try((ridge, penalty) for penalty in penalties)
        if self.ridge is None:
            penalty = self._best_of([pair for pair in self.results if pair[0] == ridge])[1]
            self._try((other, penalty) for other in (ridge / 10, ridge * 10))
        ridge, penalty = self._best_of(list(self.results))
        if self.penalty is None and penalty < np.inf:
            self._try((ridge, factor * penalty) for factor in (0.55, 1.8))
        if self.ridge is None and ridge < np.inf:
            penalty = self._best_of(list(self.results))[1]
            self._try((factor * ridge, penalty) for factor in (0.3, 3.0))
        return self._best_of(list(self.results))

    def _best_of(self, pairs: Sequence[Penalties]) -> Penalties:
        return min(pairs, key=self._cost)

    def _cost(self, pair: Penalties) -> float:
        losses = self.results[pair][:, 0]
        objects = self._of_objects
        unseen = float(losses[objects].mean()) if objects.any() else 0.0
        return float(losses[~objects].mean()) + _SHARE_OF_OBJECTS * unseen

    @property
    def _of_objects(self) -> NDArray[np.bool_]:
        return np.array([part.is_objects for part in self.held_out])

    def table(self) -> dict[str, NDArray[np.float64]]:
        """Return the results as columns, a row per pair."""
        pairs = np.array(list(self.results)).T
        figures = np.array(list(self.results.values()))
        objects = self._of_objects
        seen = figures[:, ~objects].mean(axis=1)
        unseen = figures[:, objects].mean(axis=1) if objects.any() else np.full_like(seen, np.nan)
        return {
            "ridge": pairs[0],
            "penalty": pairs[1],
            "answers_loss": seen[:, 0],
            "answers_error": seen[:, 1],
            "objects_loss": unseen[:, 0],
            "objects_error": unseen[:, 1],
        }

    def _try(self, pairs: Iterable[Penalties]) -> None:
        if not self.until_worse:
            self._judge_all(list(pairs))
            return
        lowest = np.inf
        for pair in sorted(pairs, reverse=True):
            self._judge_all([pair])
            if self._cost(pair) > lowest:
                return
            lowest = self._cost(pair)

    def _judge_all(self, pairs: Sequence[Penalties]) -> None:
        new = [pair for pair in pairs if pair not in self.results]
        workers = Parallel(n_jobs=effective_n_jobs(self.n_jobs), prefer="threads")
        found = workers(delayed(self._judge)(pair, part) for pair in new for part in self.held_out)
        figures = np.array(found).reshape(len(new), len(self.held_out), 2)
        self.results.update(zip(new, figures, strict=True))

    def _judge(self, pair: Penalties, part: HeldOut) -> tuple[float, float]:
        points = self.fit(self.answers[~part.rows], pair)
        self.advance()
        return self.judge(self.answers[part.rows], points)


N_TRIED = len(_RIDGES) + 2 * len(_FREE) + 6
"""Pairs of penalties that a search tries, at most."""


def parts_to_hold_out(
    answers: Answers, featured: NDArray[np.bool_], folds: int, rng: np.random.Generator
) -> list[HeldOut]:
    """Deal answers into folds, and objects with features into as many."""
    question = answers.question_groups()
    n_questions = int(question.max()) + 1
    answer_fold = (rng.permutation(n_questions) % folds)[question]
    object_fold = np.full(answers.n_objects, -1)
    object_fold[featured] = rng.permutation(int(featured.sum())) % folds
    n_comparisons = len(answers) * (2 if isinstance(answers, Trials) else 1)
    n_used = int(np.clip(_FITTED // n_comparisons, 1, folds))
    found = [HeldOut(answer_fold == number, False) for number in range(n_used)]
    rows = object_fold[answers.rows]
    found += [HeldOut((rows == number).any(axis=1), True) for number in range(n_used)]
    usable = [part for part in found if part.rows.any() and not part.rows.all()]
    if not any(not part.is_objects for part in usable):
        raise InputError(
            f"{n_questions} question{'s' * (n_questions != 1)} cannot be held out in {folds} parts"
            " to choose ridge and penalty; collect more answers, or give both."
        )
    return usable
