"""On every labelled map a name stands beside its own dot, inside the frame, and covers no other."""

import numpy as np
import pytest

import ordinate as od
from ordinate.cli.demo import draw_demo
from ordinate.plots._figures import figure_of

CITIES = od.datasets.load_cities(100)
RNG = np.random.default_rng(0)
CLOUD = RNG.normal(size=(60, 2))
NAMES = [f"object {number}" for number in range(60)]


def misplaced(ax, positions, others=None):
    """Name labels that are nearer to another dot than to their own, overlap or leave the frame."""
    figure = figure_of(ax)
    figure.draw_without_rendering()
    dots = ax.transData.transform(positions)
    owner = np.arange(len(dots))
    if others is not None:
        dots = np.concatenate([dots, ax.transData.transform(others)])
        owner = np.concatenate([owner, owner])
    texts = [text for text in ax.texts if (text.get_gid() or "").startswith("name-")]
    boxes = [text.get_window_extent() for text in texts]
    corners = np.array([[box.x0, box.y0, box.x1, box.y1] for box in boxes])
    # of a letter's box the last pixel is empty
    corners += [1, 1, -1, -1]
    frame, faults = figure.bbox, []
    for number, (text, (x0, y0, x1, y1)) in enumerate(zip(texts, corners, strict=True)):
        nearest = np.clip(dots, [x0, y0], [x1, y1])
        far = np.linalg.norm(dots - nearest, axis=1)
        own = owner == int(text.get_gid().removeprefix("name-"))
        if far[own].min() > far[~own].min():
            faults.append(f"{text.get_text()}: nearer to another dot")
        if x0 < frame.x0 or y0 < frame.y0 or x1 > frame.x1 or y1 > frame.y1:
            faults.append(f"{text.get_text()}: outside of the frame")
        apart = (corners[:, 0] >= x1) | (corners[:, 2] <= x0)
        apart |= (corners[:, 1] >= y1) | (corners[:, 3] <= y0)
        if not apart[np.arange(len(texts)) != number].all():
            faults.append(f"{text.get_text()}: covers another name")
    assert len(texts) > 3
    return faults


def with_uncertainty():
    answers = od.sources.random_triplets(CLOUD, 600, random_state=0)
    model = od.STE(2, random_state=0).fit(answers)
    sure = od.map_uncertainty(model, answers, n_draws=20, random_state=0)
    return od.plots.plot_map(model.embedding_, NAMES, uncertainty=sure), model.embedding_


def over_truth():
    found = CITIES.points + RNG.normal(scale=40, size=CITIES.points.shape)
    ax = od.plots.plot_map_over_truth(found, CITIES.points, CITIES.names)
    return ax, od.metrics.procrustes_align(found, CITIES.points), CITIES.points


def demo():
    found = CITIES.points + RNG.normal(scale=20, size=CITIES.points.shape)
    return draw_demo(CITIES, found), found, CITIES.points


def machine():
    """A map of few objects with short names, as the thumbnail of the gallery."""
    points = np.array([[0, 0], [0.02, 0.01], [1, 0], [0.5, 0.9], [0.52, 0.88], [1, 1], [0, 1]])
    return od.plots.plot_map(points, ["cat", "hat", "tree", "three", "bee", "sea", "tea"]), points


def graph():
    edges = np.column_stack([np.arange(60), np.roll(np.arange(60), 1)])
    return od.plots.plot_graph(CLOUD, edges, NAMES), CLOUD


MAPS = {
    "cities": lambda: (od.plots.plot_map(CITIES.points, CITIES.names), CITIES.points),
    "colours": lambda: (
        od.plots.plot_map(CITIES.points, CITIES.names, CITIES.labels),
        CITIES.points,
    ),
    "cloud": lambda: (od.plots.plot_map(CLOUD, NAMES), CLOUD),
    "uncertain": with_uncertainty,
    "over truth": over_truth,
    "demo, the first page": demo,
    "machine": machine,
    "graph": graph,
}


@pytest.mark.parametrize("name", MAPS)
def test_names_stand_beside_their_own_dots(name):
    assert misplaced(*MAPS[name]()) == []
