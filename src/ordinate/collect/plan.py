"""The questions of one participant: exact numbers of each pool, in a random order.

The order follows from the study and a seed. Repeats come in the last two fifths, the questions
they repeat in the first two; catch questions are spread over the whole. An adaptive question is a
random one here: a better one takes its place when it is served, if there is a model by then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from ordinate._checks import InputError
from ordinate.collect.study import Study
from ordinate.collect.tasks import Question

_MOST_DRAWS = 1000


@dataclass(frozen=True)
class Planned:
    """A question at its place in a session.

    Attributes
    ----------
    block : str
        ``"practice"`` or ``"main"``.
    pool : str
        Why it is asked: practice, random, validation, catch, repeat or adaptive.
    question : Question
        What is shown.
    sampler : str
        How it was found: ``"random"``, ``"fixed"`` (the same for everyone, or written down by the
        experimenter) or ``"repeat"``.
    repeat_of : int or None
        Place in the plan of the question that is asked again.
    """

    block: str
    pool: str
    question: Question
    sampler: str
    repeat_of: int | None = None


def validation_questions(study: Study) -> tuple[Question, ...]:
    """Return the questions that everyone is asked: those written down, or drawn once."""
    given = study.given.get("validation", ())[: study.pools.validation]
    rng = Random(f"{study.general.seed}-validation")
    taken = {study.task.key(question) for question in given}
    drawn = _draw_new(study, study.pools.validation - len(given), taken, rng)
    return (*given, *drawn)


def make_plan(study: Study, seed: int) -> list[Planned]:
    """Return the questions of a participant in the order in which they are asked.

    Parameters
    ----------
    study : Study
        Items, task and pools.
    seed : int
        The participant's own seed.

    Returns
    -------
    list of Planned
        Practice first; then exactly as many of each pool as the study says.
    """
    rng = Random(seed)
    pools, task = study.pools, study.task
    validation = validation_questions(study)
    taken = {task.key(question) for question in validation}
    drawn = _draw_new(study, pools.random + pools.adaptive, taken, rng)
    fresh = [Planned("main", "random", q, "random") for q in drawn[: pools.random]]
    adaptive = [Planned("main", "adaptive", q, "random") for q in drawn[pools.random :]]
    fixed = [
        Planned("main", "validation", task.shuffled(question, rng), "fixed")
        for question in validation
    ]
    asked = rng.sample(fresh + fixed, pools.random + pools.validation)
    practice = _with_answers(study, "practice", pools.practice, rng)
    catch = _with_answers(study, "catch", pools.catch, rng)
    repeated, once = asked[: pools.repeat], asked[pools.repeat :] + adaptive
    main = _arranged(study, repeated, rng.sample(once, len(once)), catch, rng)
    shift = len(practice)
    return [*practice, *(_shifted(planned, shift) for planned in main)]


def _draw_new(
    study: Study, number: int, taken: set[tuple[object, ...]], rng: Random
) -> list[Question]:
    """Draw questions that are not among those taken, and add them there."""
    items = list(study.items)
    drawn: list[Question] = []
    for _ in range(number):
        for _ in range(_MOST_DRAWS):
            question = study.task.draw(items, rng)
            key = study.task.key(question)
            if key not in taken:
                taken.add(key)
                drawn.append(question)
                break
        else:
            raise InputError(
                f"{len(items)} items have {study.task.n_possible(len(items))} different questions,"
                " too few for one participant; add items or lower random, validation and adaptive."
            )
    return drawn


def _with_answers(study: Study, pool: str, number: int, rng: Random) -> list[Planned]:
    """Return practice or catch questions: those written down, then ones that show an item twice."""
    items, task = list(study.items), study.task
    block = "practice" if pool == "practice" else "main"
    given = study.given.get(pool, ())[:number]
    planned = [Planned(block, pool, task.shuffled(q, rng), "fixed") for q in given]
    while len(planned) < number:
        planned.append(Planned(block, pool, task.draw_catch(items, rng), "random"))
    return planned


def _arranged(
    study: Study,
    repeated: Sequence[Planned],
    once: Sequence[Planned],
    catch: Sequence[Planned],
    rng: Random,
) -> list[Planned]:
    """Put the questions into places, with repeats late and catch questions spread out."""
    total, n_repeats = study.pools.total, len(repeated)
    places: list[Planned | None] = [None] * total
    zone = int(0.4 * total)
    first = sorted(rng.sample(range(zone), n_repeats))
    late = sorted(rng.sample(range(total - zone, total), n_repeats))
    for again, place, planned in zip(late, first, repeated, strict=True):
        places[place] = planned
        swapped = study.task.swapped(planned.question)
        places[again] = Planned("main", "repeat", swapped, "repeat", place)
    free = [place for place, planned in enumerate(places) if planned is None]
    for number, planned in enumerate(catch):
        start, stop = (len(free) * part // len(catch) for part in (number, number + 1))
        places[free[rng.randrange(start, stop)]] = planned
    rest = iter(once)
    return [planned if planned is not None else next(rest) for planned in places]


def _shifted(planned: Planned, by: int) -> Planned:
    if planned.repeat_of is None:
        return planned
    return replace(planned, repeat_of=planned.repeat_of + by)
