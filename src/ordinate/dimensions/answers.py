"""Answers that dimensions explain: odd-one-out trials, triplets, and objects chosen among several.

Each kind says the same of itself: what it costs, which answers share a question, how well loadings
predict it. A fit and the search for its penalty need no more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.special import logsumexp

from ordinate._arrays import Floats
from ordinate._checks import InputError
from ordinate.comparisons.choices import share_right
from ordinate.comparisons.grouped_rows import numbered
from ordinate.comparisons.inputs import as_comparisons, in_memory
from ordinate.comparisons.record import Comparisons
from ordinate.comparisons.trials import Trials
from ordinate.dimensions.objective import (
    ChoiceObjective,
    Loadings,
    TrialObjective,
    log_chances,
)
from ordinate.engine.choices import alike
from ordinate.engine.objective import resolve_device

PAIRS = np.array([(0, 1), (0, 2), (1, 2)])
"""Columns of the pairs of a trial, the one that was kept together first."""
_MOST_CHOSEN = 10
"""Objects that may be chosen at once without an order: all their subsets are summed over."""


@dataclass(frozen=True)
class Answers:
    """What a fit asks of answers."""

    rows: NDArray[np.int32]
    """Objects of each answer, -1 where there is none."""
    weights: NDArray[np.float64] | None
    n_objects: int
    people: NDArray[np.intp] | None
    """Number of the participant who gave each answer, if that is known."""

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, mask: NDArray[np.bool_]) -> Self:
        parts: dict[str, Any] = dict(vars(self))
        arrays = {name: part for name, part in parts.items() if isinstance(part, np.ndarray)}
        return type(self)(**(parts | {name: array[mask] for name, array in arrays.items()}))

    @property
    def kind(self) -> str:
        """What they are called, in the plural."""
        raise NotImplementedError

    @property
    def chance(self) -> float:
        """How much of them guessing predicts."""
        raise NotImplementedError

    def questions(self) -> NDArray[np.intp]:
        """Return a number for each answer, the same where the same objects were shown."""
        raise NotImplementedError

    def objective(self, device: str, n_threads: int) -> Any:
        """Return minus the log of the probability of all answers, a function of the loadings."""
        raise NotImplementedError

    def similarities(self, loadings: Loadings) -> NDArray[np.float64]:
        """Return how similar the objects of each option are, those chosen first."""
        raise NotImplementedError

    def losses(self, similar: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return minus the log of the probability of each answer, given similarities."""
        raise NotImplementedError

    def right(self, similar: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how much of each answer is predicted, 0 to 1; of a tie its share."""
        raise NotImplementedError

    def predicted_pairs(self, loadings: Loadings) -> NDArray[np.int32]:
        """Return for each answer the two objects that are predicted to go together."""
        raise NotImplementedError

    def reward(self) -> csr_array:
        """Return A, where answers reward a weak dimension x by x' A x."""
        raise NotImplementedError


@dataclass(frozen=True)
class TrialAnswers(Answers):
    """Odd-one-out trials; or triplets, where only pairs with the anchor could be chosen.

    A row holds two objects kept together and the odd one; or the anchor, the nearer one, the other.
    """

    has_anchor: bool

    @property
    def kind(self) -> str:
        """What they are called, in the plural."""
        return "triplets" if self.has_anchor else "odd-one-out trials"

    @property
    def chance(self) -> float:
        """How much of them guessing predicts."""
        return 1 / len(self._pairs)

    @property
    def _pairs(self) -> NDArray[np.intp]:
        """Columns of the pairs to choose from, the one that was chosen first."""
        return PAIRS[: 2 if self.has_anchor else 3]

    def questions(self) -> NDArray[np.intp]:
        """Return a number for each answer, the same where the same objects were shown."""
        return numbered(*np.sort(self.rows, axis=1).T.astype(np.int64))

    def objective(self, device: str, n_threads: int) -> Any:
        """Return the cost, computed on this device."""
        place = resolve_device(device)
        if place == "cpu":
            return TrialObjective(
                self.rows, self.weights, has_anchor=self.has_anchor, n_threads=n_threads
            )
        from ordinate.dimensions.torch_objective import TorchTrialObjective

        return TorchTrialObjective(
            self.rows, self.weights, has_anchor=self.has_anchor, device=place
        )

    def similarities(self, loadings: Loadings) -> NDArray[np.float64]:
        """Return how similar the objects of each pair are."""
        points = np.asarray(loadings, dtype=np.float64)
        return alike(points, self.rows[:, self._pairs], "dot")

    def losses(self, similar: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return minus the log of the probability of each answer, given similarities."""
        losses: NDArray[np.float64] = logsumexp(similar, axis=1) - similar[:, 0]
        return losses

    def right(self, similar: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return 1 where the answer is predicted, its share of a tie."""
        return share_right(similar)

    def predicted_pairs(self, loadings: Loadings) -> NDArray[np.int32]:
        """Return for each answer the two objects that are predicted to go together."""
        pairs = self._pairs[self.similarities(loadings).argmax(axis=1)]
        return np.take_along_axis(self.rows, pairs, axis=1)

    def reward(self) -> csr_array:
        """Return how much more often each pair was chosen than by chance."""
        n_options = len(self._pairs)
        slope = (np.arange(n_options) == 0) - 1 / n_options
        return _pair_sums(self, self.rows[:, self._pairs], np.tile(slope, (len(self), 1)))


@dataclass(frozen=True)
class ChoiceAnswers(Answers):
    """Answers to "which of these are most like the anchor?", kept whole.

    A row holds the anchor, the objects chosen and the others shown; -1 fills it. Where the order of
    choosing counts, each choice is a row, among what was left then.
    """

    n_chosen: NDArray[np.intp]
    question: NDArray[np.intp]

    @property
    def kind(self) -> str:
        """What they are called, in the plural."""
        return "choices"

    @property
    def chance(self) -> float:
        """How much of them guessing predicts."""
        return float((self.n_chosen / (self.rows[:, 1:] >= 0).sum(axis=1)).mean())

    def questions(self) -> NDArray[np.intp]:
        """Return a number for each answer, the same where the same objects were shown."""
        return np.unique(self.question, return_inverse=True)[1]

    def objective(self, device: str, n_threads: int) -> Any:
        """Return the cost, computed on this device."""
        place = resolve_device(device)
        if place == "cpu":
            return ChoiceObjective(self.rows, self.n_chosen, self.weights, n_threads=n_threads)
        from ordinate.dimensions.torch_objective import TorchChoiceObjective

        return TorchChoiceObjective(self.rows, self.n_chosen, self.weights, device=place)

    def similarities(self, loadings: Loadings) -> NDArray[np.float64]:
        """Return how similar each object shown is to the anchor, -inf where there is none."""
        points = np.asarray(loadings, dtype=np.float64)
        found = np.full((len(self), self.rows.shape[1] - 1), -np.inf)
        for column in range(found.shape[1]):
            is_there = self.rows[:, column + 1] >= 0
            anchor, shown = points[self.rows[is_there][:, [0, column + 1]].T]
            found[is_there, column] = np.einsum("ts,ts->t", anchor, shown)
        return found

    def losses(self, similar: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return minus the log of the probability of each answer, given similarities."""
        losses = np.empty(len(self))
        for n_chosen in np.unique(self.n_chosen):
            part = self.n_chosen == n_chosen
            losses[part] = -log_chances(similar[part], n_chosen)
        return losses

    def right(self, similar: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the share of the objects chosen that are among as many most similar ones."""
        ordered = -np.sort(-similar, axis=1)
        last = np.take_along_axis(ordered, self.n_chosen[:, None] - 1, axis=1)
        above, tied = similar > last, similar == last
        is_chosen = np.arange(similar.shape[1]) < self.n_chosen[:, None]
        # objects that tie share the places that are left
        share = (self.n_chosen - above.sum(axis=1)) / tied.sum(axis=1)
        found = (above & is_chosen).sum(axis=1) + share * (tied & is_chosen).sum(axis=1)
        right: NDArray[np.float64] = found / self.n_chosen
        return right

    def predicted_pairs(self, loadings: Loadings) -> NDArray[np.int32]:
        """Return for each answer the anchor and the most similar object."""
        best = 1 + self.similarities(loadings).argmax(axis=1)
        return np.column_stack([self.rows[:, 0], self.rows[np.arange(len(self)), best]])

    def reward(self) -> csr_array:
        """Return how much more often each pair was chosen than by chance."""
        shown = self.rows[:, 1:]
        n_shown = (shown >= 0).sum(axis=1)
        # of the log of the probability where all objects are alike: each choice among what is left
        fall = np.array(
            [(1 / (n - np.arange(k))).sum() for n, k in zip(n_shown, self.n_chosen, strict=True)]
        )
        rise = fall * (n_shown - self.n_chosen) / self.n_chosen
        is_chosen = np.arange(shown.shape[1]) < self.n_chosen[:, None]
        slope = np.where(is_chosen, rise[:, None], -fall[:, None]) * (shown >= 0)
        anchor = np.broadcast_to(self.rows[:, :1], shown.shape)
        return _pair_sums(self, np.stack([anchor, np.maximum(shown, 0)], axis=2), slope)


def answers_of(record: Comparisons, are_trials: bool) -> Answers:
    """Return the answers of a record; comparisons of one trial with an anchor are one answer."""
    if not are_trials and "trial" in record.groups:
        whole = _whole_choices(record)
        if whole is not None:
            return whole
    return TrialAnswers(
        record.rows, record.weights, record.n_objects, _people_of(record), not are_trials
    )


def _people_of(record: Comparisons) -> NDArray[np.intp] | None:
    return record.group_codes("participant") if "participant" in record.groups else None


def record_of(X: Any, sample_weight: ArrayLike | None = None) -> tuple[Comparisons, bool]:
    """Return what an estimator was given as a record, and whether its rows are trials."""
    if not isinstance(in_memory(X), (Trials, Comparisons)):
        raise InputError(
            f"Expected Trials or Comparisons; got {type(X).__name__}. Three columns may be either:"
            " pass od.Trials(rows) for two objects kept together and the odd one, or"
            " od.Comparisons(rows) for anchor, near and far."
        )
    are_trials = isinstance(X, Trials)
    record = X._record if isinstance(X, Trials) else X
    if record.kind != "triplet":
        raise InputError("SparseDimensions takes trials or triplets; got quadruplets.")
    return as_comparisons(record, weights=sample_weight), are_trials


def _whole_choices(record: Comparisons) -> ChoiceAnswers | None:
    """Put answers together again from their triplets; None if some trial is no such answer."""
    trial = record.group_codes("trial")
    n_trials = int(trial.max(initial=-1)) + 1
    anchor = np.zeros(n_trials, dtype=np.int32)
    anchor[trial] = record.rows[:, 0]
    near, far = (trial * record.n_objects + record.rows[:, column] for column in (1, 2))
    objects, place = np.unique(np.concatenate([near, far]), return_inverse=True)
    wins = np.bincount(place[: len(near)], minlength=len(objects))
    losses = np.bincount(place[len(near) :], minlength=len(objects))
    of_trial = objects // record.n_objects
    order = np.lexsort((losses, of_trial))
    objects, of_trial, wins, losses = (a[order] for a in (objects, of_trial, wins, losses))
    n_shown = np.bincount(of_trial, minlength=n_trials)
    begin = np.cumsum(n_shown) - n_shown
    # objects with as many losses were not compared: they were chosen, or left, together
    level = numbered(of_trial, losses)
    size = np.bincount(level)
    first = np.flatnonzero(np.diff(level, prepend=-1))
    is_whole = (
        (anchor[trial] == record.rows[:, 0]).all()
        and (losses == first[level] - begin[of_trial]).all()
        and (wins == n_shown[of_trial] - losses - size[level]).all()
        and len(np.unique(near * record.n_objects + record.rows[:, 2])) == len(record)
    )
    if not is_whole or n_shown.max(initial=0) == 2:
        return None
    made = of_trial[first]
    is_choice = first + size < begin[made] + n_shown[made]  # the others of a trial are left
    first, n_chosen, made = first[is_choice], size[is_choice], made[is_choice]
    if n_chosen.max() > _MOST_CHOSEN:
        raise InputError(
            f"A choice without an order may name {_MOST_CHOSEN} objects; got {n_chosen.max()}. Pass"
            " the comparisons without the group 'trial' to take each of them alone."
        )
    end = begin[made] + n_shown[made]
    at = first[:, None] + np.arange(n_shown.max())
    shown = (objects % record.n_objects)[np.minimum(at, len(objects) - 1)]
    rows = np.column_stack([anchor[made], np.where(at < end[:, None], shown, -1)]).astype(np.int32)
    weights = None
    if record.weights is not None:
        weights = (np.bincount(trial, record.weights) / np.bincount(trial))[made]
    keys = np.full((n_trials, 1 + n_shown.max()), -1)
    keys[:, 0] = anchor
    keys[of_trial, 1 + np.arange(len(objects)) - begin[of_trial]] = objects % record.n_objects
    keys[:, 1:].sort(axis=1)
    people = _people_of(record)
    if people is not None:
        of_made = np.zeros(n_trials, dtype=people.dtype)
        of_made[trial] = people
        people = of_made[made]
    question = numbered(*keys.T)[made]
    return ChoiceAnswers(rows, weights, record.n_objects, people, n_chosen, question)


def _pair_sums(answers: Answers, pairs: NDArray[np.int32], values: Floats) -> csr_array:
    """Add up values of pairs, (n_answers, n_pairs), in a symmetric matrix."""
    weights = np.ones(len(answers)) if answers.weights is None else answers.weights
    entries = (values * weights[:, None]).ravel()
    one, other = pairs.reshape(-1, 2).T
    sums = csr_array((entries, (one, other)), shape=(answers.n_objects,) * 2)
    return sums + sums.T
