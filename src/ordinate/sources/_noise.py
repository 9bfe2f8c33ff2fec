"""How answers go wrong: each model turns true distances into those that a person perceives.

A model is any function ``(near, far, rng) -> (near, far)`` of the two true distances of each
question and a NumPy Generator; the answer is whichever pair is then perceived as nearer. Several
models apply one after the other, so ``noise=[GaussianNoise(0.1), FlippedAnswers(0.05)]`` is a
person with unsure eyes and a careless hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError, check_real

Perceived: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]
NoiseModel: TypeAlias = Callable[
    [NDArray[np.float64], NDArray[np.float64], np.random.Generator], Perceived
]
Noise: TypeAlias = "NoiseModel | Sequence[NoiseModel] | None"


@dataclass(frozen=True)
class FlippedAnswers:
    """Each answer is the wrong one with a fixed probability.

    Parameters
    ----------
    probability : float
        Between 0 (never) and 1 (always).

    See Also
    --------
    LogisticNoise, GaussianNoise : Wrong where the question is hard.

    Examples
    --------
    >>> import ordinate as od
    >>> line = [[0.0], [1.0], [3.0]]
    >>> od.sources.all_triplets(line, noise=od.sources.FlippedAnswers(1.0)).rows
    array([[0, 2, 1],
           [1, 2, 0],
           [2, 0, 1]], dtype=int32)
    """

    probability: float

    def __post_init__(self) -> None:
        check_real("probability", self.probability, minimum=0, maximum=1)

    def __call__(
        self, near: NDArray[np.float64], far: NDArray[np.float64], rng: np.random.Generator
    ) -> Perceived:
        """Exchange the two distances of some questions."""
        wrong = rng.random(len(near)) < self.probability
        return np.where(wrong, far, near), np.where(wrong, near, far)


@dataclass(frozen=True)
class LogisticNoise:
    """Bradley-Terry-Luce answers: unsure where the two distances are nearly the same.

    The pair at distance d1 is called nearer than the one at distance d2 with probability
    1 / (1 + exp((d1 - d2) / scale)).

    Parameters
    ----------
    scale : float, default=1.0
        The difference of distances at which right and wrong answers come e : 1; larger values
        give noisier answers.

    See Also
    --------
    GaussianNoise : Of the probit model.
    FlippedAnswers : However clear the question is.

    Examples
    --------
    >>> import ordinate as od
    >>> noise = od.sources.LogisticNoise(scale=0.5)
    >>> line = [[0.0], [1.0], [3.0]]
    >>> od.sources.all_triplets(line, noise=noise, random_state=0)
    Comparisons(3 triplets, 3 objects)
    """

    scale: float = 1.0

    def __post_init__(self) -> None:
        check_real("scale", self.scale, minimum=0, open_minimum=True)

    def __call__(
        self, near: NDArray[np.float64], far: NDArray[np.float64], rng: np.random.Generator
    ) -> Perceived:
        """Shift one distance by a logistic variable, whose distribution function this is."""
        return near + rng.logistic(scale=self.scale, size=len(near)), far


@dataclass(frozen=True)
class GaussianNoise:
    """Each distance is perceived with an independent normal error.

    Parameters
    ----------
    scale : float
        Standard deviation of the error of one distance.

    See Also
    --------
    LogisticNoise : Of the logit model.
    FlippedAnswers : However clear the question is.

    Examples
    --------
    >>> import ordinate as od
    >>> noise = od.sources.GaussianNoise(scale=0.5)
    >>> line = [[0.0], [1.0], [3.0]]
    >>> od.sources.all_triplets(line, noise=noise, random_state=0)
    Comparisons(3 triplets, 3 objects)
    """

    scale: float

    def __post_init__(self) -> None:
        check_real("scale", self.scale, minimum=0)

    def __call__(
        self, near: NDArray[np.float64], far: NDArray[np.float64], rng: np.random.Generator
    ) -> Perceived:
        """Add an error to both distances."""
        return (
            near + rng.normal(scale=self.scale, size=len(near)),
            far + rng.normal(scale=self.scale, size=len(far)),
        )


def as_models(noise: Noise) -> tuple[NoiseModel, ...]:
    """Return the models to apply in turn: none, the one given, or all of a sequence."""
    if noise is None:
        return ()
    models = tuple(noise) if isinstance(noise, Sequence) else (noise,)
    for model in models:
        if not callable(model):
            raise InputError(
                "noise must be a model such as FlippedAnswers(0.1), a sequence of models or None;"
                f" got {model!r}."
            )
    return models
