"""What was shown and chosen in each row, before it becomes a record."""

import numpy as np
import pytest

import ordinate as od
from ordinate.io.layout import Layout
from ordinate.io.layout_table import find_layout
from ordinate.io.read import answered_rows
from ordinate.io.rows import Log
from ordinate.io.tables import as_table

PAIRS = {"item_a": list("uvwu"), "item_b": list("vwuw"), "winner": ["u", "tie", "", "w"]}


def answered(table, scaled, **told):
    layout = Layout(**told)
    source = as_table({name: [e or None for e in of] for name, of in table.items()})
    return answered_rows(Log(source, find_layout(source.names, layout, scaled=scaled), layout))[0]


def test_rows_hold_items_by_number_and_choices_by_position():
    with pytest.warns(od.DroppedRowsWarning):
        rows = answered(PAIRS, True, on_invalid="drop")
    assert rows.labels == ("u", "v", "w")
    assert rows.items.tolist() == [[0, 1], [1, 2], [0, 2]]
    assert rows.tie.tolist() == [False, True, False]
    assert rows.chosen[~rows.tie].tolist() == [[0], [1]]
    assert rows.origin.tolist() == [0, 1, 3]


def test_further_columns_go_with_the_rows_that_are_kept():
    table = PAIRS | {"length_a": [7, 8, 9, 5], "phase": ["main", "main", "main", "practice"]}
    with pytest.warns(od.DroppedRowsWarning):
        rows = answered(table, True, on_invalid="drop", exclude="phase=practice")
    assert rows.take("length_a").tolist() == [7, 8]
    pairs, origin = rows.to_record()
    assert pairs.outcomes.tolist() == [1, 0]
    np.testing.assert_array_equal(origin, [0, 1])


def test_a_question_without_some_objects_has_none_there():
    table = {"anchor": list("ux"), "ref1": list("vw"), "ref2": list("wu"), "ref3": ["x", ""]}
    rows = answered(table | {"chosen1": list("vw"), "chosen2": ["w", ""]}, False)
    assert rows.items.tolist() == [[0, 1, 2, 3], [3, 2, 0, -1]]
    assert rows.chosen.tolist() == [[0, 1], [0, -1]]
    comparisons, origin = rows.to_record()
    assert [tuple(comparisons.names[o] for o in row) for row in comparisons.rows] == [
        ("u", "v", "x"),
        ("u", "w", "x"),
        ("x", "w", "u"),
    ]
    assert origin.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("beside", "codes"),
    [
        ({"response": [0, 1, 0]}, ("two-codings",)),
        ({"response": list("bca"), "phase": ["practice", "x", "x"]}, ("practice-rows",)),
        (
            {"response": [0, 1, 0], "phase": ["practice", "x", "x"]},
            ("practice-rows", "two-codings"),
        ),
        ({"response": list("bca"), "choice": list("cab")}, ("witness-disagrees",)),
        ({"response": list("bca"), "loser": list("bca")}, ("witness-disagrees",)),
    ],
)
def test_doubts_have_codes(beside, codes):
    table = {"anchor": list("abc"), "left": list("bca"), "right": list("cab")}
    with pytest.raises(od.LayoutError) as caught:
        od.read_comparisons(table | beside)
    assert caught.value.codes == codes
