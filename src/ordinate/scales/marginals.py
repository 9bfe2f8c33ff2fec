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
from scipy.special import log_ndtr, logsumexp, ndtri, ndtri_exp
from scipy.stats import t

from ordinate._arrays import Floats
from ordinate.scales.likelihood import Objective, normal_nodes

_REACH, _COARSE, _FINE = 8.0, 33, 321
"""Standard deviations up to which densities are computed, and at how many points."""
_NODES = normal_nodes(5)
_CHUNK = 2**15
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


class Marginals:
    """Distributions of centred scores, and of their differences."""

    def __init__(
        self, objective: Objective, components: list[Component], transform: Floats, skewed: bool
    ) -> None:
        self.weights = np.array([component.weight for component in components])
        self.parts = [_Part(objective, part, transform, skewed) for part in components]

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
        tail = np.log(0.5 - level / 2)
        size = 60 * np.max([line.size for line in lines], axis=0)
        ends = []
        for sign in (-1.0, 1.0):
            # bisection: outside of the interval, less than the tail is left
            inner = np.mean([line.centre for line in lines], axis=0)
            outer = inner + sign * size
            for _ in range(60):
                middle = (inner + outer) / 2
                outside = self._log_below(lines, middle, df, -sign) < tail
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
        size = ndtri_exp(smaller) if np.isinf(df) else t.ppf(np.exp(smaller), df)
        return np.where(below < above, -size, size)

    def _log_below(self, lines: list[_Line], x: Floats, df: float, sign: float) -> Floats:
        """Return the log of the probability of less than x, or with sign -1 of more."""
        places = [sign * line.quantiles(x) for line in lines]
        logs = [log_ndtr(z) if np.isinf(df) else t.logcdf(z, df) for z in places]
        return np.asarray(logsumexp(logs, axis=0, b=self.weights[:, None]))


class _Line(NamedTuple):
    """Densities of one score or difference each, as quantiles of a normal distribution."""

    centre: Floats
    size: Floats
    table: Floats | None
    """Quantiles at `_FINE` points, in units of `size` around the centre; None for a Gaussian."""

    def quantiles(self, x: Floats) -> Floats:
        """Return the normal quantiles of x."""
        place = (x - self.centre) / self.size
        if self.table is None:
            return place
        at = np.clip((place + _REACH) * (_FINE - 1) / (2 * _REACH), 0, _FINE - 1)
        low = np.minimum(at.astype(np.intp), _FINE - 2)
        rows = np.arange(len(low))
        before, after = self.table[rows, low], self.table[rows, low + 1]
        beyond = place - np.clip(place, -_REACH, _REACH)
        return np.asarray(before + (at - low) * (after - before) + beyond)


class _Part:
    """One Gaussian, with what moves along lines through its mean."""

    def __init__(
        self, objective: Objective, component: Component, transform: Floats, skewed: bool
    ) -> None:
        self.objective, self.at, self.skewed = objective, component.at, skewed
        self.scores = transform @ component.at
        self.covariance = transform @ component.covariance @ transform.T
        self.stretched = self.covariance
        if component.stretched is not component.covariance:
            self.stretched = transform @ component.stretched @ transform.T
        if not skewed:
            return
        blocks, counts = objective.blocks, objective.counts
        linear = np.r_[blocks.scores, blocks.coefficients, blocks.side]
        self.variance = objective.row_variances(component.covariance[np.ix_(linear, linear)])
        self.beside = transform @ component.covariance[:, blocks.side].sum(axis=1)
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

    def _tables(self, i: NDArray[np.intp], j: NDArray[np.intp] | None, size: Floats) -> Floats:
        objective, n = self.objective, len(i)
        line, row = self._rows_about(i)
        if j is not None:
            counts = objective.counts
            other, more = self._rows_about(j)
            new = (counts.first[more] != i[other]) & (counts.second[more] != i[other])
            line, row = np.append(line, other[new]), np.append(row, more[new])
        # how far each row moves with one standard deviation of the score or difference
        move = self._reach(row, i[line]) - (0 if j is None else self._reach(row, j[line]))
        move = move / size[line]
        rest = np.sqrt(np.maximum(self.variance[row] - move**2, 0.0))
        slope = np.bincount(line, self.slope[row] * move, n)
        curve = np.bincount(line, self.curve[row] * move**2, n)
        answers, (ahead, tie, lapse) = objective.answers, objective.parameters(self.at)
        ahead, outcomes = ahead[row], objective.counts.counts[:, row]
        places = np.linspace(-_REACH, _REACH, _COARSE)
        logs = slope[:, None] * places - 0.5 * (1 - curve[:, None]) * places**2
        for at, place in enumerate(places):
            value = np.zeros(len(row))
            for node, weight in _NODES:
                d = ahead + place * move + node * rest
                value += weight * (outcomes * answers.log_values(d, tie, lapse)).sum(axis=0)
            logs[:, at] += np.bincount(line, value, n)
        return _quantile_table(places, logs)

    def _rows_about(self, items: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the rows about each item: the place of the item, and the row."""
        begin, degree = self.begins[items], np.diff(self.begins)[items]
        line = np.repeat(np.arange(len(items)), degree)
        within = np.arange(len(line)) - np.repeat(np.cumsum(degree) - degree, degree)
        return line, self.rows_of[begin[line] + within]

    def _reach(self, row: NDArray[np.intp], item: NDArray[np.intp]) -> Floats:
        """Return covariances of how far the first of a row is ahead with scores."""
        counts = self.objective.counts
        first, second = counts.first[row], counts.second[row]
        between = self.covariance[first, item] - self.covariance[second, item]
        return np.asarray(between + self.beside[item])


def _size(covariance: Floats, i: NDArray[np.intp], j: NDArray[np.intp] | None) -> Floats:
    """Return standard deviations of scores i, or of their differences from scores j."""
    variance = covariance[i, i]
    if j is not None:
        variance = variance + covariance[j, j] - 2 * covariance[i, j]
    return np.asarray(np.sqrt(np.maximum(variance, 1e-300)))


def _quantile_table(places: Floats, logs: Floats) -> Floats:
    """Return normal quantiles of densities, whose logarithms are given at some places."""
    fine = np.linspace(places[0], places[-1], _FINE)
    logs = CubicSpline(places, logs, axis=1)(fine)
    density = np.exp(logs - logs.max(axis=1, keepdims=True))
    below = np.cumsum(density, axis=1) - 0.5 * density
    above = np.cumsum(density[:, ::-1], axis=1)[:, ::-1] - 0.5 * density
    total = density.sum(axis=1, keepdims=True)
    low, high = (ndtri(np.maximum(part / total, 1e-300)) for part in (below, above))
    return np.asarray(np.where(below < above, low, -high))
