"""The field's evaluation, in small."""

import ordinate as od
from papers.benchmark.evaluation import METHODS, Setting, draw, draw_figure, measure


def test_answers_are_as_many_and_as_noisy_as_asked():
    points, train, test = draw(Setting(n=32, d=3, c=2.0, flips=0.25), 0)
    assert points.shape == (32, 3)
    assert len(train) == 2 * 32 * 3 * 5
    assert len(test) == 10_000
    assert abs(od.metrics.triplet_error(train, points) - 0.25) < 0.06
    assert od.metrics.triplet_error(test, points) == 0


def test_every_figure_of_a_map_is_measured_and_drawn():
    setting = Setting(n=20, c=4.0)
    found = measure("SOE", setting, 0)
    assert found["triplet error"] < 0.15
    assert found["neighbours missed"] < 0.5
    rows = [
        {"varied": "c", **setting._asdict(), "method": name, "seed": 0, **found} for name in METHODS
    ]
    assert len(draw_figure(rows).axes) == 1
