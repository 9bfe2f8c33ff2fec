"""The chart of features that predict answers."""

import numpy as np

import ordinate as od


def test_rows_chance_and_ceiling_are_drawn():
    values = np.random.default_rng(0).normal(size=(12, 1))
    asked = od.sources.random_triplets(values, 60, random_state=0)
    answers = od.Comparisons(np.tile(asked.rows, (3, 1)))
    scores = od.score_features(answers, {"X": values, "Y": values**2}, random_state=0)
    ax = od.plots.plot_feature_scores(scores)
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        row.name for row in reversed(scores.rows)
    ]
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["chance", "agreement of people"]
    assert (
        len(
            od.plots.plot_feature_scores(
                od.score_features(answers[:1], {"X": values}, random_state=0)
            ).patches
        )
        == 0
    )
