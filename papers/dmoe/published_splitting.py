"""The splitting of the published DMOE code, kept so that its numbers can be checked."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ordinate.gram.admm import Proximal
from ordinate.gram.objective import Gram, MarginOperator, project_psd

_GROWTH = 1.05
_LARGEST_STEP = 1e5


def published_splitting(
    operator: MarginOperator,
    proximal: Proximal,
    start: Gram,
    *,
    margin: float,
    penalty: float,
    n_iter: int,
    step: float = 0.1,
) -> Gram:
    """Run the authors' iteration: two slacks, two copies of G, a step that grows by 5 %.

    The growing step freezes the iterate short of the optimum and nothing tells when to stop, so
    `ordinate.gram.admm.admm` is the solver to use. Margins have the sign that lets answers
    hold; the authors' program asks for the opposite unless its margin is given as negative.

    Parameters
    ----------
    operator : MarginOperator
        A.
    proximal : callable
        The proximal map of the one-sided loss; the published code weighs both sides alike.
    start : ndarray of shape (n_objects, n_objects)
        The first matrix.
    margin : float
        The margin that has no slack.
    penalty : float
        Weight of the nuclear norm.
    n_iter : int
        Number of iterations.
    step : float
        The first weight of the quadratic terms.

    Returns
    -------
    ndarray of shape (n_objects, n_objects)
        The last iterate, which need not be positive semidefinite.

    Examples
    --------
    >>> import numpy as np, ordinate as od
    >>> from ordinate.gram.objective import MarginOperator
    >>> from papers.dmoe.published_splitting import published_splitting
    >>> def hinge(u, step):
    ...     return np.where(u > step, u - step, np.minimum(u, 0))
    >>> operator = MarginOperator(od.Comparisons([[0, 1, 2]]))
    >>> gram = published_splitting(
    ...     operator, hinge, np.eye(3), margin=1.0, penalty=0.1, n_iter=300
    ... )
    >>> operator.margins(gram).round(2)
    array([1.])
    """
    iterates = published_iterates(
        operator, proximal, start, margin=margin, penalty=penalty, step=step
    )
    for _ in range(n_iter):
        start = next(iterates)
    return start


def published_iterates(
    operator: MarginOperator,
    proximal: Proximal,
    start: Gram,
    *,
    margin: float,
    penalty: float,
    step: float = 0.1,
) -> Iterator[Gram]:
    """Yield the iterates of `published_splitting`, without an end."""
    gram = start
    below_dual = above_dual = np.zeros(operator.n_comparisons)
    shrunk_dual = cone_dual = np.zeros_like(start)
    slack = margin - operator.margins(gram)
    while True:
        below = proximal(slack - below_dual / step, 1.0 / step)
        above = proximal(-slack - above_dual / step, 1.0 / step)
        shrunk = _shrink_spectrum(gram + shrunk_dual / step, penalty / step)
        cone = project_psd(gram + cone_dual / step)

        slack_target = 0.5 * (below + below_dual / step - above - above_dual / step)
        target = 0.5 * (shrunk - shrunk_dual / step + cone - cone_dual / step)
        missing = margin - slack_target - operator.margins(target)
        gram = target
        operator.add_adjoint(
            gram, operator.solve_normal(missing, np.zeros_like(missing), tol=1e-14)
        )

        slack = margin - operator.margins(gram)
        below_dual = below_dual + step * (below - slack)
        above_dual = above_dual + step * (above + slack)
        shrunk_dual = shrunk_dual + step * (gram - shrunk)
        cone_dual = cone_dual + step * (gram - cone)
        step = min(_GROWTH * step, _LARGEST_STEP)
        yield gram


def _shrink_spectrum(matrix: Gram, threshold: float) -> Gram:
    """Bring every eigenvalue nearer to zero by the threshold, none past it."""
    values, vectors = np.linalg.eigh(matrix)
    values = np.sign(values) * np.maximum(np.abs(values) - threshold, 0.0)
    shrunk: Gram = (vectors * values) @ vectors.T
    return shrunk
