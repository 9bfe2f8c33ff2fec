"""Losses that are −log of an answer's probability, by the method they belong to."""

from __future__ import annotations

from ordinate import losses
from ordinate._checks import check_choice

LIKELIHOODS: dict[str, losses.Loss] = {
    "STE": losses.ste,
    "TSTE": losses.tste,
    "CKL": losses.ckl,
    "SOE": losses.logistic,
}


def likelihood(method: str, n_components: int) -> tuple[losses.Loss, tuple[float, ...]]:
    """Return the loss of a method and the parameters that it has by default."""
    loss = LIKELIHOODS[check_choice("likelihood", method, LIKELIHOODS)]
    if loss is losses.tste:
        return loss, (degrees_of_freedom(n_components),)
    return loss, getattr(loss, "__defaults__", None) or ()


def degrees_of_freedom(n_components: int) -> float:
    """Return t-STE's α for a dimension, as published."""
    return float(max(n_components - 1, 1))
