"""Rankings of items, and the best and the worst of several, as pairs."""

import pytest

import ordinate as od

SHOWN = {"item_1": ["u", "v"], "item_2": ["v", "w"], "item_3": ["w", "x"], "item_4": ["x", "u"]}
U_BEST = [("u", "v"), ("u", "w"), ("u", "x"), ("v", "x"), ("w", "x")]
W_BEST = [("w", "v"), ("w", "x"), ("w", "u"), ("x", "v"), ("u", "v")]


def won(pairs):
    assert pairs.outcomes.tolist() == [1] * len(pairs)
    return [tuple(pairs.names[item] for item in row) for row in pairs.rows]


@pytest.mark.parametrize(
    "answers",
    [
        {"best": ["u", "w"], "worst": ["x", "v"]},
        {"Best": ["item_1", "item_2"], "Worst": ["item_4", "item_1"]},
        {"best": [1, 2], "worst": [4, 1]},
        {"most": ["u", "w"], "least": ["x", "v"]},
    ],
)
def test_the_best_and_the_worst_of_four(answers):
    pairs = od.read_pairs(SHOWN | answers | {"judge": ["p", "q"]})
    assert sorted(won(pairs)) == sorted(U_BEST + W_BEST)
    assert pairs.groups["trial"].tolist() == [0] * 5 + [1] * 5
    assert pairs.groups["participant"].tolist() == ["p"] * 5 + ["q"] * 5
    assert od.read(SHOWN | answers | {"judge": ["p", "q"]}) == pairs


def test_their_columns_can_be_named():
    table = dict(zip(("a", "b", "c", "d"), SHOWN.values(), strict=True))
    table |= {"top": ["u", "w"], "flop": ["x", "v"]}
    told = {"question": "best_worst", "columns": list("abcd"), "answer": ["top", "flop"]}
    layout = od.Layout(**told)
    assert sorted(won(od.read_pairs(table, layout=layout))) == sorted(U_BEST + W_BEST)
    reversed_ = od.read_pairs(table, layout=layout, reverse=True)
    assert reversed_.outcomes.tolist() == [-1] * 10


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"best": ["u", "w"], "worst": ["u", "v"]}, "Row 0 has the same item as the best and the"),
        ({"best": ["u", "w"], "worst": ["q", "v"]}, "Row 0 has 'q' in column 'worst'"),
        ({"best": [1, 2], "worst": [2, 1]}, "can be read in two ways"),
        ({"best": ["u", "w"], "worst": [4, 1]}, "coded alike in all rows"),
    ],
)
def test_what_is_refused(answers, message):
    with pytest.raises(od.InputError, match=message):
        od.read_pairs(SHOWN | answers)


def test_the_columns_of_several_items_must_be_known():
    with pytest.raises(od.InputError, match="Name the columns of the best and of the worst"):
        od.read_pairs(SHOWN | {"best": ["u", "w"]}, question="best_worst", answer="best")
    pair = {"item_a": ["u"], "item_b": ["v"], "winner": ["u"]}
    with pytest.raises(od.InputError, match="Which columns hold the items"):
        od.read_pairs(pair, question="ranking")
    with pytest.raises(od.InputError, match=r"Expected triplets; items in 'item_a' .*od\.rank"):
        od.read_comparisons(pair)


def test_rankings_of_items(tmp_path):
    path = tmp_path / "ranking.csv"
    path.write_text("judge,rank_1,rank_2,rank_3\np,u,v,w\nq,w,u,\n")
    pairs = od.read_pairs(path)
    assert won(pairs) == [("u", "v"), ("u", "w"), ("v", "w"), ("w", "u")]
    assert od.read(path) == pairs
    numbers = {"rank_1": [1, 2], "rank_2": [2, 3], "rank_3": [3, 1]}
    with pytest.raises(od.LayoutError, match="items, best first, or the ranks of items"):
        od.read_pairs(numbers)
    layout = od.Layout(question="ranking")
    assert len(od.read_pairs(numbers, layout=layout)) == 6
    anchored = {"anchor": ["x"], "rank_1": ["u"], "rank_2": ["v"], "rank_3": ["w"]}
    with pytest.raises(od.InputError, match="which column says who won"):
        od.read_pairs(anchored)
    assert isinstance(od.read(anchored), od.Comparisons)


def test_an_item_twice_in_a_ranking_is_refused():
    with pytest.raises(od.LayoutError, match=r"Row 0 .*compares nothing"):
        od.read_pairs({"rank_1": ["u"], "rank_2": ["v"], "rank_3": ["u"]})
