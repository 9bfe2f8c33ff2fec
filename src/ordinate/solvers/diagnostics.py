"""Whether Markov chains can be trusted: split R-hat and the effective number of draws."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def split_rhat(draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how much wider all half-chains together are than each of them: 1 if they agree.

    Parameters
    ----------
    draws : ndarray of shape (n_chains, n_draws, n_quantities)
        At least four draws per chain.

    Returns
    -------
    ndarray of shape (n_quantities,)
        Values above about 1.05 say that the chains have not met; 1 for a constant.

    References
    ----------
    Gelman et al., Bayesian Data Analysis, 3rd edition 2013, section 11.4.

    Examples
    --------
    >>> import numpy as np
    >>> from ordinate.solvers.diagnostics import split_rhat
    >>> draws = np.random.default_rng(0).standard_normal((4, 500, 1))
    >>> bool(split_rhat(draws)[0] < 1.01)
    True
    """
    within, total = _variances(_halves(draws))
    return np.sqrt(np.divide(total, within, out=np.ones_like(total), where=within > 0))


def effective_draws(draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many independent draws would estimate a mean as well.

    Autocorrelations are summed in pairs as long as these are positive and made to fall
    (Geyer's initial monotone sequence).

    Parameters
    ----------
    draws : ndarray of shape (n_chains, n_draws, n_quantities)
        At least four draws per chain.

    Returns
    -------
    ndarray of shape (n_quantities,)
        At most the number of draws; that number for a constant.

    References
    ----------
    Geyer, Practical Markov Chain Monte Carlo, Statistical Science 1992; Gelman et al., Bayesian
    Data Analysis, 3rd edition 2013, section 11.5.

    Examples
    --------
    >>> import numpy as np
    >>> from ordinate.solvers.diagnostics import effective_draws
    >>> draws = np.random.default_rng(0).standard_normal((4, 500, 1))
    >>> bool(effective_draws(draws)[0] > 1500)
    True
    """
    halves = _halves(draws)
    n_chains, n_draws, _ = halves.shape
    within, total = _variances(halves)
    centered = halves - halves.mean(axis=1, keepdims=True)
    spectrum = np.abs(np.fft.rfft(centered, 2 * n_draws, axis=1)) ** 2
    covariance = np.fft.irfft(spectrum, 2 * n_draws, axis=1)[:, :n_draws].mean(axis=0)
    varying = total > 0
    lost = np.zeros_like(covariance)
    np.divide(within - covariance / (n_draws - 1), total, out=lost, where=varying)
    correlation = 1.0 - lost
    n_pairs = n_draws // 2
    pairs = correlation[0 : 2 * n_pairs : 2] + correlation[1 : 2 * n_pairs : 2]
    falling = np.minimum.accumulate(pairs, axis=0)
    time = 2.0 * np.where(falling > 0, falling, 0.0).sum(axis=0) - 1.0
    n_all = n_chains * n_draws
    return np.where(varying, np.minimum(n_all / np.maximum(time, 1e-9), n_all), float(n_all))


def _halves(draws: NDArray[np.float64]) -> NDArray[np.float64]:
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, half : 2 * half]])


def _variances(
    chains: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean variance within chains and the variance over all of them."""
    n_draws = chains.shape[1]
    within = chains.var(axis=1, ddof=1).mean(axis=0)
    total = within * (n_draws - 1) / n_draws + chains.mean(axis=1).var(axis=0, ddof=1)
    return within, total
