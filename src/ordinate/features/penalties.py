"""How much features may say and how free objects are: chosen by held-out answers and objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from ordinate._arrays import Points
from ordinate._checks import InputError
from ordinate._threads import effective_n_jobs
from ordinate.comparisons.choices import Answers
from ordinate.comparisons.trials import Trials


class Form(NamedTuple):
    """What is done to features before answers are looked at."""

    standardised: bool
    """Whether each feature is divided by its own standard deviation, or all by one number."""
    kept: bool
    """Whether features stand beside the map, or are only what it is made from."""


class Candidate(NamedTuple):
    """How far answers may change what features say, and in which form these are."""

    ridge: float
    """Penalty of the map from features; ∞ for their principal axes, or themselves, as they are."""
    penalty: float
    """Penalty of the free part; ∞ for features alone."""
    standardised: bool
    kept: bool

    @property
    def form(self) -> Form:
        """The form of the features."""
        return Form(self.standardised, self.kept)


AS_GIVEN = Candidate(np.inf, np.inf, standardised=False, kept=True)
"""Distances between the features, which answers do not change."""
Fit: TypeAlias = Callable[[Answers, Candidate], Points]
"""Places all objects by some of the answers."""
Judge: TypeAlias = Callable[[Answers, Points], NDArray[np.float64]]
"""The share of answers that is wrong at given coordinates, and their mean loss at `SIZES`."""

SIZES = 2.0 ** np.arange(-4, 4)
"""By what a map is multiplied before it is judged: a good one may be too sure of itself."""
_RIDGES = (0.01, 0.1, 1.0, 10.0, 30.0, 100.0, np.inf)
_FREE = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, np.inf)
"""Penalties that are tried; in units of the map, whose coordinates are about 1."""
_SHARE_OF_OBJECTS = 0.25
"""What held-out objects count beside held-out answers."""
_FITTED = 200_000
"""Comparisons that are fitted for each candidate; of more, fewer parts are held out."""


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
    forms: Sequence[Form] = (Form(True, False),)
    until_worse: bool = False
    """Whether fits take so long that few are tried: from stiff to loose, until it gets worse."""
    n_jobs: int | None = 1
    advance: Callable[[], object] = lambda: None
    results: dict[Candidate, NDArray[np.float64]] = field(default_factory=dict)

    def try_features(self) -> float:
        """Try features alone, and return what the best of them costs."""
        for form in self.forms:
            self._try(Candidate(ridge, self._penalties[-1], *form) for ridge in self._ridges)
        return self._cost(self._best_of(self.results))

    def best(self) -> Candidate:
        """Search features alone, objects alone and both together, and return the best.

        The mean loss of held-out answers counts four times that of held-out objects: when objects
        are held out, half of all answers go with them, and what is left favours stiffer maps.
        """
        self.try_features()
        for kept in {form.kept for form in self.forms}:
            best = self._best_of(one for one in self.results if one.kept == kept)
            for ridge in {best.ridge} if self.until_worse else {best.ridge, self._ridges[-1]}:
                self._try(best._replace(ridge=ridge, penalty=free) for free in self._penalties)
        for factor in (3.0, 3.0) if self.until_worse else (10.0, 3.0):
            best = self._best_of(self.results)
            if self.ridge is None and best.ridge < np.inf:
                self._try(best._replace(ridge=best.ridge * by) for by in (1 / factor, factor))
            best = self._best_of(self.results)
            if self.penalty is None and best.penalty < np.inf and factor < 10:
                self._try(best._replace(penalty=best.penalty * by) for by in (0.55, 1.8))
        return self._unless_as_good(self._best_of(self.results))

    def _unless_as_good(self, best: Candidate) -> Candidate:
        """Return the best, or the features as given unless it is better by a standard error."""
        if not np.isfinite(self.results.get(AS_GIVEN, np.inf)).all():  # all in one place
            return best
        known = ~self._of_objects
        given, found = (self.results[one][known, 1:] for one in (AS_GIVEN, best))
        gains = given[:, given.mean(axis=0).argmin()] - found[:, found.mean(axis=0).argmin()]
        error = gains.std(ddof=1) / len(gains) ** 0.5 if len(gains) > 1 else 0.0
        return best if gains.mean() > error else AS_GIVEN

    @property
    def n_tried(self) -> int:
        """How many candidates are tried, at most."""
        n_kept = len({form.kept for form in self.forms})
        return len(self.forms) * len(self._ridges) + 2 * n_kept * len(self._penalties) + 6

    @property
    def n_held_out(self) -> int:
        """How many answers about known objects are held out."""
        return sum(int(part.rows.sum()) for part in self.held_out if not part.is_objects)

    def error(self, candidate: Candidate) -> float:
        """Return the share of held-out answers about known objects that is wrong."""
        return float(self.results[candidate][~self._of_objects, 0].mean())

    def error_at(self, points: Points) -> float:
        """Return the same share for coordinates that are not fitted."""
        rows = (part.rows for part in self.held_out if not part.is_objects)
        return float(np.mean([self.judge(self.answers[held], points)[0] for held in rows]))

    @property
    def _ridges(self) -> Sequence[float]:
        return _RIDGES if self.ridge is None else (self.ridge,)

    @property
    def _penalties(self) -> Sequence[float]:
        return _FREE if self.penalty is None else (self.penalty,)

    def _best_of(self, candidates: Iterable[Candidate]) -> Candidate:
        return min(candidates, key=self._cost)

    def _cost(self, candidate: Candidate) -> float:
        return float((self._means(candidate)[1:]).min())

    def _means(self, candidate: Candidate) -> NDArray[np.float64]:
        """Return what held-out answers and objects cost together."""
        found, objects = self.results[candidate], self._of_objects
        seen: NDArray[np.float64] = found[~objects].mean(axis=0)
        if not objects.any():
            return seen
        return np.asarray(seen + _SHARE_OF_OBJECTS * found[objects].mean(axis=0))

    @property
    def _of_objects(self) -> NDArray[np.bool_]:
        return np.array([part.is_objects for part in self.held_out])

    def table(self) -> dict[str, NDArray[Any]]:
        """Return the results as columns, a row per candidate."""
        columns = zip(*self.results, strict=True)
        found = dict(zip(Candidate._fields, map(np.array, columns), strict=True))
        figures = np.array(list(self.results.values()))
        objects = self._of_objects
        for name, part in (("answers", ~objects), ("objects", objects)):
            mean = (
                figures[:, part].mean(axis=1) if part.any() else np.full_like(figures[:, 0], np.nan)
            )
            found |= {f"{name}_loss": mean[:, 1:].min(axis=1), f"{name}_error": mean[:, 0]}
        return found

    def _try(self, candidates: Iterable[Candidate]) -> None:
        if not self.until_worse:
            self._judge_all(list(candidates))
            return
        lowest = np.inf
        for candidate in sorted(candidates, reverse=True):
            self._judge_all([candidate])
            if self._cost(candidate) > lowest:
                return
            lowest = self._cost(candidate)

    def _judge_all(self, candidates: Sequence[Candidate]) -> None:
        new = [candidate for candidate in candidates if candidate not in self.results]
        if not new:
            return
        workers = Parallel(n_jobs=effective_n_jobs(self.n_jobs), prefer="threads")
        found = workers(delayed(self._judge)(one, part) for one in new for part in self.held_out)
        figures = np.array(found).reshape(len(new), len(self.held_out), -1)
        self.results.update(zip(new, figures, strict=True))

    def _judge(self, candidate: Candidate, part: HeldOut) -> NDArray[np.float64]:
        points = self.fit(self.answers[~part.rows], candidate)
        self.advance()
        return self.judge(self.answers[part.rows], points)


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
