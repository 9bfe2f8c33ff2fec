"""The likelihood of counted answers: parameters, chances, and two derivatives."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bmat, coo_array, csr_array, diags_array, hstack

from ordinate._arrays import Floats
from ordinate.comparisons.pairs import PairCounts
from ordinate.scales.outcomes import AnswerModel
from ordinate.scales.rankings import Stages, StageSums

MOST_DENSE = 3_000
"""Problems with more parameters are solved without writing their covariance out."""
USUAL_LAPSE = -3.5, 1.2
"""Prior mean and standard deviation of the logit of the lapse rate: 3 %, seldom above 25 %."""
_FEW_ANSWERS = 50
"""With fewer answers per item than this, the posterior is no Gaussian around its mode."""
_ROWS_AT_ONCE = 2**13
"""Derivatives of so many rows stay in the processor's cache."""
_CENTRE = 100.0
"""How strongly the logarithms of the slopes are held to a sum of 0."""


def normal_nodes(n_nodes: int) -> tuple[tuple[float, float], ...]:
    """Return points and weights of an average over a normal distribution."""
    points, weights = np.polynomial.hermite_e.hermegauss(n_nodes)
    return tuple(zip(points.tolist(), (weights / weights.sum()).tolist(), strict=True))


_NODES = normal_nodes(21)


class Blocks(NamedTuple):
    """Where the parameters stand: scores, coefficients, log slopes, ties, effects, lapse.

    An effect moves how far the first item is ahead: the side it is shown on, or a covariate.
    """

    scores: slice
    coefficients: slice
    slopes: slice
    tie: slice
    effects: slice
    lapse: slice

    @property
    def size(self) -> int:
        """How many parameters there are."""
        return int(self.lapse.stop)


@dataclass(frozen=True)
class Objective:
    """Minus the log likelihood of counts."""

    counts: PairCounts
    answers: AnswerModel
    side: bool = False
    lapse: bool = False
    n_judges: int = 0
    """How many judges have a slope of their own; 0 if all have the same."""
    covariates: Floats = field(default_factory=lambda: np.empty((0, 0)))
    sparse: bool = False
    """Solve without writing the covariance out, whatever the number of parameters."""
    stages: Stages | None = None
    """Choices from more than two items, which rankings come down to besides pairs."""

    def of(self, counts: PairCounts, stages: Stages | None = None) -> Objective:
        """Return the same likelihood of other answers."""
        return replace(self, counts=counts, stages=stages)

    def weighted(self, times: Floats) -> Objective:
        """Return the likelihood of answers of judges who count so many times."""
        assert self.counts.judge is not None
        counts = self.counts.with_counts(self.counts.counts * times[self.counts.judge])
        stages = self.stages
        if stages is not None and stages.judge is not None:
            stages = replace(stages, weight=stages.weight * times[stages.judge])
        return self.of(counts, stages)

    @cached_property
    def effects(self) -> Floats:
        """How much each effect moves each row, shape (n_rows, n_effects)."""
        given = self.counts.effects
        return np.hstack([np.ones((len(given), 1)), given]) if self.side else given

    @cached_property
    def blocks(self) -> Blocks:
        """Where the parameters stand."""
        sizes = (
            self.counts.n_objects,
            self.covariates.shape[1],
            self.n_judges,
            int(self.answers.has_ties) if self.stages is None else len(self.stages.orders),
            int(self.side) + self.counts.effects.shape[1],
            int(self.lapse),
        )
        ends = np.cumsum(sizes).tolist()
        return Blocks(*(slice(e - s, e) for s, e in zip(sizes, ends, strict=True)))

    @property
    def is_large(self) -> bool:
        """Whether there are too many parameters to write their covariance out."""
        return self.sparse or self.blocks.size > MOST_DENSE

    @cached_property
    def is_nearly_gaussian(self) -> bool:
        """Whether there are many answers, and for and against each part of the items.

        Of choices from more than two items, the Gaussian at the mode is all there is.
        """
        if self.stages is not None:
            return True
        if self.counts.counts.sum() < _FEW_ANSWERS * self.counts.n_objects:
            return False
        return bool(self.counts.components(strong=True).max() == 0)

    def start(self) -> Floats:
        """Return where to begin: all items alike."""
        found = np.zeros(self.blocks.size)
        found[self.blocks.tie] = self.answers.tie_start
        found[self.blocks.lapse] = USUAL_LAPSE[0]
        return found

    @cached_property
    def differences(self) -> csr_array:
        """Matrix that turns scores and coefficients into differences of scores."""
        n_rows, n = len(self.counts.first), self.counts.n_objects
        rows = np.tile(np.arange(n_rows), 2)
        ends = np.concatenate([self.counts.first, self.counts.second])
        signs = np.repeat([1.0, -1.0], n_rows)
        matrix = csr_array(coo_array((signs, (rows, ends)), shape=(n_rows, n)))
        if not self.covariates.size:
            return matrix
        return csr_array(hstack([matrix, csr_array(matrix @ self.covariates)]))

    def centred_scores(self, values: Floats) -> Floats:
        """Return scores less their mean, covariates included, of parameters in rows."""
        found = values[self.blocks.scores]
        if self.covariates.size:
            found = found + self.covariates @ values[self.blocks.coefficients]
        return np.asarray(found - found.mean(axis=0))

    def score_covariance(self, covariance: Floats) -> Floats:
        """Return the covariance of centred scores, from that of the parameters."""
        return self.centred_scores(self.centred_scores(covariance).T)

    def distances(self, at: Floats) -> tuple[Floats, Floats, Floats]:
        """Return how far the first is ahead as each judge feels it, the slope, and the gap."""
        blocks = self.blocks
        gap = self.differences @ at[: blocks.coefficients.stop]
        slope = np.ones(len(gap))
        if self.n_judges and self.counts.judge is not None:
            slope = np.exp(at[blocks.slopes])[self.counts.judge]
        return slope * gap + self.effects @ at[blocks.effects], slope, gap

    def log_chances(self, at: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the logarithms of the chances of the outcomes with two derivatives."""
        return self.answers.log_chances(*self.parameters(at))

    def chances(self, at: Floats) -> Floats:
        """Return the chances of win, tie and loss of each row; without ties those have none."""
        found = np.exp(self.log_chances(at)[0])
        if not self.answers.has_ties:
            found[1] = 0.0
        return np.asarray(found / found.sum(axis=0))

    def parameters(self, at: Floats) -> tuple[Floats, float, float | None]:
        """Return what decides how likely outcomes are: d of each row, t and the lapse's logit."""
        tie = float(at[self.blocks.tie][0]) if self.answers.has_ties else 0.0
        lapse = at[self.blocks.lapse].item() if self.lapse else None
        return self.distances(at)[0], tie, lapse

    def value(self, at: Floats) -> float:
        """Return minus the log likelihood."""
        value = -float((self.counts.counts * self.log_chances(at)[0]).sum())
        if self.stages is not None:
            value += self._of_stages(at, self.stages).value
        return value + self._uncentred(at)

    def _uncentred(self, at: Floats) -> float:
        """Return a penalty that holds the geometric mean of the slopes at 1: scores have a unit."""
        return 0.5 * _CENTRE * float(at[self.blocks.slopes].sum()) ** 2

    def jacobians(self, at: Floats) -> list[csr_array]:
        """Return derivatives of d, t and, if there is one, the lapse's logit in all parameters."""
        blocks, n_rows = self.blocks, len(self.counts.first)
        _, slope, gap = self.distances(at)
        scaled = self.differences.multiply(slope[:, None]) if self.n_judges else self.differences
        parts, found = [scaled], []
        if self.n_judges and self.counts.judge is not None:
            shape = (n_rows, self.n_judges)
            places = (np.arange(n_rows), self.counts.judge)
            parts.append(coo_array((slope * gap, places), shape=shape))
        # d moves with the effects, t with the tie parameter, the last with the lapse
        for output in range(3 if self.lapse else 2):
            columns = np.zeros((n_rows, blocks.size - blocks.slopes.stop))
            moved = (blocks.effects, blocks.tie, blocks.lapse)[output]
            if moved.stop > moved.start:
                to = 1 if output else moved.stop - moved.start
                start = moved.start - blocks.slopes.stop
                columns[:, start : start + to] = 1.0 if output else self.effects
            head = parts if output == 0 else [csr_array((n_rows, blocks.tie.start))]
            found.append(csr_array(hstack([*head, csr_array(columns)])))
        return found

    def group_slopes(self, at: Floats, n_groups: int) -> Floats:
        """Gradients of minus the log likelihood, summed by what the counts are kept apart by."""
        judge = self.counts.judge
        assert judge is not None
        places = (judge, np.arange(len(judge)))
        sums = csr_array(coo_array((np.ones(len(judge)), places), shape=(n_groups, len(judge))))
        slopes = self._summed(at)[1]
        found = np.zeros((n_groups, self.blocks.size))
        for jacobian, slope in zip(self.jacobians(at), slopes, strict=True):
            found += (sums @ csr_array(jacobian.multiply(slope[:, None]))).toarray()
        if self.stages is not None and self.stages.judge is not None:
            more = self._of_stages(at, self.stages, (self.stages.judge, n_groups)).by_group
            assert more is not None
            found += more
        return found

    def derivatives(self, at: Floats) -> tuple[float, Floats, Any]:
        """Return minus the log likelihood, its gradient and its matrix of second derivatives."""
        value, slopes, curves = self._summed(at)
        gradient, hessian = self.by_counting(slopes, curves, at)
        if self.stages is not None:
            more = self._of_stages(at, self.stages)
            value, gradient, hessian = (
                value + more.value,
                gradient + more.gradient,
                hessian + more.hessian,
            )
        return value + self._uncentred(at), gradient, hessian

    def _of_stages(
        self, at: Floats, stages: Stages, groups: tuple[NDArray[np.intp], int] | None = None
    ) -> StageSums:
        """Return minus the log likelihood of choices from more than two, with derivatives."""
        blocks, n = self.blocks, self.counts.n_objects
        scores = at[blocks.scores]
        if self.covariates.size:
            scores = scores + self.covariates @ at[blocks.coefficients]
        found = stages.sums(scores, at[blocks.slopes], at[blocks.tie], groups=groups)
        # from scores, slopes and ties to all parameters
        place = np.r_[blocks.scores, blocks.slopes, blocks.tie]
        spread = csr_array(
            (np.ones(len(place)), (np.arange(len(place)), place)), shape=(len(place), blocks.size)
        ).toarray()
        spread[:n, blocks.coefficients] = self.covariates if self.covariates.size else 0.0
        by_group = None if found.by_group is None else found.by_group @ spread
        return StageSums(
            found.value, found.gradient @ spread, spread.T @ found.hessian @ spread, by_group
        )

    def _summed(self, at: Floats) -> tuple[float, Floats, Floats]:
        """Return minus the log likelihood, and two derivatives row by row in d, t and the lapse."""
        ahead, tie, lapse = self.parameters(at)
        k = 3 if self.lapse else 2
        value, slopes, curves = 0.0, np.empty((k, len(ahead))), np.empty((k, k, len(ahead)))
        for begin in range(0, len(ahead), _ROWS_AT_ONCE):
            rows = slice(begin, begin + _ROWS_AT_ONCE)
            counts = self.counts.counts[:, rows]
            logs, one, two = self.answers.log_chances(ahead[rows], tie, lapse)
            value -= float((counts * logs).sum())
            slopes[:, rows] = -np.einsum("on,oin->in", counts, one)
            curves[:, :, rows] = -np.einsum("on,oijn->ijn", counts, two)
        return value, slopes, curves

    def row_curves(self, at: Floats) -> Floats:
        """Return second derivatives of minus the log likelihood in d, t and the lapse, by row."""
        return self._summed(at)[2]

    def mean_derivatives(self, at: Floats, variances: Floats) -> tuple[float, Floats, Floats]:
        """Return value and two derivatives, averaged over normal distributions of the distances.

        The second derivative in d is that of the sum over nodes: the mean of second derivatives
        misses bends between the nodes.
        """
        ahead, tie, lapse = self.parameters(at)
        counts, spread = self.counts.counts, np.sqrt(np.maximum(variances, 1e-8))
        k = 3 if self.lapse else 2
        value, slopes, curves = 0.0, np.zeros((k, len(ahead))), np.zeros((k, k, len(ahead)))
        bends = np.zeros(len(ahead))
        at_once = max(_ROWS_AT_ONCE // max(len(ahead), 1), 1)
        for begin in range(0, len(_NODES), at_once):
            nodes, weights = np.array(_NODES[begin : begin + at_once]).T
            shape = (len(nodes), len(ahead))
            places = (ahead + nodes[:, None] * spread).ravel()
            logs, one, two = self.answers.log_chances(places, tie, lapse)
            value -= float(weights @ np.einsum("on,omn->m", counts, logs.reshape(3, *shape)))
            slope = -np.einsum("on,oimn->imn", counts, one.reshape(3, k, *shape))
            slopes += weights @ slope
            bends += weights * nodes @ slope[0]
            curves -= weights @ np.einsum("on,oijmn->ijmn", counts, two.reshape(3, k, k, *shape))
        curves[0, 0] = bends / spread
        return value, slopes, curves

    def row_variances(self, covariance: Floats) -> Floats:
        """Return the variance of how far the first is ahead, by row.

        `covariance` is that of scores, coefficients and effects.
        """
        n, end = self.counts.n_objects, self.blocks.coefficients.stop
        of_items = np.eye(n, end) if end > n else None
        first, second = self.counts.first, self.counts.second
        between, beside = covariance[:end, :end], covariance[:end, end:]
        if of_items is not None:
            of_items[:, n:] = self.covariates
            between, beside = of_items @ between @ of_items.T, of_items @ beside
        own = np.diag(between)
        found = own[first] + own[second] - 2 * between[first, second]
        if self.effects.size:
            both = 2 * (beside[first] - beside[second]) + self.effects @ covariance[end:, end:]
            found = found + (self.effects * both).sum(axis=1)
        return np.asarray(found)

    def by_counting(
        self, slopes: Floats, curves: Floats, at: Floats | None = None
    ) -> tuple[Floats, Any]:
        """Return gradient and second derivatives, sparse ones for many items.

        Where judges have slopes, the parameters are needed.
        """
        n, blocks = self.counts.n_objects, self.blocks
        first, second, one = self.counts.first, self.counts.second, np.ones(len(self.counts.first))
        times, gap = one, one
        if self.n_judges and at is not None:
            _, times, gap = self.distances(at)

        def per_item(values: Floats, by: Any = 0, width: int = 1) -> Floats:
            cells = [np.bincount(end * width + by, values, n * width) for end in (first, second)]
            return np.asarray(cells[0] - cells[1], dtype=float)

        gradient, edge = np.zeros(blocks.size), np.zeros((blocks.size, blocks.size - n))
        gradient[:n] = per_item(times * slopes[0])
        extras = [(0, blocks.effects.start + place, by) for place, by in enumerate(self.effects.T)]
        extras += [(1, blocks.tie.start, one)] * self.answers.has_ties
        extras += [(2, blocks.lapse.start, one)] * self.lapse
        for output, place, by in extras:
            gradient[place] = slopes[output] @ by
            edge[:n, place - n] = per_item(times * curves[0, output] * by)
            for other, also, beside in extras:
                edge[also, place - n] = float((curves[output, other] * by) @ beside)
        if self.n_judges and at is not None and self.counts.judge is not None:
            judge, width, mine = self.counts.judge, self.n_judges, blocks.slopes
            columns, felt = slice(mine.start - n, mine.stop - n), times * gap
            bend = curves[0, 0] * felt + slopes[0]  # slopes bend the distances, too
            gradient[mine] = np.bincount(judge, felt * slopes[0], width)
            gradient[mine] += _CENTRE * at[mine].sum()
            edge[:n, columns] = per_item(times * bend, judge, width).reshape(n, width)
            edge[mine, columns] = _CENTRE + np.diag(np.bincount(judge, felt * bend, width))
            for output, place, by in extras:
                edge[mine, place - n] = np.bincount(judge, felt * curves[0, output] * by, width)
                edge[place, columns] = edge[mine, place - n]
        if self.covariates.size:
            gradient[blocks.coefficients] = self.covariates.T @ gradient[:n]
        weights = times**2 * curves[0, 0]
        if self.is_large:
            items = _laplacian(first, second, weights, n)
            parts: Any = [[items, edge[:n]], [edge[:n].T, edge[n:]]]
            return gradient, csr_array(bmat(parts))
        hessian = np.zeros((blocks.size, blocks.size))
        between = np.bincount(first * n + second, weights, n * n).reshape(n, n)
        hessian[:n, :n] -= between
        hessian[:n, :n] -= between.T
        np.fill_diagonal(hessian[:n, :n], -hessian[:n, :n].sum(axis=1))
        hessian[:, n:], hessian[n:, :n] = edge, edge[:n].T
        if self.covariates.size:
            at_, z = blocks.coefficients, self.covariates
            hessian[at_] = z.T @ hessian[:n]
            hessian[:, at_] = hessian[:, :n] @ z
        return gradient, hessian


def _laplacian(
    first: NDArray[np.intp], second: NDArray[np.intp], weights: Floats, n: int
) -> csr_array:
    """Return the matrix whose quadratic form sums weighted squares of differences of scores."""
    total = np.bincount(first, weights, n) + np.bincount(second, weights, n)
    ends = (np.concatenate([first, second]), np.concatenate([second, first]))
    between = coo_array((np.concatenate([weights, weights]), ends), shape=(n, n))
    return csr_array(diags_array(total) - csr_array(between))
