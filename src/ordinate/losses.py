"""Losses: two squared distances in, the loss and its partial derivatives out.

A loss is a plain function ``loss(near2, far2, *parameters)`` of the squared distance of the
pair that was called nearer and of the pair that was called farther. It returns its value and
its partial derivatives in ``near2`` and ``far2``, written with NumPy's elementwise functions only.
The same text then serves everywhere: NumPy applies it to arrays, the CPU engine compiles it for
scalars, another engine may put its own functions in the place of ``np``.

The sum over comparisons, weights, gradients in the coordinates and the solver are not a loss's
business. `ordinate.OrdinalEmbedding` takes any function of this form.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

__all__ = [
    *("soe", "gnmds", "ckl", "ste", "ste_with_lapses", "logistic", "tste", "tete"),
    *("with_lapses", "log_t", "exp_t"),
]

LossAndDerivatives: TypeAlias = tuple[Any, Any, Any]
Loss: TypeAlias = Callable[..., LossAndDerivatives]
"""Takes two squared distances and parameters; returns the loss and its two partial derivatives."""

_TINY = 1e-150
"""Keeps a derivative finite at distance zero, where it is multiplied by a zero difference."""
_NARROWEST = 1e-30
"""Width of a kink that is none, and no division by zero in single precision either."""


def soe(near2: Any, far2: Any, delta: float = 1.0) -> LossAndDerivatives:
    """Squared hinge on distances: max(0, d_near + δ − d_far)².

    Parameters
    ----------
    near2, far2 : float or array
        Squared distances of the near and of the far pair.
    delta : float, default=1.0
        By how much the far distance must exceed the near one. It only sets the scale of the
        map: an optimum for δ is δ times an optimum for 1.

    Returns
    -------
    value, derivative_near, derivative_far : float or array
        The loss and its derivatives in the squared distances.

    See Also
    --------
    ordinate.SOE : The estimator.

    References
    ----------
    Terada & von Luxburg, Local Ordinal Embedding, ICML 2014, equation (1).

    Examples
    --------
    >>> from ordinate.losses import soe
    >>> [float(part) for part in soe(4.0, 4.0, 1.0)]
    [1.0, 0.5, -0.5]
    """
    near = np.sqrt(near2)
    far = np.sqrt(far2)
    violation = np.maximum(near + delta - far, 0.0)
    return (
        violation * violation,
        violation / np.maximum(near, _TINY),
        -violation / np.maximum(far, _TINY),
    )


def gnmds(near2: Any, far2: Any, width: float = 0.0) -> LossAndDerivatives:
    """Hinge on squared distances: max(0, 1 + d_near² − d_far²).

    Parameters
    ----------
    near2, far2 : float or array
        Squared distances of the near and of the far pair.
    width : float, default=0.0
        Rounds the kink of the hinge off by a parabola up to this far on either side.

    Returns
    -------
    value, derivative_near, derivative_far : float or array
        The loss and its derivatives in the squared distances.

    See Also
    --------
    ordinate.GNMDS : The estimator.

    References
    ----------
    Agarwal et al., Generalized Non-metric Multidimensional Scaling, AISTATS 2007.

    Examples
    --------
    >>> from ordinate.losses import gnmds
    >>> [float(part) for part in gnmds(4.0, 4.0)]
    [1.0, 1.0, -1.0]
    """
    violation = 1.0 + near2 - far2
    half = np.maximum(width, _NARROWEST)
    inside = np.minimum(np.maximum(violation + half, 0.0), 2.0 * half)
    derivative = inside / (2.0 * half)
    value = np.maximum(violation - half, 0.0) + 0.5 * inside * derivative
    return value, derivative, -derivative


def ckl(near2: Any, far2: Any, mu: float = 0.05) -> LossAndDerivatives:
    """Crowd kernel: −log((μ + d_far²) / (2μ + d_near² + d_far²)).

    Parameters
    ----------
    near2, far2 : float or array
        Squared distances of the near and of the far pair.
    mu : float, default=0.05
        Positive; keeps the probabilities away from 0 and 1 at small distances.

    Returns
    -------
    value, derivative_near, derivative_far : float or array
        The loss and its derivatives in the squared distances.

    See Also
    --------
    ordinate.CKL : The estimator.

    References
    ----------
    Tamuz et al., Adaptively Learning the Crowd Kernel, ICML 2011.

    Examples
    --------
    >>> from ordinate.losses import ckl
    >>> round(float(ckl(1.0, 1.0, 0.05)[0]), 6)  # a tie costs log 2
    0.693147
    """
    near = mu + near2
    far = mu + far2
    both = 1.0 / (near + far)
    return np.log1p(near / far), both, -both * near / far


def ste(near2: Any, far2: Any) -> LossAndDerivatives:
    """Logistic loss on squared distances: log(1 + exp(d_near² − d_far²)).

    Parameters
    ----------
    near2, far2 : float or array
        Squared distances of the near and of the far pair.

    Returns
    -------
    value, derivative_near, derivative_far : float or array
        The loss and its derivatives in the squared distances.

    See Also
    --------
    ordinate.STE : The estimator.

    References
    ----------
    van der Maaten & Weinberger, Stochastic Triplet Embedding, MLSP 2012.

    Examples
    --------
    >>> from ordinate.losses import ste
    >>> [float(part) for part in ste(1e6, 0.0)]  # exact where exp would overflow
    [1000000.0, 1.0, -1.0]
    """
    gap = near2 - far2
    small = np.exp(-np.abs(gap))
    wrong = np.where(gap > 0.0, 1.0, small) / (1.0 + small)
    return np.maximum(gap, 0.0) + np.log1p(small), wrong, -wrong


def logistic(near2: Any, far2: Any, margin: Any = 0.0) -> LossAndDerivatives:
    """Logistic loss on distances: log(1 + exp(d_near − d_far + margin)), a smooth hinge.

    Parameters
    ----------
    near2, far2 : float or array
        Squared distances of the near and of the far pair.
    margin : float, default=0
        By how much far distances should exceed near ones; with 0 the loss is −log of a
        probability.

    Returns
    -------
    value, derivative_near, derivative_far : float or array
        The loss and its derivatives in the squared distances.

    See Also
    --------
    ordinate.OrdinalEmbedding : Fits any loss.

    Examples
    --------
    >>> from ordinate.losses import logistic
    >>> [float(part) for part in logistic(1e12, 0.0)][:2]  # exact where exp would overflow
    [1000000.0, 5e-07]
    """
    near = np.sqrt(near2)
    far = np.sqrt(far2)
    gap = near - far + margin
    small = np.exp(-np.abs(gap))
    wrong = 0.5 * np.where(gap > 0.0, 1.0, small) / (1.0 + small)
    return (
        np.maximum(gap, 0.0) + np.log1p(small),
        wrong / np.maximum(near, _TINY),
        -wrong / np.maximum(far, _TINY),
    )


def with_lapses(
    value: Any, derivative_near: Any, derivative_far: Any, lapse: Any
) -> LossAndDerivatives:
    """Let a response be random with probability ℓ: −log(ℓ/2 + (1 − ℓ) exp(−loss)).

    Parameters
    ----------
    value, derivative_near, derivative_far : float or array
        What a loss returned whose value is −log of an answer's probability: `ste`, `tste`,
        `ckl`, `logistic`.
    lapse : float
        The share ℓ of answers given without looking, between 0 and 1.

    Returns
    -------
    value, derivative_near, derivative_far : float or array
        The loss and its derivatives in the squared distances.

    Examples
    --------
    >>> from ordinate.losses import ste, with_lapses
    >>> round(float(with_lapses(*ste(1e6, 0.0), lapse=0.1)[0]), 6)  # no answer costs more: log 20
    2.995732
    """
    meant = (1.0 - lapse) * np.exp(-value)
    both = 0.5 * lapse + meant
    return -np.log(both), derivative_near * meant / both, derivative_far * meant / both


def ste_with_lapses(near2: Any, far2: Any, lapse_rate: float = 0.1) -> LossAndDerivatives:
    """Logistic loss on squared distances, with a share of random responses (lapses).

    −log(ℓ/2 + (1 − ℓ) / (1 + exp(d_near² − d_far²))): no answer costs more than log(2 / ℓ).

    Parameters
    ----------
    near2, far2 : float or array
        Squared distances of the near and of the far pair.
    lapse_rate : float, default=0.1
        The share ℓ of random responses, between 0 and 1; `ste` is the loss without any.

    Returns
    -------
    value, derivative_near, derivative_far : float or array
        The loss and its derivatives in the squared distances.

    See Also
    --------
    with_lapses : The same of any loss that is −log of a probability.

    References
    ----------
    Wichmann & Hill, The Psychometric Function: I. Fitting, Sampling, and Goodness of Fit,
    Perception & Psychophysics 2001 (the lapse rate).

    Examples
    --------
    >>> from ordinate.losses import ste_with_lapses
    >>> round(float(ste_with_lapses(1e6, 0.0, 0.1)[0]), 6)  # no answer costs more: log 20
    2.995732
    """
    # written out: every engine compiles a loss as one function, which may not call another
    gap = near2 - far2
    small = np.exp(-np.abs(gap))
    holds = np.where(gap > 0.0, small, 1.0) / (1.0 + small)
    wrong = np.where(gap > 0.0, 1.0, small) / (1.0 + small)
    meant = (1.0 - lapse_rate) * holds
    both = 0.5 * lapse_rate + meant
    slope = wrong * meant / both
    return -np.log(both), slope, -slope


def tste(near2: Any, far2: Any, alpha: float = 1.0) -> LossAndDerivatives:
    """Heavy-tailed logistic loss: log(1 + ((α + d_near²) / (α + d_far²))^((α+1)/2)).

    Parameters
    ----------
    near2, far2 : float or array
        Squared distances of the near and of the far pair.
    alpha : float, default=1.0
        Positive; degrees of freedom of the Student kernel.

    Returns
    -------
    value, derivative_near, derivative_far : float or array
        The loss and its derivatives in the squared distances.

    See Also
    --------
    ordinate.TSTE : The estimator.

    References
    ----------
    van der Maaten & Weinberger, Stochastic Triplet Embedding, MLSP 2012.

    Examples
    --------
    >>> from ordinate.losses import tste
    >>> round(float(tste(1.0, 3.0, alpha=1.0)[0]), 6)  # log(1 + 2 / 4)
    0.405465
    """
    near = alpha + near2
    far = alpha + far2
    power = 0.5 * (alpha + 1.0)
    gap = power * np.log(near / far)
    small = np.exp(-np.abs(gap))
    wrong = power * np.where(gap > 0.0, 1.0, small) / (1.0 + small)
    return np.maximum(gap, 0.0) + np.log1p(small), wrong / near, -wrong / far


def tete(near2: Any, far2: Any, t: float = 2.0, t_prime: float = 2.0) -> LossAndDerivatives:
    """Bounded loss of t-ETE: log_t(1 + exp_t'(−d_far²) / exp_t'(−d_near²)).

    With t = 1 it is STE (t' = 1) or t-STE with α = 1 (t' = 2). For t > 1 no answer can cost
    more than 1 / (t − 1), so wrong answers lose their pull.

    Parameters
    ----------
    near2, far2 : float or array
        Squared distances of the near and of the far pair.
    t : float, default=2.0
        From 1 (logarithm) to 2 (loss capped at 1).
    t_prime : float, default=2.0
        From 1 (Gaussian tails) to 2 (Student tails).

    Returns
    -------
    value, derivative_near, derivative_far : float or array
        The loss and its derivatives in the squared distances.

    See Also
    --------
    ordinate.TETE : The estimator.

    References
    ----------
    Amid, Vlassis & Warmuth, Low-dimensional Data Embedding via Robust Ranking,
    arXiv:1611.09957, equation (7).

    Examples
    --------
    >>> from ordinate.losses import tete
    >>> float(tete(1.0, 1.0)[0])  # a tie costs half of the most that an answer can
    0.5
    """
    tail = t_prime - 1.0
    near = 1.0 + tail * near2
    far = 1.0 + tail * far2
    gap = near2 - far2 if tail == 0.0 else np.log(near / far) / tail
    softplus = np.maximum(gap, 0.0) + np.log1p(np.exp(-np.abs(gap)))
    pull = np.exp(gap - t * softplus)
    value = softplus if t == 1.0 else -np.expm1((1.0 - t) * softplus) / (t - 1.0)
    return value, pull / near, -pull / far


def log_t(x: Any, t: float) -> Any:
    """Generalized logarithm, which for t > 1 is capped at 1 / (t − 1).

    Parameters
    ----------
    x : float or array
        Positive.
    t : float
        The temperature, usually between 0 and 2; with 1 it is the ordinary logarithm.

    Returns
    -------
    float or array
        (x^(1 − t) − 1) / (1 − t).

    See Also
    --------
    exp_t : Its inverse.
    tete : The loss that is made of both.

    References
    ----------
    Amid, Vlassis & Warmuth, Low-dimensional Data Embedding via Robust Ranking,
    arXiv:1611.09957, equation (3).

    Examples
    --------
    >>> from ordinate.losses import log_t
    >>> float(log_t(4.0, 2.0))
    0.75
    """
    logarithm = np.log(x)
    return logarithm if t == 1.0 else np.expm1((1.0 - t) * logarithm) / (1.0 - t)


def exp_t(x: Any, t: float) -> Any:
    """Generalized exponential, which for t > 1 falls to zero more slowly than the ordinary one.

    Parameters
    ----------
    x : float or array
        Any number; for t > 1 the function is finite below 1 / (t − 1).
    t : float
        The temperature, usually between 0 and 2; with 1 it is the ordinary exponential.

    Returns
    -------
    float or array
        max(0, 1 + (1 − t) x)^(1 / (1 − t)).

    See Also
    --------
    log_t : Its inverse.

    References
    ----------
    Amid, Vlassis & Warmuth, Low-dimensional Data Embedding via Robust Ranking,
    arXiv:1611.09957, equation (4).

    Examples
    --------
    >>> from ordinate.losses import exp_t
    >>> float(exp_t(-3.0, 2.0))  # Student tails
    0.25
    """
    if t == 1.0:
        return np.exp(x)
    base = np.maximum(1.0 + (1.0 - t) * np.asarray(x, dtype=float), 0.0)
    with np.errstate(divide="ignore"):
        return base ** (1.0 / (1.0 - t))
