"""Points drawn at random, as the papers describe them."""

from __future__ import annotations

import numpy as np

from ordinate._checks import check_integer, check_real
from ordinate._random import RandomState, as_generator
from ordinate.datasets._about import about
from ordinate.datasets._record import Dataset

GAUSSIAN = about("gaussian")
TWO_SQUARES = about("two_squares")
MIXTURE = about("mixture")
SPHERE = about("sphere")
SWISS_ROLL = about("swiss_roll")


def make_gaussian(
    n_objects: int = 100, n_features: int = 10, *, random_state: RandomState = None
) -> Dataset:
    """Draw the Gaussian points of DMOE's simulation.

    Parameters
    ----------
    n_objects, n_features : int, default=100 and 10
        How many points, in how many dimensions.
    random_state : int, Generator or None, default=None
        Seed of the draw.

    Returns
    -------
    Dataset
        With `points`, each coordinate having variance 1/20.

    See Also
    --------
    make_mixture, make_sphere, make_swiss_roll, make_two_squares : Other shapes.

    Examples
    --------
    >>> import ordinate as od
    >>> od.datasets.make_gaussian(random_state=0)
    Dataset(gaussian: 100 objects, 10 features)
    """
    check_integer("n_objects", n_objects, minimum=1)
    check_integer("n_features", n_features, minimum=1)
    size = n_objects, n_features
    points = as_generator(random_state).normal(scale=20**-0.5, size=size)
    return Dataset(**vars(GAUSSIAN), points=points)


def make_two_squares(
    n_objects: int = 500, *, dense: float = 0.8, random_state: RandomState = None
) -> Dataset:
    """Draw points from two dense squares within a thin rectangle, as in LOE's Figure 2.

    Parameters
    ----------
    n_objects : int, default=500
        How many points.
    dense : float, default=0.8
        Probability with which a point is drawn from the squares; otherwise it is drawn from the
        whole rectangle. With 0.8 the squares are 17 times as dense as their surroundings.
    random_state : int, Generator or None, default=None
        Seed of the draw.

    Returns
    -------
    Dataset
        With `points` in the plane and `labels`: where each point lies.

    See Also
    --------
    make_mixture : Clouds instead of squares.

    Examples
    --------
    >>> import ordinate as od
    >>> od.datasets.make_two_squares(random_state=0).label_names
    ('between', 'left square', 'right square')
    """
    n_objects = check_integer("n_objects", n_objects, minimum=1)
    dense = check_real("dense", dense, minimum=0, maximum=1)
    rng = as_generator(random_state)
    anywhere = rng.uniform([-2, -1], [2, 1], size=(n_objects, 2))
    in_square = rng.uniform(-0.5, 0.5, size=(n_objects, 2))
    in_square[:, 0] += rng.choice([-1, 1], size=n_objects)
    points = np.where(rng.random((n_objects, 1)) < dense, in_square, anywhere)
    x, y = points.T
    inside = (np.abs(np.abs(x) - 1) <= 0.5) & (np.abs(y) <= 0.5)
    return Dataset(
        **vars(TWO_SQUARES),
        points=points,
        labels=np.where(inside, np.where(x < 0, 1, 2), 0),
        label_names=("between", "left square", "right square"),
    )


def make_mixture(
    n_objects: int = 90, n_features: int = 5, *, random_state: RandomState = None
) -> Dataset:
    """Draw points from LOE's mixture of three Gaussians.

    Parameters
    ----------
    n_objects, n_features : int, default=90 and 5
        How many points, in how many dimensions (2 or more).
    random_state : int, Generator or None, default=None
        Seed of the draw.

    Returns
    -------
    Dataset
        With `points` and `labels`, the component of each.

    See Also
    --------
    make_gaussian : One cloud.

    Examples
    --------
    >>> import ordinate as od
    >>> od.datasets.make_mixture(random_state=0)
    Dataset(mixture: 90 objects, 5 features, 3 labels)
    """
    n_objects = check_integer("n_objects", n_objects, minimum=1)
    n_features = check_integer("n_features", n_features, minimum=2)
    rng = as_generator(random_state)
    corners = np.array([[4 / 3**0.5, 0], [-2 / 3**0.5, 2], [-2 / 3**0.5, -2]])
    plane = np.linalg.qr(rng.normal(size=(n_features, 2))).Q
    labels = rng.integers(3, size=n_objects)
    noise = rng.normal(size=(n_objects, n_features))
    return Dataset(
        **vars(MIXTURE),
        points=corners[labels] @ plane.T + noise,
        labels=labels,
        label_names=("component 1", "component 2", "component 3"),
    )


def make_sphere(n_objects: int = 1000, *, random_state: RandomState = None) -> Dataset:
    """Draw points uniformly from the unit sphere.

    Parameters
    ----------
    n_objects : int, default=1000
        How many points.
    random_state : int, Generator or None, default=None
        Seed of the draw.

    Returns
    -------
    Dataset
        With `points` in three dimensions.

    See Also
    --------
    make_swiss_roll : Another surface.

    Examples
    --------
    >>> import ordinate as od
    >>> od.datasets.make_sphere(random_state=0)
    Dataset(sphere: 1,000 objects, 3 features)
    """
    n_objects = check_integer("n_objects", n_objects, minimum=1)
    directions = as_generator(random_state).normal(size=(n_objects, 3))
    return Dataset(
        **vars(SPHERE), points=directions / np.linalg.norm(directions, axis=1, keepdims=True)
    )


def make_swiss_roll(n_objects: int = 3000, *, random_state: RandomState = None) -> Dataset:
    """Draw points from a Swiss roll.

    Parameters
    ----------
    n_objects : int, default=3000
        How many points.
    random_state : int, Generator or None, default=None
        Seed of the draw.

    Returns
    -------
    Dataset
        With `points` in three dimensions and the attribute ``position``: how far along the
        rolled sheet each point lies.

    See Also
    --------
    make_sphere : Another surface.

    Examples
    --------
    >>> import ordinate as od
    >>> od.datasets.make_swiss_roll(random_state=0)
    Dataset(swiss_roll: 3,000 objects, 3 features)
    """
    from sklearn.datasets import make_swiss_roll as draw

    n_objects = check_integer("n_objects", n_objects, minimum=1)
    seed = int(as_generator(random_state).integers(2**32))
    points, position = draw(n_objects, random_state=seed)
    return Dataset(**vars(SWISS_ROLL), points=points, attributes={"position": position})
