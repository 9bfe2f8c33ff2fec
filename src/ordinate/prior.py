"""The Gaussian prior of a map: a sphere, or a covariance over objects from their features.

Each coordinate of a map is normal over objects with the covariance v (ρ K + (1 − ρ) I), where K
says which objects have similar features. ρ = 0 is the sphere that `penalty` stands for. Everything
is written in whitened coordinates: with K = Φ Φᵀ the map is

    X = √v (√ρ Φ U + √(1 − ρ) R),    U and R standard normal,

so that a MAP fit minimises loss + ½‖U − M‖² + ½‖R‖², which is well conditioned, and Φ is all that
is kept of the features: never a matrix of objects by objects. The mean M is zero, or the leading
axes of Φ: then a map of few answers is that of the features.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias, Unpack

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.spatial.distance import cdist, pdist

from ordinate._arrays import Points
from ordinate._checks import InputError
from ordinate._threads import effective_n_jobs
from ordinate.comparisons.choices import Answers
from ordinate.solvers.lbfgs import lbfgs
from ordinate.solvers.stopping import Function, Result, Rules

KERNELS = ("sum", "local", "linear")
"""How features become similarities: by a Gaussian of their distances, by products, or by both."""
SHARES = (0.0, 0.5, 0.8, 0.95, 0.99)
"""Shares ρ of the variance that features may explain; 0 for a map that ignores them."""
VARIANCES = (0.03, 0.1, 0.3, 1.0, 3.0)
"""Variances v of a coordinate."""
TRUSTS = (0.0, 3.0, 10.0, 30.0)
"""How far the mean of the prior lies along the principal axes of the features."""
_SEARCH_TOL = 1e-3
"""Maps that only serve to choose a prior need not be exact."""
_LANDMARKS = 600
"""Objects that a local kernel is made from; it is exact for fewer objects."""
_FEW_OBJECTS = 5000
"""Up to this many objects memory holds the factors of all kernels."""
_NEGLIGIBLE = 1e-8
"""Share of the largest eigenvalue below which a direction of the features is rounding."""


class FeatureKernel:
    """Similarities of objects by their features, as products Φ Φᵀ with a mean diagonal of 1.

    Features are centred and scaled, each by its own standard deviation or all by one number.
    The local kernel is exp(−‖f_i − f_j‖² / median); above a few hundred objects it is that of
    Nyström. Rows of NaN are objects without features, which are similar to none.
    """

    def __init__(
        self, rows: NDArray[Any], kind: str = "sum", *, standardise: bool = True, seed: int = 0
    ) -> None:
        self.kind, self.standardised = kind, standardise
        self.featured: NDArray[np.bool_] = ~np.isnan(rows).any(axis=1)
        features = rows[self.featured]
        self._scale(features)
        scaled = self._scaled(features)
        self._axes: Points | None = None
        self._landmarks: Points | None = None
        if kind != "local":
            self._axes = _principal_axes(scaled)
        if kind != "linear":
            rng = np.random.default_rng(seed)
            chosen = np.sort(rng.permutation(len(scaled))[:_LANDMARKS])
            self._landmarks = scaled[chosen]
            self._median = max(float(np.median(pdist(self._landmarks, "sqeuclidean"))), 1e-300)
            values, vectors = eigh(self._near(self._landmarks, self._landmarks))
            kept = values > _NEGLIGIBLE * values[-1]
            self._whitening = vectors[:, kept] / np.sqrt(values[kept])
        told = self._factor(scaled)
        self.factor: Points = np.zeros((len(rows), told.shape[1]))
        self.factor[self.featured] = told

    def _scale(self, features: NDArray[Any]) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            self._center = features.mean(axis=0, dtype=np.float64)
            spread = features.std(axis=0, dtype=np.float64)
        if not np.isfinite(spread).all():
            raise InputError("Features are so large that squares overflow; divide them by 1e100.")
        varying = (spread > 0) & (features.max(axis=0) > features.min(axis=0))
        if not varying.any():
            raise InputError("All features are constant; they must differ between objects.")
        if not self.standardised:
            spread = np.where(varying, np.sqrt(np.square(spread[varying]).mean()), 0)
        root = np.sqrt(np.count_nonzero(varying))
        self._by = np.where(varying, 1 / np.where(varying, spread * root, 1), 0)

    def _scaled(self, features: NDArray[Any]) -> Points:
        return np.asarray((features - self._center) * self._by, dtype=np.float64)

    def _near(self, scaled: Points, landmarks: Points) -> Points:
        return np.asarray(np.exp(-cdist(scaled, landmarks, "sqeuclidean") / self._median))

    def _factor(self, scaled: Points) -> Points:
        parts = []
        if self._axes is not None:
            parts.append(scaled @ self._axes)
        if self._landmarks is not None:
            parts.append(self._near(scaled, self._landmarks) @ self._whitening)
        return np.asarray(np.hstack(parts) / np.sqrt(len(parts)))

    def __call__(self, rows: NDArray[Any]) -> Points:
        """Return rows of Φ for any objects by their features."""
        return self._factor(self._scaled(rows))

    def diagonal(self, rows: NDArray[Any]) -> Points:
        """Return K of objects with themselves, which Nyström's Φ Φᵀ falls short of."""
        scaled = self._scaled(rows)
        parts = []
        if self._axes is not None:
            parts.append(np.square(scaled).sum(axis=1))
        if self._landmarks is not None:
            parts.append(np.ones(len(scaled)))
        return np.asarray(np.mean(parts, axis=0))


def _principal_axes(scaled: Points) -> Points:
    """Return an orthonormal basis of the rows, at most as many as there are rows."""
    n_rows, n_columns = scaled.shape
    if n_columns <= n_rows:
        return np.eye(n_columns)
    values, vectors = eigh(scaled @ scaled.T)  # a Gram matrix costs less than an SVD
    kept = values > _NEGLIGIBLE * values[-1]
    return np.asarray(scaled.T @ (vectors[:, kept] / np.sqrt(values[kept])))


def leading_axes(factor: Points, n_components: int) -> Points:
    """Return the directions of Φ's columns along which objects differ most, as columns."""
    centered = factor - factor.mean(axis=0)
    rank = factor.shape[1]
    first = max(rank - n_components, 0)
    axes = eigh(centered.T @ centered, subset_by_index=(first, rank - 1))[1][:, ::-1]
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=0)[None], axis=0)
    return np.asarray(axes * np.where(largest < 0, -1.0, 1.0))


@dataclass(frozen=True, eq=False)
class Prior:
    """The covariance v (ρ Φ Φᵀ + (1 − ρ) I) of each coordinate of a map over objects."""

    factor: Points
    share: float
    variance: float
    trust: float = 0.0
    """Length of the mean of U along each leading axis of Φ; 0 for a mean of zero."""

    @property
    def n_whitened(self) -> int:
        """Whitened numbers per coordinate: one per column of Φ and one per object."""
        return sum(self.factor.shape)

    def covariance(self) -> Points:
        """Return the covariance itself, for few objects."""
        n_objects = len(self.factor)
        told = self.share * self.factor @ self.factor.T
        return self.variance * (told + (1 - self.share) * np.eye(n_objects))

    def color(self, white: Points) -> Points:
        """Return the map that belongs to whitened coordinates (U above R)."""
        rank = self.factor.shape[1]
        free = np.sqrt(self.variance * (1 - self.share)) * white[rank:]
        return np.asarray(self.told(white) + free)

    def told(self, white: Points) -> Points:
        """Return the part of the map that features tell."""
        return np.asarray(self.factor @ self.weights(white))

    def weights(self, white: Points) -> Points:
        """Return by what rows of Φ are multiplied: the Gaussian-process mean of any object."""
        return np.asarray(np.sqrt(self.variance * self.share) * white[: self.factor.shape[1]])

    def pull_back(self, gradient: Points) -> Points:
        """Return the gradient in whitened coordinates of a function of the map."""
        by_features = np.sqrt(self.variance * self.share) * (self.factor.T @ gradient)
        return np.vstack([by_features, np.sqrt(self.variance * (1 - self.share)) * gradient])

    def mean(self, n_components: int) -> Points:
        """Return the mean of whitened coordinates."""
        mean = np.zeros((self.n_whitened, n_components))
        if self.share and self.trust:
            axes = leading_axes(self.factor, n_components)
            mean[: len(axes), : axes.shape[1]] = self.trust * axes
        return mean

    def objective(self, loss: Function, n_components: int) -> Function:
        """Return minus the log of the posterior density, as a function of whitened coordinates."""
        mean = self.mean(n_components)

        def total(white: Points) -> tuple[float, Points]:
            value, gradient = loss(self.color(white))
            away = white - mean
            return (
                float(value + 0.5 * np.square(away).sum()),
                self.pull_back(np.asarray(gradient, dtype=np.float64)) + away,
            )

        return total

    def starts(self, n_components: int, rng: np.random.Generator) -> list[Points]:
        """Return the leading axes of what features tell, and a random start."""
        random = 0.1 * rng.standard_normal((self.n_whitened, n_components))
        if not self.share:
            return [random]
        axes = leading_axes(self.factor, n_components)
        start = 0.01 * random  # no saddle point between symmetric axes
        start[: len(axes), : axes.shape[1]] += max(self.trust, 1.0) * axes
        return [start, random]

    def variances(self, told: Points, diagonal: Points, asked: NDArray[np.bool_]) -> Points:
        """Return the variance of each coordinate of new objects, given the map of those asked.

        Gaussian-process regression: v (ρ k + 1 − ρ − ρ² kᵀ Σ⁻¹ k), computed in the columns of Φ.
        """
        known = self.factor[asked]
        rank = known.shape[1]
        inner = np.eye(rank) * (1 - self.share) + self.share * known.T @ known
        left = np.einsum("ij,ji->i", told, cho_solve(cho_factor(inner), told.T))
        beyond = np.maximum(diagonal - np.square(told).sum(axis=1), 0)
        share = self.share
        return np.asarray(self.variance * ((1 - share) * (1 + share * left) + share * beyond))


def fit_map(
    loss: Function, prior: Prior, starts: Sequence[Points], **rules: Unpack[Rules]
) -> Result:
    """Return the whitened coordinates of the most probable map, the best of several starts."""
    objective = prior.objective(loss, starts[0].shape[1])
    found = [lbfgs(objective, start, **rules) for start in starts]
    return min(found, key=lambda result: result.value)


class PriorChoice(NamedTuple):
    """A prior that is tried: the number of its kernel, ρ, v and how far its mean lies."""

    kernel: int
    share: float
    variance: float
    trust: float = 0.0


Judge: TypeAlias = Callable[[Answers, Points], NDArray[np.float64]]
"""The share of answers that is wrong on a map, and their mean loss on it at several sizes."""


@dataclass
class PriorFits:
    """Fits of answers under priors from some kernels, whose ρ, v and kernel are chosen."""

    answers: Answers
    kernels: Sequence[FeatureKernel]
    n_components: int
    loss_of: Callable[[Answers], Function]
    judge: Judge
    seed: int = 0
    max_iter: int = 1000
    tol: float = 1e-4
    n_jobs: int | None = 1
    advance: Callable[[], object] = lambda: None
    results: dict[PriorChoice, NDArray[np.float64]] = field(default_factory=dict)
    """The share of wrong answers and the mean losses, a row per part that is held out."""

    def choose(self, held_out: Sequence[NDArray[np.bool_]]) -> PriorChoice:
        """Return the prior under which answers that are held out are most probable.

        v, ρ, the kernel, again v and the mean are tried one after another; ρ = 0, which ignores
        features, is always among those that are compared.
        """
        middle = SHARES[len(SHARES) // 2]
        self._try(
            [PriorChoice(0, share, v) for share in (0.0, middle) for v in VARIANCES], held_out
        )
        best = self.best_of(with_features=True)
        self._try([best._replace(share=share) for share in SHARES if share], held_out)
        best = self.best_of(with_features=True)
        self._try([best._replace(kernel=at) for at in range(len(self.kernels))], held_out)
        best = self.best_of(with_features=True)
        at = VARIANCES.index(best.variance)
        near = VARIANCES[max(at - 1, 0) : at + 2]
        self._try([best._replace(variance=v) for v in near], held_out)
        best = self.best_of(with_features=True)
        self._try([best._replace(trust=trust) for trust in TRUSTS], held_out)
        return min(self.results, key=self.loss)

    def best_of(self, *, with_features: bool) -> PriorChoice:
        """Return the best of the priors tried that use features, or of those that do not."""
        return min((one for one in self.results if (one.share > 0) == with_features), key=self.loss)

    def error(self, choice: PriorChoice) -> float:
        """Return the share of held-out answers that is wrong."""
        return float(self.results[choice][:, 0].mean())

    def loss(self, choice: PriorChoice) -> float:
        """Return the mean loss of held-out answers on maps of the best size."""
        return float(best_sized(self.results[choice])[:, 1].mean())

    def _try(self, choices: Iterable[PriorChoice], held_out: Sequence[NDArray[np.bool_]]) -> None:
        new = [choice for choice in choices if choice not in self.results]
        if not new:
            return
        for choice, found in zip(new, self.hold_out(new, held_out), strict=True):
            self.results[choice] = found

    def hold_out(
        self, choices: Sequence[PriorChoice], held_out: Sequence[NDArray[np.bool_]]
    ) -> NDArray[np.float64]:
        """Return what is judged of each prior on each part."""

        def one(choice: PriorChoice, part: NDArray[np.bool_]) -> NDArray[np.float64]:
            prior = self.prior(choice)
            found = fit_map(
                self.loss_of(self.answers[~part]),
                prior,
                self._starts(prior)[:1],
                max_iter=self.max_iter,
                tol=max(self.tol, _SEARCH_TOL),
            )
            self.advance()
            return self.judge(self.answers[part], prior.color(found.points))

        workers = Parallel(n_jobs=effective_n_jobs(self.n_jobs), prefer="threads")
        figures = workers(delayed(one)(choice, part) for choice in choices for part in held_out)
        return np.array(figures).reshape(len(choices), len(held_out), -1)

    def prior(self, choice: PriorChoice) -> Prior:
        """Return the prior that was chosen."""
        return Prior(
            self.kernels[choice.kernel].factor, choice.share, choice.variance, choice.trust
        )

    def fit(self, choice: PriorChoice) -> tuple[Prior, Result]:
        """Return a prior and the whitened coordinates of the map of all answers under it."""
        prior = self.prior(choice)
        rules: Rules = {"max_iter": self.max_iter, "tol": self.tol}
        return prior, fit_map(self.loss_of(self.answers), prior, self._starts(prior), **rules)

    def _starts(self, prior: Prior) -> list[Points]:
        return prior.starts(self.n_components, np.random.default_rng(self.seed))


def best_sized(found: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of wrong answers and the loss at the size that is best for all parts.

    A good map may be too sure of itself.
    """
    at = 1 + int(found[:, 1:].mean(axis=0).argmin())
    return found[:, [0, at]]


MOST_TRIED = 2 * len(VARIANCES) + len(SHARES) + 2 * len(KERNELS) + len(TRUSTS) + 2
"""Priors that are tried at most, of each kernel with features standardised or not."""


def make_kernels(rows: NDArray[Any], seed: int = 0) -> list[FeatureKernel]:
    """Return the kernels that are tried, in both units of the features; of many objects, sums."""
    kinds = KERNELS if len(rows) <= _FEW_OBJECTS else KERNELS[:1]
    return [
        FeatureKernel(rows, kind, standardise=standardise, seed=seed)
        for standardise in (False, True)
        for kind in kinds
    ]
