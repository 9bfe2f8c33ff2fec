"""Answers as every verb takes them: a record, a file, a pattern of files, a frame or an array."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from ordinate._arguments import argument
from ordinate._checks import InputError
from ordinate.comparisons.choices import Answers, with_whole_trials
from ordinate.comparisons.inputs import as_comparisons
from ordinate.comparisons.labels import warn_of_labels
from ordinate.comparisons.pairs import Pairs
from ordinate.comparisons.partitions import PartitionedComparisons
from ordinate.comparisons.record import Comparisons
from ordinate.comparisons.trials import Trials
from ordinate.io.headings import GROUPS, normalize_heading
from ordinate.io.layout import Layout, UnmatchedExclusionError, layout_for
from ordinate.io.object_tables import read_names
from ordinate.io.read import is_published, read_log, read_trials
from ordinate.io.rows import Reading, notes_about
from ordinate.io.tables import matching_files, refuse_options
from ordinate.selection._direction import other_coding_fits_better, warn_if_reversed

LayoutLike: TypeAlias = Layout | str | os.PathLike[str] | None


def read_answers(
    source: Any,
    layout: LayoutLike,
    fields: Mapping[str, Any],
    *,
    pairs: bool | None = False,
    verbose: bool = False,
    check: bool = True,
) -> tuple[Any, list[Reading]]:
    """Return the record, or read what is none and say how; None for pairs reads either kind.

    With `check`, warn if answers fit better when they are read otherwise.
    """
    if isinstance(source, Pairs | Comparisons | Trials | PartitionedComparisons):
        refuse_options(layout=layout, **fields)
        if pairs is not None and pairs != isinstance(source, Pairs):
            raise InputError(
                "Expected answers about two items each (od.Pairs); got comparisons of similarity."
                " Use od.analyze for a map."
                if pairs
                else "Expected comparisons of similarity, such as triplets; got answers about pairs"
                " of items. Use od.rank for a ranking."
            )
        if isinstance(source, Pairs):
            return source, []
        return as_comparisons(source.to_comparisons() if isinstance(source, Trials) else source), []
    record, readings = _read(source, layout, fields, pairs)
    if verbose:
        for note in notes_about(readings):
            print(note, file=sys.stderr)
    warn_of_labels(record.names)
    if check and isinstance(record, Comparisons):
        _warn_of_other_readings(source, layout, fields, record, readings)
    return record, readings


def _read(
    source: Any, layout: LayoutLike, fields: Mapping[str, Any], pairs: bool | None
) -> tuple[Any, list[Reading]]:
    """Read a source, or all files that match a pattern, into one record."""
    read = _read_all(matching_files(source), layout, fields, pairs)
    records, readings = [record for record, _ in read], [reading for _, reading in read]
    if len(records) == 1:
        return records[0], readings
    kind = Comparisons if any(isinstance(one, Comparisons) for one in records) else Pairs
    return kind.concatenate(records), readings


def _read_all(
    sources: Sequence[Any], layout: LayoutLike, fields: Mapping[str, Any], pairs: bool | None
) -> list[Any]:
    """Read each source; what is to be left out must be in one of them."""
    read, unmatched = [], []
    for one in sources:
        told = layout_for(one, layout, fields)
        while True:
            try:
                read.append(read_log(one, told, pairs=pairs))
                break
            except UnmatchedExclusionError as error:
                unmatched.append(error.condition)
                if unmatched.count(error.condition) == len(sources):
                    raise
                told = replace(told, exclude=error.others)
    return read


def _warn_of_other_readings(
    source: Any,
    layout: LayoutLike,
    fields: Mapping[str, Any],
    answers: Comparisons,
    readings: Sequence[Reading],
) -> None:
    """Warn if answers fit far better in another coding, or the other way round."""
    for coding in sorted(set.intersection(*(set(one.other_codings) for one in readings))):
        told = {**fields, "coding": coding, "names": answers.names}
        other, _ = _read(source, layout, told, pairs=False)
        said = other_coding_fits_better(answers, other)
        if said:
            warnings.warn(f"{said} Try {argument('coding', coding)}.", stacklevel=4)
            return
    warn_if_reversed(answers, [reading.opposite for reading in readings], stacklevel=5)


def read_choices(
    source: Any,
    layout: LayoutLike,
    fields: Mapping[str, Any],
    *,
    objects: Any = None,
    published: bool,
    verbose: bool,
) -> tuple[Answers, list[Reading]]:
    """Read answers, odd-one-out trials as wholes; those of THINGS have no header.

    A list of objects, or a file of it, names those that the answers only number.
    """
    found: Answers
    readings: list[Reading] = []
    if isinstance(source, Trials):
        refuse_options(layout=layout, **fields)
        found = source
    elif (
        published
        and layout is None
        and not set(fields) - {"question"}
        and isinstance(source, str | os.PathLike)
        and is_published(Path(source))
    ):
        found = read_trials(source)
    else:
        record, readings = read_answers(source, layout, fields, verbose=verbose)
        found = with_whole_trials(record)
    if found.names is not None or objects is None:
        return found, readings
    names = read_names(objects)
    if len(names) < found.n_objects:
        said = os.fspath(objects) if isinstance(objects, str | os.PathLike) else "objects"
        raise InputError(
            f"{said} names {len(names):,} objects, but the largest position in the answers is"
            f" {found.n_objects - 1:,} (they count from 0); name all objects in their order."
        )
    return type(found)(
        found.rows, weights=found.weights, groups=found.groups, names=names
    ), readings


def find_group(groups: Collection[str], name: str | None) -> str | None:
    """Return the group that is meant: judges and subjects may be called participants."""
    if name is None:
        return None
    if not isinstance(name, str):
        raise InputError(f"Expected the name of a group, such as 'participant'; got {name!r}.")
    if name in groups:
        return name
    heading = normalize_heading(name)
    return next((group for group in groups if heading in GROUPS.get(group, ())), name)


def group_to_hold_out(groups: Collection[str], split_by: str | None) -> str | None:
    """Return the group asked for, or trials if there are any: their answers belong together."""
    if split_by in (None, "auto"):
        return "trial" if "trial" in groups else None
    return find_group(groups, split_by)


def pooled_conditions(groups: Mapping[str, Any]) -> str:
    """Say that answers of several conditions are taken together; empty if there is one at most."""
    labels = sorted({str(label) for label in groups.get("condition", ())})
    if len(labels) < 2:
        return ""
    shown = ", ".join(labels[:5]) + ", …" * (len(labels) > 5)
    return (
        f"Answers of {len(labels)} conditions ({shown}) are pooled;"
        f" {argument('by', 'condition')} shows each and tests whether they differ."
    )
