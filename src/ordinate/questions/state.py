"""Questions as values that JSON can hold, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ordinate._checks import InputError
from ordinate.comparisons.record import Comparisons
from ordinate.questions.batch import Asked
from ordinate.questions.ledger import Ledger, Told
from ordinate.questions.prepare import Fit
from ordinate.questions.progress import Judgement

if TYPE_CHECKING:
    from ordinate.questions.questions import Questions

    Kind = TypeVar("Kind", bound=Questions)

FORMAT = "ordinate questions"
VERSION = 5
_ARRAYS = ("points", "ends", "choosing_ends")
"""Of a fit."""


def pack(questions: Questions) -> dict[str, Any]:
    """Return everything that questions consist of."""
    task, ledger, fit = questions._task, questions._ledger, questions._fit
    return {
        "format": FORMAT,
        "version": VERSION,
        "settings": {
            "objects": list(questions._names),
            "n_components": questions._n_components,
            "task": task.name,
            "rule": questions._rule,
            "random_share": questions._random_share,
            "repeats": questions._repeats,
            "shown": task.n_choices,
            "choose": task.n_select,
            "features": _pack_features(questions._features),
        },
        "seed": questions._seed,
        "validation": [list(items) for items in questions._validation],
        "given": None if ledger.given is None else _pack_comparisons(ledger.given),
        "asked": _as_table(ledger.asked, Asked),
        "told": _as_table(ledger.told, Told),
        "fit": None
        if fit is None
        else asdict(fit) | {name: getattr(fit, name).tolist() for name in _ARRAYS},
        "queue": [[list(items), score] for items, score in questions._queue],
        "judged": [list(entry) for entry in questions._judged],
        "left_open": [list(entry) for entry in questions._left_open],
    }


def unpack(kind: type[Kind], state: Mapping[str, Any]) -> Kind:
    """Return questions made of what `pack` returned."""
    if not isinstance(state, Mapping) or str(state.get("format")) != FORMAT:
        raise InputError("This is not the state of Questions; pass what state() returned.")
    if str(state.get("version")) != str(VERSION):
        raise InputError(
            f"The state has version {state.get('version')}; this Ordinate reads version {VERSION}."
        )
    try:
        return _unpack(kind, state)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"The state is damaged: {error!r}.") from None


def _unpack(kind: type[Kind], state: Mapping[str, Any]) -> Kind:
    settings = {**state["settings"], **_choose_options(state["settings"])}
    questions = kind(**settings | {"features": _unpack_features(settings.get("features"))})
    given = state["given"]
    if given is not None:
        comparisons = Comparisons(**given, names=questions._names)
        questions._ledger = Ledger(questions._task, comparisons)
    ledger = questions._ledger
    questions._seed = _natural(state["seed"])
    questions._validation = [tuple(map(_natural, items)) for items in state["validation"]]
    for row in _rows_of(state["asked"]):
        missing = {"score": float("nan") if row["score"] is None else row["score"]}
        ledger.add(Asked(**{**row, **missing, "items": tuple(row["items"])}))
    for row in _rows_of(state["told"]):
        chosen = None if row["chosen"] is None else tuple(row["chosen"])
        ledger.enter(Told(row["id"], chosen, row["participant"]))
    fit = state["fit"]
    if fit is not None:
        arrays = {name: np.array(fit[name], dtype=np.float64) for name in _ARRAYS}
        questions._fit = Fit(**{**fit, **arrays})
    questions._queue = [(tuple(items), score) for items, score in state["queue"]]
    questions._judged = [Judgement(*entry) for entry in state["judged"]]
    questions._left_open = [(n_answers, share) for n_answers, share in state["left_open"]]
    return questions


def _pack_features(features: Any) -> list[Any] | None:
    """Return rows of numbers, None for an object without features: JSON has no NaN."""
    if features is None:
        return None
    gaps = np.isnan(features).any(axis=1).tolist()
    return [None if gap else row for row, gap in zip(features.tolist(), gaps, strict=True)]


def _unpack_features(rows: list[Any] | None) -> Any:
    if rows is None:
        return None
    n_features = len(next(row for row in rows if row is not None))
    return [[float("nan")] * n_features if row is None else row for row in rows]


def _natural(number: Any) -> int:
    """Return a whole number from 0, as seeds and numbers of objects are."""
    if int(number) != number or number < 0:
        raise ValueError(f"{number!r} is not a whole number from 0")
    return int(number)


def _choose_options(settings: Mapping[str, Any]) -> dict[str, int]:
    """Return the two options of choose-k, which other tasks do not look at."""
    if settings["task"] == "choose_k":
        return {}
    return {"shown": 8, "choose": 2}


def _as_table(rows: list[Any], kind: type) -> dict[str, list[Any]]:
    """Return one list per field, without the NaN that JSON has not."""
    table = {}
    for field in fields(kind):
        values = [getattr(row, field.name) for row in rows]
        table[field.name] = [
            list(value) if isinstance(value, tuple) else None if value != value else value
            for value in values
        ]
    return table


def _rows_of(table: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]


def _pack_comparisons(given: Comparisons) -> dict[str, Any]:
    return {
        "rows": given.rows.tolist(),
        "weights": None if given.weights is None else given.weights.tolist(),
        "groups": {name: labels.tolist() for name, labels in given.groups.items()},
    }
