"""Rules that say which of many candidates to ask, each a small function of drawn maps.

A new rule is one function and one row of RULES.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, expit

from ordinate._arrays import Floats
from ordinate.comparisons.record import Comparisons
from ordinate.questions.model import MapDraws
from ordinate.tasks import Items, Task

_PLACES = 200
"""Places that the anchor of a question might have, in a large set of objects."""
_TARGETS = 2000
"""Random questions whose answers a batch is to foretell; those with more choices cost more."""
_TINY = 1e-12


@dataclass(frozen=True, eq=False)
class Candidates:
    """What a rule chooses from."""

    task: Task
    items: Items
    out: Items
    answers: Comparisons
    maps: MapDraws


class Choice(NamedTuple):
    """Which candidates to ask, the best first, and what each of them was worth."""

    chosen: NDArray[np.intp]
    scores: Floats


def posterior(candidates: Candidates, size: int) -> Choice:
    """Choose the batch that is most informative about the answers to all questions.

    Greedy design: over the draws, chances of answers have a covariance, and an answer measures its
    chance with some noise. The question that takes most from the variance of the chances of random
    questions is taken, all draws are conditioned on having asked it, and so on. Questions that are
    out are conditioned on first. Anchors take turns: each has its quota.
    """
    task, maps = candidates.task, candidates.maps
    anchors = _Anchors(candidates)
    design = AnswerDesign(
        measured_answers(task, candidates.items, maps),
        measured_answers(task, candidates.out, maps),
        _open_chances(candidates),
    )
    chosen = np.empty(size, dtype=np.intp)
    scores = np.empty(size)
    free = np.ones(len(candidates.items), dtype=bool)
    for rank in range(size):
        allowed = free & anchors.are_due()
        gains = np.where(allowed if allowed.any() else free, design.gains(), -1.0)
        best = int(np.argmax(gains))
        chosen[rank], scores[rank] = best, gains[best]
        free[best] = False
        anchors.ask(best)
        design.ask(best)
    return Choice(chosen, scores)


def _open_chances(candidates: Candidates) -> Floats:
    """Return how the chances of answers to random questions deviate from their mean over draws.

    Scaled so that the sum of their squares is what the draws leave open: the mean over questions of
    the variance of a chance.
    """
    task, draws = candidates.task, candidates.maps.draws
    rng = np.random.default_rng(len(candidates.answers))
    items = task.draw(candidates.answers.n_objects, _TARGETS // (task.n_choices - 1), rng)
    chances = task.probabilities(task.margins(items, draws), 0.0)[:, :-1]
    deviations = chances - chances.mean(axis=2, keepdims=True)
    scale = np.sqrt(len(items) * (len(draws) - 1))
    return np.asarray(deviations.reshape(-1, len(draws)) / scale)


class _Anchors:
    """How often objects were anchors: none may be one again before all others were as often.

    What the model expects to learn is most about a few objects that it knows badly or that fit
    badly, and a model is wrong about people. Tasks without a reference have no quota.
    """

    def __init__(self, candidates: Candidates) -> None:
        task, answers = candidates.task, candidates.answers
        self._of = candidates.items[:, 0] if task.has_reference else None
        counts = np.bincount(answers.rows[:, 0], minlength=answers.n_objects)
        out = np.bincount(candidates.out[:, 0], minlength=answers.n_objects)
        self._counts = counts // task.rows_per_answer + out

    def are_due(self) -> NDArray[np.bool_] | bool:
        """Return which candidates may be asked next."""
        if self._of is None:
            return True
        quota = self._counts.sum() // len(self._counts) + 1
        return np.asarray(self._counts[self._of] < quota)

    def ask(self, number: int) -> None:
        """Count a candidate that is asked."""
        if self._of is not None:
            self._counts[self._of[number]] += 1


def _information(chances: Floats) -> Floats:
    """Return the mutual information of each question's answer and the map, in nats."""
    certain = entr(chances).sum(axis=1).mean(axis=1)
    return np.asarray(entr(chances.mean(axis=2)).sum(axis=1) - certain)


def measured_answers(task: Task, items: Items, maps: MapDraws) -> Floats:
    """Return what answers would tell by each draw, in units of the noise of an answer.

    Deviations of the chances from their mean over draws, whitened by the covariance of an answer
    given its chances. Normal deviations of this size would say more than a choice among few can;
    so they are shortened until the gain of a question alone is its mutual information
    H(E p) − E H(p) (exactly so for two choices).
    """
    chances = task.probabilities(task.margins(items, maps.draws), maps.lapse)
    n_draws, width = chances.shape[2], chances.shape[1] - 1
    mean = chances.mean(axis=2)
    information = _information(chances)
    free = chances[:, :-1]  # the last choice has what the others leave
    noise = mean[:, :-1, None] * np.eye(width) - np.einsum("qis,qjs->qij", free, free) / n_draws
    deviations = (free - mean[:, :-1, None]) / np.sqrt(n_draws - 1)
    whitening = np.linalg.inv(np.linalg.cholesky(noise + _TINY * np.eye(width)))
    measured: Floats = np.einsum("qij,qjs->qis", whitening, deviations)
    gains = _log_dets(np.einsum("qis,qjs->qij", measured, measured))
    wanted = np.expm1(2 * task.n_select * information / width)
    factors = np.sqrt(np.maximum(wanted, 0) / np.maximum(np.expm1(2 * gains / width), _TINY))
    return np.asarray(factors[:, None, None] * measured)


def _log_dets(covariances: Floats) -> Floats:
    """Return ½ log det(I + V) of each covariance V."""
    if covariances.shape[1] == 1:
        return np.asarray(np.log1p(covariances[:, 0, 0]) / 2)
    return np.asarray(np.linalg.slogdet(np.eye(covariances.shape[1]) + covariances)[1] / 2)


class AnswerDesign:
    """What answers would tell about targets, given the questions that were asked.

    `measured` and `out` are deviations over draws in units of an answer's noise, `targets` are
    deviations of what is to be learned.
    """

    def __init__(self, measured: Floats, out: Floats, targets: Floats) -> None:
        n_draws = measured.shape[2]
        before = out.reshape(-1, n_draws)
        self._measured = measured
        self._targets = targets.T @ targets
        self._remaining = np.linalg.inv(np.eye(n_draws) + before.T @ before)
        self._through = measured @ self._remaining
        self.covariances: Floats = np.einsum("qis,qjs->qij", self._through, measured)
        told = self._through @ self._targets
        self._told: Floats = np.einsum("qis,qjs->qij", told, self._through)

    def gains(self) -> Floats:
        """Return what each question takes from the variance of the targets.

        tr((I + V)⁻¹ C Cᵀ), V the covariance of what a question measures, C that with the targets.
        """
        if self.covariances.shape[1] == 1:
            return np.asarray(self._told[:, 0, 0] / (1 + self.covariances[:, 0, 0]))
        noisy = np.eye(self.covariances.shape[1]) + self.covariances
        return np.asarray(np.trace(np.linalg.solve(noisy, self._told), axis1=1, axis2=2))

    def ask(self, question: int) -> None:
        """Condition on a question having been asked, whatever the answer.

        A variance v, measured with unit noise, takes c cᵀ / (1 + v) from the covariance, where c
        are the covariances with it: a downdate of rank one. Choices of one question follow each
        other, because their whitened noises are independent.
        """
        for answer in self._measured[question]:
            direction = self._remaining @ answer
            noise = 1 + float(answer @ direction)
            shared = self._measured @ direction
            of_targets = self._targets @ direction
            told = self._through @ of_targets
            cross = shared[:, :, None] * told[:, None] / noise
            squared = shared[:, :, None] * shared[:, None] / noise
            self._told += squared * float(direction @ of_targets) / noise
            self._told -= cross + cross.transpose(0, 2, 1)
            self.covariances -= squared
            self._through -= shared[:, :, None] * (direction / noise)
            self._remaining -= np.outer(direction, direction) / noise


def ckl(candidates: Candidates, size: int) -> Choice:
    """Choose by the information about the anchor's place, on one map.

    The anchor may be at the place of any object; its answers so far say how likely each place is.
    The gain is H(E p) − E H(p) over places (Tamuz et al., ICML 2011). Questions are judged one by
    one, and the anchor's place is all that a question is thought to tell about.
    """
    points, lapse = candidates.maps.mode, candidates.maps.lapse
    rows = candidates.answers.rows
    items = candidates.items
    places = points[:: -(-len(points) // _PLACES)]
    squares = ((places[None] - points[:, None]) ** 2).sum(axis=2)

    def chances(pairs: Items) -> Floats:
        """Return how likely "the first" is for an anchor at each place."""
        margins = squares[pairs[:, 1]] - squares[pairs[:, 0]]
        return np.asarray(np.clip(lapse / 2 + (1 - lapse) * expit(margins), _TINY, 1 - _TINY))

    gains = np.empty(len(items))
    for anchor in np.unique(items[:, 0]):
        own = rows[rows[:, 0] == anchor]
        log_likelihood = np.log(chances(own[:, 1:])).sum(axis=0)
        weights = np.exp(log_likelihood - log_likelihood.max())
        weights /= weights.sum()
        mine = items[:, 0] == anchor
        first = chances(items[mine, 1:])
        gains[mine] = _entropy(first @ weights) - _entropy(first) @ weights
    chosen = np.argsort(-gains, kind="stable")[:size]
    return Choice(chosen, gains[chosen])


def _entropy(chance: Floats) -> Floats:
    return np.asarray(entr(chance) + entr(1 - chance))


Rule: TypeAlias = Callable[[Candidates, int], Choice]

RULES: dict[str, Rule | None] = {
    "random": None,
    "ckl": ckl,
    "posterior": posterior,
}
"""Rules by name; those without a function need no map."""
