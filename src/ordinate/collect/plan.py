"""The questions of one participant: exact numbers of each pool, in a random order.

The order follows from the study and a seed. An adaptive question is a random one here: a better one
takes its place when it is served, if there is a model by then.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from ordinate.collect.study import Study
from ordinate.questions.lists import Planned, arrange, balanced_questions
from ordinate.tasks import Question


def validation_questions(study: Study) -> list[Question]:
    """Return the questions that everyone is asked: those written down, or drawn once."""
    given = list(study.given.get("validation", ())[: study.pools.validation])
    rng = np.random.default_rng([study.general.seed, 1])
    n_drawn = study.pools.validation - len(given)
    return [*given, *_draw(study, n_drawn, given, rng)]


def plan_session(study: Study, seed: int, blocks: Sequence[str]) -> list[tuple[str, Planned]]:
    """Return the questions of a participant, block after block, each with the name of its block."""
    if len(study.blocks) == 1:
        ((name, block),) = study.blocks.items()
        return [(name, planned) for planned in make_plan(block, seed)]
    found: list[tuple[str, Planned]] = []
    for name in blocks:
        start = len(found)
        plan = make_plan(study.blocks[name], [seed, list(study.blocks).index(name)])
        found += [(name, _later(planned, start)) for planned in plan]
    return found


def orders_of(study: Study, condition: str, rng: Random) -> list[tuple[str, ...]]:
    """Return the orders of blocks that a condition has, to be used equally often.

    A Latin square is balanced: each block follows each other one equally often.
    """
    names = study.blocks_of(condition)
    n = len(names)
    if study.design.order == "random":
        return [tuple(rng.sample(names, n))]
    if study.design.order == "given" or n == 1:
        return [tuple(names)]
    zigzag = [0, *(place for k in range(1, n) for place in (k, n - k))][:n]
    square = [[(place + row) % n for place in zigzag] for row in range(n)]
    square += [row[::-1] for row in square] if n % 2 else []
    return [tuple(names[place] for place in row) for row in square]


def make_plan(study: Study, seed: int | Sequence[int]) -> list[Planned]:
    """Return the questions of a block in the order in which they are asked."""
    rng = np.random.default_rng(seed)
    pools = study.pools
    validation = validation_questions(study)
    drawn = _draw(study, pools.random + pools.adaptive, validation, rng)
    asked = [Planned("random", question) for question in drawn[: pools.random]]
    asked += [Planned("validation", _shuffled(study, q, rng), "fixed") for q in validation]
    adaptive = [Planned("adaptive", question) for question in drawn[pools.random :]]
    practice, catch = (_with_answers(study, pool, rng) for pool in ("practice", "catch"))
    main = arrange(study.task, asked, pools.repeat, catch, rng, adaptive)
    return [*practice, *(_later(planned, len(practice)) for planned in main)]


def _later(planned: Planned, places: int) -> Planned:
    """Return a question of a plan that begins so many places later."""
    if planned.repeat_of is None:
        return planned
    return replace(planned, repeat_of=planned.repeat_of + places)


def places_of(study: Study, blocks: Sequence[str]) -> list[dict[str, Any]]:
    """Return where each place of a session lies: in which block, and which number of how many."""
    found: list[dict[str, Any]] = []
    for at, name in enumerate(blocks):
        pools, start = study.blocks[name].pools, len(found)
        for total in (pools.practice, pools.total):
            found += [{"number": number, "total": total} for number in range(1, total + 1)]
        for place in found[start:]:
            place |= {"block": list(study.blocks).index(name), "block_number": at}
            place["opens"] = place is found[start]
    return found


def _draw(
    study: Study, number: int, taken: Collection[Question], rng: np.random.Generator
) -> list[Question]:
    """Draw questions that are not among those taken."""
    task, names = study.task, list(study.items)
    at = {name: place for place, name in enumerate(names)}
    keys = {task.key([at[name] for name in question.items]) for question in taken}
    items = task.shuffled(balanced_questions(task, len(names), 1, number, rng, keys), rng)
    return [task.question([names[item] for item in row]) for row in items.tolist()]


def _shuffled(study: Study, question: Question, rng: np.random.Generator) -> Question:
    return study.task.reorder(question, study.task.orders(1, rng)[0].tolist())


def _with_answers(study: Study, pool: str, rng: np.random.Generator) -> list[Planned]:
    """Return practice or catch questions: those written down, then ones that show an item twice.

    Practice whose question is the experimenter's own, or whose task has no catch questions, is
    drawn at random: no answer is right or wrong.
    """
    number, names = getattr(study.pools, pool), list(study.items)
    given = study.given.get(pool, ())[:number]
    planned = [Planned(pool, _shuffled(study, question, rng), "fixed") for question in given]
    if pool == "practice" and (study.asks_its_own_question or not study.task.has_catch):
        left = number - len(planned)
        return [*planned, *(Planned(pool, question) for question in _draw(study, left, (), rng))]
    while len(planned) < number:
        drawn = study.task.draw_catch(len(names), rng)
        labelled = study.task.question([names[item] for item in drawn.items], drawn.expected)
        planned.append(Planned(pool, labelled))
    return planned
