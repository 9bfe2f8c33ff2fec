"""Nine hundred logs whose truth is known: none is read wrongly, none refused without a reason.

A log is a layout of columns, a coding of the answers, a container, a kind of labels and further
columns, all drawn at random. An oracle that shares nothing with the reader lists what the entries
may mean. Where that is one thing the log must be read; where it may be two it must be refused, and
be read rightly once the reader is told how it was written.
"""

import csv
import gzip
import io
import itertools
import json
import re
import zipfile
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ordinate as od

N_PER_TEST = 150

LEFT_RIGHT = ("left", "right")
SIDES = {
    **dict.fromkeys([("left", "right"), ("Left", "Right"), ("left_img", "right_img")], LEFT_RIGHT),
    **dict.fromkeys([("imgLeft", "imgRight"), ("left_id", "right_id")], LEFT_RIGHT),
    ("Spreadsheet: Left", "Spreadsheet: Right"): LEFT_RIGHT,
    **dict.fromkeys([("option_a", "option_b"), ("Option A", "Option B"), ("a", "b")], ("a", "b")),
    ("first", "second"): ("first", "second"),
    **dict.fromkeys([("option_1", "option_2"), ("option_0", "option_1"), ("ref1", "ref2")], ()),
    **dict.fromkeys([("choice_1", "choice_2"), ("image_1", "image_2"), ("stim_0", "stim_1")], ()),
}
MORE = {
    ("option_1", "option_2", "option_3"): (),
    ("ref0", "ref1", "ref2"): (),
    ("ref1", "ref2", "ref3", "ref4"): (),
    ("option_a", "option_b", "option_c"): ("a", "b", "c"),
    ("a", "b", "c"): ("a", "b", "c"),
    ("left", "middle", "right"): ("left", "middle", "right"),
}
THREE = {
    ("image1", "image2", "image3"): (),
    ("stim_0", "stim_1", "stim_2"): (),
    ("a", "b", "c"): ("a", "b", "c"),
}
PAIRS = {
    ("left_1", "left_2", "right_1", "right_2"): LEFT_RIGHT,
    ("pair1_a", "pair1_b", "pair2_a", "pair2_b"): ("pair1", "pair2"),
    ("first_1", "first_2", "second_1", "second_2"): ("first", "second"),
    ("a1", "a2", "b1", "b2"): ("a", "b"),
}
"""Columns of what there is to choose from, and what people call it for short."""
LOSERS = ("loser", "far", "farther")
STATED = [("head", "winner", "loser"), ("anchor", "near", "far"), ("anchor", "closer", "farther")]
ANCHORS = ("anchor", "Center", "probe", "reference", "standard", "query", "center_id")
ANSWERS = ("response", "answer", "Response", "choice", "chosen", "selected", "resp", "winner_id")
LABELS = {
    "words": ["tea", "coffee", "soup", "stew", "milk", "beer", "wine", "rum"],
    "from 0": [str(n) for n in range(8)],
    "from 1": [str(n + 1) for n in range(8)],
    "ids": [str(n) for n in range(1001, 1009)],
    "padded": [f"{n:03}" for n in range(8)],
    "letters": list("abcdefgh"),
    "capitals": list("ABCDLRFN"),
    "traps": ["left", "right", "yes", "no", "true", "first", "1", "0"],
    "paths": [f"img/{letter}.png" for letter in "abcdefgh"],
    "decimals": ["0.5", "1.5", "2.5", "3.5", "4.5", "5.5", "6.5", "7.5"],
    "signed": [str(n) for n in range(-3, 5)],
    "phrases": ["Left lamp", "right lamp", "café au lait", "a, b", "x;y", "it's", "1 cup", "ü"],
}
TRUTH = [("1", "0"), ("yes", "no"), ("true", "false"), ("t", "f"), ("y", "n"), ("1", "-1")]
CODINGS = ("name", "column", "word", "from-0", "from-1", "floats", "holds", "signs")
MARKS = {"tsv": "\t", "semicolon": ";", "text": " ", "bars": "|", "R": " "}
TEXTS = ("csv", "tsv", "semicolon", "text", "bars", "R", "quoted", "mark", "utf-16", "gzip", "zip")
CONTAINERS = (*TEXTS, "json", "jsonl", "parquet", "frame")


@dataclass
class Log:
    """The columns of a table, what they mean, and what one says who is asked."""

    kind: str
    columns: dict
    truth: Counter
    is_clear: bool
    told: dict
    container: str
    has_plan: bool = False
    """Whether a second column of answers says something else in some rows."""


# ------------------------------------------------------------------------------------- the oracle


def number(entry):
    return float(entry) if re.fullmatch(r"[+-]?\d+(\.\d+)?", entry) else None


def same(entry, other):
    if number(entry) is not None:
        return number(entry) == number(other)
    return entry.casefold() == other.casefold()


def plain(heading):
    return re.sub(r"[ _]", "", heading.removeprefix("Spreadsheet: ")).casefold()


def at(matches):
    """Return the first place that matches, or None."""
    return next((place for place, does in enumerate(matches) if does), None)


def meanings(entries, shown, called, short, *, in_file=None, kind="sides"):
    """Return all that a column of answers may say was chosen, one tuple of places per meaning.

    `called` are the headings of what was shown and `short` their short names; `in_file` is the
    order in which they stand in the file.
    """
    n = len(called)
    by_name = [at(same(e, o) for o in row) for e, row in zip(entries, shown, strict=True)]
    words = [[plain(heading)] for heading in called]
    for place, word in enumerate(short):
        words[place] += [word, word[0]] if short == LEFT_RIGHT else [word]
    by_column = [at(plain(e) in word for word in words) for e in entries]
    counts = [
        [at(number(e) == first + place for place in range(n)) for e in entries] for first in (0, 1)
    ]
    holds = [[at(same(e, word) for word in pair) for e in entries] for pair in TRUTH]
    bits = [[at(same(e, word) for word in pair[::-1]) for e in entries] for pair in TRUTH]
    by_place = counts + (holds if n == 2 and kind != "list" else [])
    by_place += bits if n == 2 and kind == "sides" else []
    orders = {tuple(range(n)), tuple(in_file or range(n))}
    found = [by_name, by_column]
    found += [
        [None if place is None else order[place] for place in places]
        for places in by_place
        for order in orders
    ]
    return {tuple(places) for places in found if None not in places}


def may_be_a_key(entries, shown, short, possible):
    """Whether all entries are one letter that is short for a word, and names no object."""
    letters = {entry.casefold() for entry in entries}
    named = tuple(at(same(e, o) for o in row) for e, row in zip(entries, shown, strict=True))
    return len(letters) == 1 and letters <= set("lrtfyn") - set(short) and named not in possible


def has_a_stranger(anchors, objects):
    """Whether one column has no object in common with the others, each of which has."""
    columns = [set(anchors), *map(set, zip(*objects, strict=True))]
    for at in range(1, len(columns)):
        others = columns[:at] + columns[at + 1 :]
        if not columns[at] & set().union(*others) and all(
            one & set().union(*(two for two in others if two is not one)) for one in others
        ):
            return True
    return False


def may_be_codes(stated):
    """Whether a column of what was chosen or not holds codes alone, and no object of the others."""
    codes = {"left", "right", "l", "r", "first", "second", "0", "1", "2"}.union(*TRUTH)
    return any(
        {entry.lower() for entry in stated[at]} <= codes
        and not set(stated[at]) & set().union(*stated[:at], *stated[at + 1 :])
        for at in (1, 2)
    )


def are_keys_or_screens(anchors, lists):
    listed = set().union(*lists)
    is_one_list = len({frozenset(row) for row in lists}) == 1
    if is_one_list and all(len(o) == 1 for o in listed) and not listed & set(anchors):
        return True
    parts = []
    for row in ({anchor, *row} for anchor, row in zip(anchors, lists, strict=True)):
        joined = [part for part in parts if part & row]
        parts = [part for part in parts if not part & row] + [row.union(*joined)]
    return len(parts) > 1


# ---------------------------------------------------------------------------------- the generator


def coded(rng, coding, chosen, shown, called, short):
    """Write what was chosen; None where the coding has no word for it."""
    n = len(called)
    if coding == "name":
        return [row[c] for c, row in zip(chosen, shown, strict=True)] if shown[0][0] else None
    if coding == "column":
        return [called[c] for c in chosen]
    if coding == "word":
        spelt = [str.lower, str.upper, str.title, lambda w: w[0], lambda w: w[0].upper()]
        spell = spelt[rng.integers(5 if short == LEFT_RIGHT else 3)]
        return [spell(short[c]) for c in chosen] if short else None
    if coding in ("from-0", "from-1"):
        return [str(c + int(coding[-1])) for c in chosen]
    if coding == "floats":
        return [f"{c + 1}.0" for c in chosen]
    if n > 2:
        return None
    pair = ("-1", "1") if coding == "signs" else TRUTH[rng.integers(len(TRUTH))]
    return [pair[c] for c in chosen]


def told_as(coding):
    return {"word": "column", "signs": "from-0", "floats": "from-1"}.get(coding, coding)


def stated_by(question, anchors, shown, chosen):
    """Return what the answers state."""
    found = []
    for anchor, row, c in zip(anchors, shown, chosen, strict=True):
        others = [o for o in row if o != row[c]]
        if question == "odd_one_out":
            found += [(*others, row[c]), (*others[::-1], row[c])]
        elif question == "most_central":
            found += [(others[0], row[c], others[1]), (others[1], row[c], others[0])]
        elif question == "pair_against_pair":
            found.append((frozenset(row[c]), frozenset(row[1 - c])))
        else:
            found += [(anchor, row[c], other) for other in others]
    return Counter(found)


def pick(rng, options):
    return options[rng.integers(len(options))]


def draw_rows(rng, n_shown):
    """Return an anchor and other objects for each of some rows."""
    labels = LABELS[pick(rng, list(LABELS))]
    labels = labels[: max(n_shown + 1, rng.integers(4, 9))]
    rows = [list(rng.permutation(labels)[: n_shown + 1]) for _ in range(rng.integers(1, 30))]
    return [str(row[0]) for row in rows], [[str(o) for o in row[1:]] for row in rows]


def draw_choice(rng, kind):
    """Draw a log in which one of several was chosen."""
    table = {"sides": SIDES, "more": MORE, "odd_one_out": THREE, "most_central": THREE}.get(
        kind, PAIRS
    )
    options = pick(rng, list(table))
    short = table[options]
    question = {"sides": "triplet", "more": "choose_k"}.get(kind, kind)
    anchors, objects = draw_rows(rng, len(options))
    shown, called = objects, options
    if kind == "pair_against_pair":
        shown, called = [(tuple(row[:2]), tuple(row[2:])) for row in objects], short
    chosen = rng.integers(len(called), size=len(shown))
    if rng.random() < 0.15:
        chosen[:] = chosen[0]
    named = [[""] * 2 for _ in shown] if kind == "pair_against_pair" else shown
    entries, coding = None, None
    while entries is None:
        coding = pick(rng, CODINGS)
        entries = coded(rng, coding, chosen, named, called, short)
    special = {"odd_one_out": ("odd", "odd_one_out"), "most_central": ("most_central", "central")}
    answer = pick(rng, special.get(kind, ANSWERS))
    columns = dict(zip(options, zip(*objects, strict=True), strict=True))
    told = {"coding": told_as(coding), "answer": answer, "question": question}
    anchor = pick(rng, ANCHORS) if kind in ("sides", "more") else None
    told["columns"] = [*([anchor] if anchor else []), *options]
    columns |= {answer: entries} | ({anchor: anchors} if anchor else {})
    columns = reordered(rng, columns, options)
    order = [name for name in columns if name in options]
    in_file = [options.index(name) for name in order]
    if kind == "pair_against_pair":
        in_file = [0, 1] if in_file[0] < 2 else [1, 0]
    possible = meanings(entries, named, called, short, in_file=in_file)
    second, also, has_plan = pick(rng, [n for n in ANSWERS[:7] if n != answer]), None, False
    if kind == "sides" and rng.random() < 0.3:
        has_plan = rng.random() < 0.5
        planned = rng.integers(2, size=len(shown)) if has_plan else chosen
        also = coded(
            rng, pick(rng, ["name", "from-0", "column", "holds"]), planned, named, called, short
        )
        possible &= meanings(also, named, called, short, in_file=in_file)
        columns = {second: also} | columns
    contradicts = False
    if kind == "sides" and rng.random() < 0.2:
        contradicts = rng.random() < 0.3
        lost = chosen if contradicts else 1 - chosen
        columns[pick(rng, LOSERS)] = [row[c] for c, row in zip(lost, objects, strict=True)]
    truth = stated_by(question, anchors, shown, chosen)
    is_clear = len(possible) == 1 and not may_be_a_key(entries, named, short, possible)
    is_clear = is_clear and not contradicts
    if kind == "more":
        is_clear = is_clear and not has_a_stranger(anchors, objects)
    if also:
        is_clear = is_clear and not may_be_a_key(also, named, short, possible)
    is_opposite = len(possible) == 1 and possible != {tuple(chosen)}
    if is_opposite or any([o.casefold() for o in row] == [*options] for row in objects):
        return draw_choice(rng, kind)  # all answers against what was planned, or a second header
    log = finished(rng, kind, columns, truth, is_clear, told)
    log.has_plan = has_plan
    return log


def draw_stated(rng, kind):
    """Draw a log whose columns state what was chosen, beside which an answer may stand."""
    anchors, objects = draw_rows(rng, 2)
    chosen = rng.integers(2, size=len(objects))
    names = pick(rng, STATED) if kind == "stated" else ("i", "j", "k")
    near_far = [(row[c], row[1 - c]) for c, row in zip(chosen, objects, strict=True)]
    columns = {names[0]: anchors}
    truth = stated_by("triplet", anchors, objects, chosen)
    if kind == "neutral":
        columns |= dict(zip(names[1:], zip(*objects, strict=True), strict=True))
        coding = pick(rng, ("name", "from-0", "from-1", "holds"))
        entries = coded(rng, coding, chosen, objects, names[1:], ())
        possible = meanings(entries, objects, names[1:], (), kind="neutral")
        columns |= {"response": entries}
        told = {"coding": coding, "answer": "response", "columns": names}
        is_clear = len(possible) == 1 and not may_be_a_key(entries, objects, (), possible)
        return finished(rng, kind, columns, truth, is_clear, told)
    columns |= dict(zip(names[1:], zip(*near_far, strict=True), strict=True))
    is_clear = True
    has_sides = rng.random() < 0.5
    if has_sides:
        columns |= {"Left": [row[0] for row in objects], "Right": [row[1] for row in objects]}
    if rng.random() < 0.8:
        coding = pick(rng, ("name", "word", "from-0", "from-1", "holds", "signs"))
        entries = coded(rng, coding, chosen, objects, LEFT_RIGHT, LEFT_RIGHT)
        columns |= {"response": entries}
        first = (0,) * len(chosen)
        is_clear = first in meanings(entries, near_far, names[1:], (), kind="neutral")
        if has_sides:
            is_clear |= tuple(chosen) in meanings(
                entries, objects, LEFT_RIGHT, LEFT_RIGHT, kind="neutral"
            )
    if names != ("anchor", "near", "far"):  # these are ours, whatever their labels are
        is_clear = is_clear and not may_be_codes([anchors, *zip(*near_far, strict=True)])
    return finished(rng, kind, columns, truth, is_clear, {"columns": names, "answer": []})


def draw_list(rng, kind):
    """Draw a log of jsPsych's, with the options in a list."""
    anchors, objects = draw_rows(rng, int(rng.integers(2, 4)))
    n = len(objects[0])
    chosen = rng.integers(n, size=len(objects))
    called = [f"choices[{place}]" for place in range(n)]
    coding = pick(rng, ("name", "from-0", "from-0", "from-1"))
    entries = coded(rng, coding, chosen, objects, called, ())
    possible = meanings(entries, objects, called, (), kind="list")
    columns = {"stimulus": anchors, "choices": objects, "response": entries}
    is_clear = len(possible) == 1 and not are_keys_or_screens(anchors, objects)
    truth = stated_by("choose_k", anchors, objects, chosen)
    told = {"question": "choose_k", "coding": coding}
    return finished(rng, kind, columns, truth, is_clear, told)


def draw_several(rng, kind):
    """Draw a log in which two of several were chosen, or all ranked, or votes counted."""
    anchors, objects = draw_rows(rng, 4 if kind == "two of four" else 3 if kind == "ranking" else 2)
    columns, told, is_clear, truth = {"anchor": anchors}, {}, True, Counter()
    by_place = list(zip(*objects, strict=True))
    for anchor, row in zip(anchors, objects, strict=True):
        pairs = {
            "two of four": itertools.product(row[:2], row[2:]),
            "ranking": itertools.combinations(row, 2),
            "votes": [row, row[::-1]],
        }
        truth.update((anchor, *pair) for pair in pairs[kind])
    if kind == "votes":
        columns |= dict(zip(("option_a", "option_b"), by_place, strict=True))
        votes = [[str(n) for n in rng.integers(1, 9, size=len(anchors))] for _ in range(2)]
        columns |= dict(zip(("votes_a", "votes_b"), votes, strict=True))
    elif kind == "ranking":
        columns |= {f"rank_{place + 1}": entries for place, entries in enumerate(by_place)}
    else:
        order = [rng.permutation(4) for _ in objects]
        shown = [[row[o] for o in p] for row, p in zip(objects, order, strict=True)]
        names = [f"ref{place + 1}" for place in range(4)]
        columns |= dict(zip(names, zip(*shown, strict=True), strict=True))
        places = [[list(p).index(c) for c in (0, 1)] for p in order]
        coding = pick(rng, ("name", "from-0", "from-1"))
        repeated = [row for row in shown for _ in (0, 1)]
        entries = coded(
            rng, coding, [place for both in places for place in both], repeated, names, ()
        )
        columns |= {"chosen1": entries[::2], "chosen2": entries[1::2]}
        is_clear = len(meanings(entries, repeated, names, ())) == 1
        is_clear = is_clear and not has_a_stranger(anchors, shown)
        told = {"coding": coding, "question": "choose_k", "columns": ["anchor", *names]}
    return finished(rng, kind, columns, truth, is_clear, told)


def looks_padded(kind, columns):
    """Whether an object called -1 may be taken for none: rows of some logs differ in length."""
    labels = {entry for column in columns.values() for entry in column if isinstance(entry, str)}
    negative = {label for label in labels if label.startswith("-")}
    return kind in ("more", "two of four", "ranking") and negative == {"-1"}


DRAWN = {
    **dict.fromkeys(
        ("sides", "more", "odd_one_out", "most_central", "pair_against_pair"), draw_choice
    ),
    **dict.fromkeys(("stated", "neutral"), draw_stated),
    "list": draw_list,
    **dict.fromkeys(("two of four", "ranking", "votes"), draw_several),
}
KINDS = [*["sides"] * 8, *["stated"] * 3, *["pair_against_pair"] * 2, *["list"] * 2, *DRAWN]


def reordered(rng, columns, options):
    """Leave columns in their order, or let them stand anyhow."""
    names = list(columns)
    if rng.random() < 0.3:
        names = [names[place] for place in rng.permutation(len(names))]
    return {name: columns[name] for name in names}


def finished(rng, kind, columns, truth, is_clear, told):
    """Add columns that say nothing about what was chosen, and choose a container."""
    n = len(next(iter(columns.values())))
    more = {
        "participant_id": [f"P{n}" for n in rng.integers(3, size=n)],
        "rt": [str(n) for n in rng.integers(300, 2000, size=n)],
        "correct": [str(n) for n in rng.integers(2, size=n)],
        "trial_index": [str(n) for n in range(n)],
        "note": ["left"] * n,
        "score": [f"{n:.3f}" for n in rng.random(n)],
        "condition": ["AB"[n % 2] for n in range(n)],
        "date": ["2026-03-04"] * n,
        "corr_resp": ["fj"[n % 2] for n in range(n)],
        "Unnamed: 0": [str(n) for n in range(n)],
        "empty": [""] * n,
    }
    chosen = {name: more[name] for name in more if name not in columns and rng.random() < 0.2}
    columns = columns | chosen if rng.random() < 0.5 else chosen | columns
    return Log(kind, columns, truth, is_clear, told, pick(rng, CONTAINERS))


def written(log, folder, rng):
    """Write a log, and return what `read_comparisons` takes."""
    columns = {name: list(column) for name, column in log.columns.items()}
    if log.container in TEXTS:
        texts = [
            [json.dumps(e) if isinstance(e, list) else e for e in column]
            for column in columns.values()
        ]
        text = io.StringIO()
        all_quoted = log.container in ("quoted", "text", "R")
        quoting = csv.QUOTE_ALL if all_quoted else csv.QUOTE_MINIMAL
        lines = csv.writer(text, delimiter=MARKS.get(log.container, ","), quoting=quoting)
        if log.container == "R":  # which numbers rows in a column without a name
            texts = [[str(row + 1) for row in range(len(texts[0]))], *texts]
        lines.writerows([list(columns), *zip(*texts, strict=True)])
        encoding = {"mark": "utf-8-sig", "utf-16": "utf-16"}.get(log.container, "utf-8")
        data = text.getvalue().encode(encoding)
        ends = {"tsv": ".tsv", "text": ".txt", "R": ".txt", "gzip": ".csv.gz", "zip": ".zip"}
        path = folder / f"log{ends.get(log.container, '.csv')}"
        if log.container == "zip":
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("log.csv", data)
        else:
            path.write_bytes(gzip.compress(data, 1) if log.container == "gzip" else data)
        return path
    typed = {name: as_typed(rng, column) for name, column in columns.items()}
    if log.container in ("json", "jsonl"):
        records = [dict(zip(typed, row, strict=True)) for row in zip(*typed.values(), strict=True)]
        path = folder / f"log.{log.container}"
        lines = map(json.dumps, records)
        path.write_text("\n".join(lines) if log.container == "jsonl" else json.dumps(records))
        return path
    typed = {
        name: [json.dumps(e) if isinstance(e, list) else e for e in column]
        for name, column in typed.items()
    }
    if log.container == "frame":
        return typed
    pq.write_table(pa.table(typed), folder / "log.parquet")
    return folder / "log.parquet"


def as_typed(rng, column):
    """Return entries as numbers or truth values if they all are, at times."""
    flat = [e for entry in column for e in (entry if isinstance(entry, list) else [entry])]
    convert = str
    if rng.random() < 0.7:
        if all(re.fullmatch(r"-?[1-9]\d*|0", e) for e in flat):
            convert = int
        elif all(re.fullmatch(r"-?\d+\.\d+", e) for e in flat):
            convert = float
        elif set(flat) == {"true", "false"}:
            convert = lambda e: e == "true"  # noqa: E731
    return [[convert(e) for e in x] if isinstance(x, list) else convert(x) for x in column]


# --------------------------------------------------------------------------------------- the test


def statements(answers):
    rows = [tuple(answers.names[o] for o in row) for row in answers.rows]
    return Counter(
        row if len(row) == 3 else (frozenset(row[:2]), frozenset(row[2:])) for row in rows
    )


def inverted_by(log, read):
    """Return the options with which a log is read wrongly, which is not refused with them."""
    for named in (["columns"][log.has_plan :], ["answer"], ["columns", "answer"]):
        told = {name: log.told[name] for name in named if name in log.told}
        try:
            found = read(**told)
        except od.InputError:
            continue
        if told and found != log.truth:
            return " and ".join(told)
    return None


def outcome(log, folder, rng):
    """Say how a log was read: right, refused, inverted, short, guessed, refused without a reason.

    What is refused with reason must be read rightly once the reader is told about it.
    """
    source = written(log, folder, rng)
    question = {"question": log.kind} if log.kind in ("odd_one_out", "most_central") else {}

    def read(**told):
        if log.kind in DRAWN_PAIRS:
            return won(od.read_pairs(source, **told))
        return statements(od.read_comparisons(source, **question, **told))

    if named := inverted_by(log, read):
        return f"inverted by {named}"
    try:
        found = read()
    except od.InputError as error:
        if log.is_clear:
            return f"refused without a reason: {error}"
        assert read(**{n: v for n, v in log.told.items() if n not in question}) == log.truth, log
        return "refused"
    if found == log.truth:
        return "right" if log.is_clear else "guessed"
    return "short" if found.total() < log.truth.total() else "inverted"


# ------------------------------------------------------------------------------------------ pairs

TWO = {
    ("left", "right"): LEFT_RIGHT,
    ("left_item", "right_item"): LEFT_RIGHT,
    ("item_a", "item_b"): ("a", "b"),
    ("modelA", "modelB"): ("a", "b"),
    ("a", "b"): ("a", "b"),
    ("first", "second"): ("first", "second"),
    ("home_team", "away_team"): ("home", "away"),
    ("item1", "item2"): (),
    ("essay_1", "essay_2"): (),
}
WON = [
    *(("winner", "loser"), ("cand_chosen", "cand_not_chosen"), ("chosen", "rejected")),
    *(("chosenItem", "unchosenItem"), ("better", "worse"), ("selected_id", "not_selected_id")),
]
TIES = ("tie", "draw", "equal", "Tie", "both")
NEGATIVE = (
    *("lost", "loser", "least_liked", "negative_choice", "eliminated", "disliked", "weaker"),
    *("worse", "less_preferred", "rejected_item", "not_chosen", "discarded", "wrong", "removed"),
)


def won_by(objects, chosen):
    """Return who beat whom, or the two that tied."""
    rows = zip(objects, chosen, strict=True)
    return Counter(frozenset(row) if c == 2 else (row[c], row[1 - c]) for row, c in rows)


def with_ties(entries, chosen, word):
    return [word if c == 2 else e for e, c in zip(entries, chosen, strict=True)]


def draw_winners(rng, kind):
    """Draw a log with two items and the winner, and perhaps further columns that say it."""
    options = pick(rng, list(TWO))
    short = TWO[options]
    _, objects = draw_rows(rng, 2)
    chosen = rng.integers(3 if rng.random() < 0.4 else 2, size=len(objects))
    is_won = [c < 2 for c in chosen]
    picked = [c % 2 for c in chosen]
    entries, coding = None, None
    while entries is None:
        coding = pick(rng, CODINGS)
        entries = coded(rng, coding, picked, objects, options, short)
    tie = pick(rng, TIES)
    answer = pick(rng, ANSWERS)
    columns = dict(zip(options, zip(*objects, strict=True), strict=True))
    columns |= {answer: with_ties(entries, chosen, tie)}
    columns = reordered(rng, columns, options)
    in_file = [options.index(name) for name in columns if name in options]

    def possible_of(column):
        kept = [(e, row) for e, row, won in zip(column, objects, is_won, strict=True) if won]
        if not kept:
            return {()}
        return meanings(*zip(*kept, strict=True), options, short, in_file=in_file)

    possible = possible_of(entries)
    won = [row for row, w in zip(objects, is_won, strict=True) if w]
    keyed = [(entries, possible)]
    told = {"coding": told_as(coding), "answer": answer, "columns": list(options)}
    if rng.random() < 0.3:
        planned = rng.integers(2, size=len(objects)) if rng.random() < 0.5 else picked
        of = pick(rng, ["name", "from-0", "column", "holds"])
        also = coded(rng, of, planned, objects, options, short)
        second = pick(rng, [name for name in ANSWERS[:7] if name.lower() != answer.lower()])
        possible = possible & possible_of(also)
        keyed.append((also, possible))
        columns = {second: with_ties(also, chosen, tie)} | columns
    contradicts = False
    if rng.random() < 0.2:
        contradicts = rng.random() < 0.4 and any(is_won)
        lost = [c if contradicts else 1 - c for c in picked]
        named = [row[c] for c, row in zip(lost, objects, strict=True)]
        columns[pick(rng, LOSERS)] = with_ties(named, chosen, "")
        if not all(is_won):
            columns = {n: c for n, c in columns.items() if "" not in c}
            contradicts = False
    is_clear = len(possible) == 1 and not contradicts
    for column, meant in keyed:
        given = [e for e, w in zip(column, is_won, strict=True) if w]
        is_clear = is_clear and not (given and may_be_a_key(given, won, short, meant))
    is_opposite = len(possible) == 1 and possible != {tuple(c for c in chosen if c < 2)}
    if is_opposite:
        return draw_winners(rng, kind)
    return finished_pairs(rng, kind, columns, won_by(objects, chosen), is_clear, told)


def draw_won(rng, kind):
    """Draw a log whose columns say who won, beside which a side of the screen may stand."""
    names = pick(rng, WON)
    _, objects = draw_rows(rng, 2)
    columns = dict(zip(names, zip(*objects, strict=True), strict=True))
    told, is_clear = {"columns": list(names), "answer": []}, True
    if rng.random() < 0.5:
        sides = [pick(rng, LEFT_RIGHT) for _ in objects]
        columns |= {pick(rng, ("choice", "response")): sides}
    elif rng.random() < 0.5:
        agrees = rng.random() < 0.5
        said = [row[0] if agrees else pick(rng, row) for row in objects]
        columns |= {pick(rng, ("choice", "response", "answer")): said}
        is_clear = said == [row[0] for row in objects]
    truth = won_by(objects, [0] * len(objects))
    return finished_pairs(rng, kind, columns, truth, is_clear, told)


def draw_figures(rng, kind):
    """Draw a log of how often each of two items won, or what each scored."""
    options = pick(rng, [columns for columns in TWO if TWO[columns]])
    _, objects = draw_rows(rng, 2)
    figures = rng.integers(4, size=(len(objects), 2))
    figures[0] = [3, 1]
    stem = "wins" if kind == "counts" else pick(rng, ("score", "points"))
    names = [f"{stem}_{mark}" for mark in TWO[options]]
    columns = dict(zip(options, zip(*objects, strict=True), strict=True))
    columns |= {name: [str(n) for n in figures[:, at]] for at, name in enumerate(names)}
    truth = Counter()
    for row, (one, other) in zip(objects, figures.tolist(), strict=True):
        if kind == "counts":
            truth[tuple(row)] += one
            truth[tuple(row[::-1])] += other
        else:
            truth += won_by([row], [0 if one > other else 1 if other > one else 2])
    return finished_pairs(rng, kind, columns, +truth, True, {"columns": list(options)})


def finished_pairs(rng, kind, columns, truth, is_clear, told):
    """Add columns that say nothing about who won, unless a row looks like a second header."""
    rows = list(zip(*(columns[name] for name in told["columns"]), strict=True))
    if [name.casefold() for name in told["columns"]] in [[o.casefold() for o in r] for r in rows]:
        return DRAWN_PAIRS[kind](rng, kind)
    return finished(rng, kind, columns, truth, is_clear, told)


def won(pairs):
    """Return who beat whom, with the weights."""
    found = Counter()
    weights = np.ones(len(pairs)) if pairs.weights is None else pairs.weights
    for row, outcome, weight in zip(pairs.rows, pairs.outcomes, weights, strict=True):
        one, other = (pairs.names[item] for item in row)
        key = frozenset((one, other)) if outcome == 0 else (one, other)[:: int(outcome)]
        found[key] += int(weight)
    return found


DRAWN_PAIRS = {
    "winners": draw_winners,
    "won": draw_won,
    **dict.fromkeys(("counts", "scores"), draw_figures),
}
KINDS_OF_PAIRS = [*["winners"] * 5, *["won"] * 3, "counts", "scores"]


@pytest.mark.parametrize("seed", range(6))
def test_logs_are_read_rightly_or_refused_with_reason(tmp_path, record_property, seed):
    # in about one log of a thousand a column shares no object with the others by chance, which
    # is refused, and which the oracle does not know
    rng = np.random.default_rng([seed])
    drawn, kinds = (DRAWN_PAIRS, KINDS_OF_PAIRS) if seed % 3 == 2 else (DRAWN, KINDS)
    counts, faults = Counter(), []
    for _ in range(N_PER_TEST):
        log = drawn[kind := pick(rng, kinds)](rng, kind)
        while drawn is DRAWN and looks_padded(kind, log.columns):
            log = drawn[kind](rng, kind)
        said = outcome(log, tmp_path, rng)
        counts[said.partition(":")[0]] += 1
        if said not in ("right", "refused"):
            faults.append((said, log))
    record_property("counts", dict(counts))
    assert not faults, (counts, faults[:3])
    assert counts["right"] > counts["refused"] > N_PER_TEST // 10, counts


def test_what_is_called_after_the_loser_or_the_second_is_never_the_winner(tmp_path):
    rng = np.random.default_rng([5])
    for _ in range(80):
        options = pick(rng, list(TWO))
        _, objects = draw_rows(rng, 2)
        lost = rng.integers(2, size=len(objects))
        columns = dict(zip(options, zip(*objects, strict=True), strict=True))
        name = pick(rng, NEGATIVE)
        entries = coded(rng, pick(rng, ("name", "column")), lost, objects, options, ())
        with pytest.raises(od.InputError):
            od.read_pairs(columns | {name: entries}, columns=options, answer=name)
        anchor = ["none of them"] * len(objects)
        anchored = {"anchor": anchor} | columns | {name: entries}
        with pytest.raises(od.InputError):
            od.read_comparisons(anchored, columns=["anchor", *options], answer=name)
        called = pick(rng, ("chose_second", f"is_{options[1]}_selected", f"{options[1]}_won"))
        said = [("no", "yes")[c] for c in lost]
        if [*options] in [[o.casefold() for o in row] for row in objects]:
            continue  # a second header
        truth = won_by(objects, [int(c) for c in lost])
        for coding in ("auto", "holds"):
            told = {"columns": [*options], "answer": called, "coding": coding}
            assert won(od.read_pairs(columns | {called: said}, **told)) == truth
            told["columns"] = ["anchor", *options]
            near = od.read_comparisons({"anchor": anchor} | columns | {called: said}, **told)
            assert [near.names[o] for o in near.rows[:, 1]] == [
                row[c] for row, c in zip(objects, lost, strict=True)
            ]
