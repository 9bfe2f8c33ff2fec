"""Rankings of items, and the best and the worst of several, as pairs."""

import numpy as np
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
    assert not pairs.ordered
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


ORDERS = [["Ann", ["Bob", "Cem"], "Dan"], ["Bob", "Ann"], ["Cem", "Ann", ["Bob", "Dan"]]]


@pytest.mark.parametrize(
    "text",
    [
        "rank_1,rank_2,rank_3\nAnn,Bob = Cem,Dan\nBob,Ann,\nCem,Ann,Dan=Bob\n",
        "ranking\nAnn > Bob = Cem > Dan\nBob>Ann\nCem>Ann>Bob=Dan\n",
        "Ann,Bob,Cem,Dan\n1,2,2,4\n2,1,,\n2,3,1,3\n",
        "Ann,Bob,Cem,Dan,judge\n1,2,2,3,p\n2,1,0,0,p\n2,3,1,3,q\n",
        "race,driver,place\n3,Bob,3\n1,Dan,4\n2,Bob,1\n1,Ann,1\n2,Dan,\n1,Cem,2\n3,Ann,2\n3,Cem,1\n"
        "3,Dan,3\n1,Bob,2\n2,Ann,2\n",
    ],
    ids=["ties", "written", "across", "across-with-judges", "long"],
)
def test_rankings_with_ties(tmp_path, text):
    path = tmp_path / "orders.csv"
    path.write_text(text)
    groups = {"groups": "race"} if "race" in text else {}
    pairs = od.read_pairs(path, question="ranking", **groups)
    expected = od.Pairs.from_rankings(ORDERS)
    assert stated(pairs) == stated(expected)
    assert ("participant" in pairs.groups) == ("judge" in text)
    turned = od.read_pairs(path, question="ranking", reverse=True, **groups)
    assert stated(turned) == stated(expected.reversed())


def stated(pairs):
    """Statements about pairs, and how many there are of each trial."""
    sizes = np.unique(pairs.groups["trial"], return_counts=True)[1]
    rows = [tuple(pairs.name_of(item) for item in row) for row in pairs.rows.tolist()]
    both = zip(rows, pairs.outcomes.tolist(), strict=True)
    return sorted(sizes), sorted((*sorted(row), o if row[0] < row[1] else -o) for row, o in both)


def test_rankings_by_places_that_cannot_be_read():
    long = {"race": [1, 1, 2, 2], "driver": ["u", "v", "u", "u"], "place": [1, 2, 1, 2]}
    with pytest.raises(od.InputError, match="Which rows are of one ranking"):
        od.read_pairs(long, question="ranking")
    with pytest.raises(od.InputError, match=r"Row 3 has 'u' a second time in one ranking"):
        od.read_pairs(long, question="ranking", groups="race")
    with pytest.raises(od.InputError, match="holds 'u'; expected orders such as a > b = c"):
        od.read_pairs({"ranking": ["u", "v>u"]}, question="ranking")
    with pytest.raises(od.InputError, match="Row 1 has a negative place"):
        od.read_pairs(long | {"place": [1, -1, 1, 2]}, question="ranking", groups="race")
    with pytest.raises(od.InputError, match="Which columns hold the items"):  # items, or places?
        od.read_pairs({"x1": [1, 2], "x2": [2, 1], "x3": [3, 3]}, question="ranking")


def test_an_item_twice_in_a_ranking_is_refused():
    with pytest.raises(od.LayoutError, match=r"Row 0 .*compares nothing"):
        od.read_pairs({"rank_1": ["u"], "rank_2": ["v"], "rank_3": ["u"]})
