"""Distributions of single scores and of differences, with the tails that no Gaussian has.

An item that won all its answers is surely ahead, though nobody knows how far: its posterior is
skewed, and a symmetric interval would say less the more answers there are. Along the line on which
a score, or a difference, moves and all others follow it, the answers about its items are therefore
averaged over what is likely of the others, without an approximation by parabolas. The rest of the
log posterior is the parabola of the Gaussian approximation.
"""

from __future__ import annotations

from copy import copy
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.special import log_ndtr, logsumexp, ndtri, ndtri_exp, stdtr, stdtrit

from ordinate._arrays import Floats
from ordinate.scales.likelihood import Objective, normal_nodes
from ordinate.scales.maximum import Prior

_UNIT, _REACH, _COARSE, _FINE = 2.0, 20.0, 37, 401
_ARCS, _FINE_ARCS = (
    np.linspace(-np.arcsinh(_REACH / _UNIT), np.arcsinh(_REACH / _UNIT), size)
    for size in (_COARSE, _FINE)
)
_PLACES, _FINE_PLACES = _UNIT * np.sinh(_ARCS), _UNIT * np.sinh(_FINE_ARCS)
"""Standard deviations from the mean at which densities are computed: dense near 0, far in tails."""
_FOLLOWING = 1.0, 0.5, 0.0
"""How much of what the Gaussian says the other scores follow; far out they do not."""
_NODES, _NODE_WEIGHTS = np.array(normal_nodes(5)).T
_CHUNK = 2**15
_BISECTIONS = 40
_SKEWED, _N_SHIFTS = 2.6, 64
"""A score is skewed if one end of its 95 % interval is so many standard deviations away."""
_CLEAR = 1.0, 6.0
"""Differences of fewer or more standard errors are decided by the Gaussian."""


class Component(NamedTuple):
    """A Gaussian posterior under one size of the prior, and how likely that size is."""

    weight: float
    at: Floats
    covariance: Floats
    """Of the parameters, from the curvature."""
    stretched: Floats
    """The same, or that of judges whose answers belong together."""
    prior: Prior


class Marginals:
    """Distributions of centred scores, and of their differences."""

    def __init__(self, objective: Objective, components: list[Component], skewed: bool) -> None:
        self.weights = np.array([component.weight for component in components])
        self.parts = [_Part(objective, part, skewed) for part in components]

    def stretched(self, covariance: Floats) -> Marginals:
        """Return the same shapes with another covariance of the scores."""
        found = copy(self)
        found.parts = [copy(part) for part in self.parts]
        for part in found.parts:
            part.stretched = covariance
        return found

    def intervals(self, level: float, df: float) -> Floats:
        """Return lower and upper ends for each score, shape (n, 2)."""
        items = np.arange(len(self.parts[0].scores))
        lines = [part.line(items) for part in self.parts]
        shifts = [part.centre_shifts(line) for part, line in zip(self.parts, lines, strict=True)]
        tail = np.log(0.5 - level / 2)
        size = 60 * np.max([line.size for line in lines], axis=0)
        ends = []
        for sign in (-1.0, 1.0):
            # bisection: outside of the interval, less than the tail is left
            inner = np.mean([line.centre for line in lines], axis=0)
            outer = inner + sign * size
            for _ in range(_BISECTIONS):
                middle = (inner + outer) / 2
                outside = self._log_below(lines, middle, df, -sign, shifts) < tail
                inner, outer = np.where(outside, inner, middle), np.where(outside, middle, outer)
            ends.append((inner + outer) / 2)
        return np.column_stack(ends)

    def gaps(self, i: NDArray[np.intp], j: NDArray[np.intp], df: float) -> Floats:
        """Return how far items i are above items j, as quantiles of the normal or t."""
        found = self._gaps([part.line(i, j, plain=True) for part in self.parts], df)
        unclear = (np.abs(found) > _CLEAR[0]) & (np.abs(found) < _CLEAR[1])
        if unclear.any():
            lines = [part.line(i[unclear], j[unclear]) for part in self.parts]
            found[unclear] = self._gaps(lines, df)
        return found

    def _gaps(self, lines: list[_Line], df: float) -> Floats:
        zero = np.zeros(len(lines[0].centre))
        below, above = (self._log_below(lines, zero, df, sign) for sign in (1.0, -1.0))
        smaller = np.minimum(below, above)
        size = ndtri_exp(smaller) if np.isinf(df) else stdtrit(df, np.exp(smaller))
        return np.where(below < above, -size, size)

    def _log_below(
        self,
        lines: list[_Line],
        x: Floats,
        df: float,
        sign: float,
        shifts: list[Floats] | None = None,
    ) -> Floats:
        """Return the log of the probability of less than x, or with sign -1 of more."""
        logs = []
        for at, line in enumerate(lines):
            moved = x[None] if shifts is None else x + shifts[at]
            places = sign * line.quantiles(moved)
            chances = log_ndtr(places) if np.isinf(df) else np.log(stdtr(df, places))
            logs.append(logsumexp(chances, axis=0) - np.log(len(chances)))
        return np.asarray(logsumexp(logs, axis=0, b=self.weights[:, None]))


class _Line(NamedTuple):
    """Densities of one score or difference each, as quantiles of a normal distribution."""

    centre: Floats
    size: Floats
    table: Floats | None
    """Quantiles at `_FINE` points, in units of `size` around the centre; None for a Gaussian."""

    def quantiles(self, x: Floats) -> Floats:
        """Return the normal quantiles of x, whose last axis runs over the lines."""
        place = (x - self.centre) / self.size
        if self.table is None:
            return place
        within = np.clip(place, -_REACH, _REACH)
        at = (np.arcsinh(within / _UNIT) - _FINE_ARCS[0]) / (_FINE_ARCS[1] - _FINE_ARCS[0])
        low = np.clip(at.astype(np.intp), 0, _FINE - 2)
        rows = np.arange(len(self.centre))
        before, after = self.table[rows, low], self.table[rows, low + 1]
        return np.asarray(before + (at - low) * (after - before) + place - within)


class _Part:
    """One Gaussian, with what moves along lines through its mean."""

    def __init__(self, objective: Objective, component: Component, skewed: bool) -> None:
        self.objective, self.at, self.skewed = objective, component.at, skewed
        self.prior = component.prior
        self.precision = component.prior.precision(objective.blocks)[objective.blocks.scores]
        self.scores = objective.centred_scores(component.at)
        self.covariance = objective.score_covariance(component.covariance)
        self.stretched = self.covariance
        if component.stretched is not component.covariance:
            self.stretched = objective.score_covariance(component.stretched)
        if not skewed:
            return
        blocks, counts = objective.blocks, objective.counts
        linear = np.r_[blocks.scores, blocks.coefficients, blocks.effects]
        self.variance = objective.row_variances(component.covariance[np.ix_(linear, linear)])
        self.beside = objective.centred_scores(component.covariance[:, blocks.effects])
        slopes, curves = objective.mean_derivatives(self.at, self.variance)[1:]
        self.slope, self.curve = slopes[0], curves[0, 0]
        ends = np.concatenate([counts.first, counts.second])
        order = np.argsort(ends, kind="stable")
        self.rows_of = order % len(counts.first)
        self.begins = np.searchsorted(ends[order], np.arange(counts.n_objects + 1))

    def line(
        self, i: NDArray[np.intp], j: NDArray[np.intp] | None = None, *, plain: bool = False
    ) -> _Line:
        """Return distributions of scores i, or of how far they are above scores j."""
        centre = self.scores[i] if j is None else self.scores[i] - self.scores[j]
        size = _size(self.covariance, i, j)
        if plain or not self.skewed:
            return _Line(centre, _size(self.stretched, i, j), None)
        degree = np.diff(self.begins)[i] + (0 if j is None else np.diff(self.begins)[j])
        cuts = np.flatnonzero(np.diff(np.cumsum(degree) // _CHUNK)) + 1
        tables = [
            self._tables(i[at], None if j is None else j[at], size[at])
            for at in np.split(np.arange(len(i)), cuts)
        ]
        return _Line(centre, _size(self.stretched, i, j), np.concatenate(tables))

    def centre_shifts(self, line: _Line) -> Floats:
        """Return likely moves of the mean of the other scores, by skewed ones among them.

        An item that is far ahead, nobody knows how far, moves the mean and thereby all others.
        """
        n, nothing = len(self.scores), np.zeros((1, len(self.scores)))
        if line.table is None:
            return nothing
        reach = np.array([np.interp([-2.0, 2.0], row, _FINE_PLACES) for row in line.table])
        skewed = np.flatnonzero(np.abs(reach).max(axis=1) > _SKEWED)
        levels, rng = ndtri((np.arange(_N_SHIFTS) + 0.5) / _N_SHIFTS), np.random.default_rng(0)
        found, variance = np.zeros((_N_SHIFTS, n)), np.diag(self.covariance)
        for item in skewed:
            drawn = rng.permutation(levels)
            excess = np.interp(drawn, line.table[item], _FINE_PLACES) - drawn
            shared = self.covariance[item] ** 2 / (variance[item] * variance)
            found += excess[:, None] * line.size[item] / n * np.sqrt(np.maximum(1 - shared, 0.0))
        return found if len(skewed) else nothing

    def _tables(self, i: NDArray[np.intp], j: NDArray[np.intp] | None, size: Floats) -> Floats:
        """Return quantiles of scores i, or of how far they are above scores j."""
        n, counts = len(i), self.objective.counts
        line, row = self._rows_about(i)
        items = [i] if j is None else [i, j]
        if j is not None:
            other, more = self._rows_about(j)
            new = (counts.first[more] != i[other]) & (counts.second[more] != i[other])
            line, row = np.append(line, other[new]), np.append(row, more[new])
        # how far items and rows move with one standard deviation of the score or difference
        reach = self.covariance[i] - (0 if j is None else self.covariance[j])
        beside = self.beside[i] - (0 if j is None else self.beside[j])
        reach, beside = reach / size[:, None], beside / size[:, None]
        first, second = counts.first[row], counts.second[row]
        by_effects = (beside[line] * self.objective.effects[row]).sum(axis=1)
        moves = [reach[line, first] - reach[line, second] + by_effects]
        own = [[reach[np.arange(n), item] for item in items]]
        if j is None:  # far out, the others do not follow; the mean of all scores is still 0
            alone = size * counts.n_objects / (counts.n_objects - 1)
            moves.append(((first == i[line]) * 1.0 - (second == i[line])) * alone[line])
            own.append([alone])
        rest = np.sqrt(np.maximum(self.variance[row] - moves[0] ** 2, 0.0))
        left = 1.0 - np.bincount(line, self.curve[row] * moves[0] ** 2, n)
        left -= sum(
            self.precision[item] * move**2 for item, move in zip(items, own[0], strict=True)
        )
        best = np.full((n, _COARSE), -np.inf)
        for share in _FOLLOWING if j is None else (1.0,):
            move = share * moves[0] + (1 - share) * moves[-1]
            logs = self._row_terms(line, row, move, rest, n)
            slope = np.bincount(line, self.slope[row] * move, n).astype(float)
            for item, (near, far) in zip(items, zip(own[0], own[-1], strict=True), strict=True):
                moved = share * near + (1 - share) * far
                slope += self.precision[item] * self.at[item] * moved
                squares = (self.at[item, None] + moved[:, None] * _PLACES) ** 2
                logs += self.prior.log_density(squares)
            logs += slope[:, None] * _PLACES
            logs -= 0.5 * share**2 * np.maximum(left, 0.0)[:, None] * _PLACES**2
            np.maximum(best, logs, out=best)
        return _quantile_table(best)

    def _row_terms(
        self, line: NDArray[np.intp], row: NDArray[np.intp], move: Floats, rest: Floats, n: int
    ) -> Floats:
        """Return the mean log likelihood of rows, summed for each line at all places."""
        answers, (ahead, tie, lapse) = self.objective.answers, self.objective.parameters(self.at)
        ahead, counts = ahead[row], self.objective.counts.counts[:, row]
        found = np.empty((n, _COARSE))
        for at, place in enumerate(_PLACES):
            d = ahead + place * move + _NODES[:, None] * rest
            logs = answers.log_values(d.ravel(), tie, lapse).reshape(3, *d.shape)
            value = _NODE_WEIGHTS @ np.einsum("or,omr->mr", counts, logs)
            found[:, at] = np.bincount(line, value, n)
        return found

    def _rows_about(self, items: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the rows about each item: the place of the item, and the row."""
        begin, degree = self.begins[items], np.diff(self.begins)[items]
        line = np.repeat(np.arange(len(items)), degree)
        within = np.arange(len(line)) - np.repeat(np.cumsum(degree) - degree, degree)
        return line, self.rows_of[begin[line] + within]


def _size(covariance: Floats, i: NDArray[np.intp], j: NDArray[np.intp] | None) -> Floats:
    """Return standard deviations of scores i, or of their differences from scores j."""
    variance = covariance[i, i]
    if j is not None:
        variance = variance + covariance[j, j] - 2 * covariance[i, j]
    return np.asarray(np.sqrt(np.maximum(variance, 1e-300)))


def _quantile_table(logs: Floats) -> Floats:
    """Return normal quantiles of densities, whose logarithms are given at the places."""
    logs = CubicSpline(_ARCS, logs, axis=1)(_FINE_ARCS) + np.log(np.cosh(_FINE_ARCS))
    density = np.exp(logs - logs.max(axis=1, keepdims=True))
    below = np.cumsum(density, axis=1) - 0.5 * density
    above = np.cumsum(density[:, ::-1], axis=1)[:, ::-1] - 0.5 * density
    total = density.sum(axis=1, keepdims=True)
    low, high = (ndtri(np.maximum(part / total, 1e-300)) for part in (below, above))
    return np.asarray(np.where(below < above, low, -high))
