"""The chart of features that predict answers."""

import ordinate as od


def test_rows_chance_and_ceiling_are_drawn():
    answers = od.Comparisons([[0, 1, 2]] * 3 + [[0, 2, 1]])
    scores = od.score_features(
        answers, {"X": [[0.0], [1.0], [3.0]], "Y": [[0.0], [2.0], [1.0]]}, random_state=0
    )
    ax = od.plots.plot_feature_scores(scores)
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        row.name for row in reversed(scores.rows)
    ]
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["chance", "agreement of people"]
    assert (
        len(
            od.plots.plot_feature_scores(
                od.score_features(answers[:1], {"X": [[0.0]] * 3}, random_state=0)
            ).patches
        )
        == 0
    )
