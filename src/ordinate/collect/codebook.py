"""The codebook: what every column of the exported tables holds, its type and its values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ordinate.tasks import TASKS


class Column(NamedTuple):
    """What a column holds; `values` lists them where there are few, joined by '; '."""

    meaning: str
    type: str = "text"
    values: str = ""


ANSWERED_BY = Column("who answered: person, or the name of a machine's model")
TRIAL_COLUMNS: Mapping[str, Column] = {
    "schema": Column("version of these tables", "integer"),
    "study_hash": Column("hash of the study as it was launched"),
    "trial_id": Column("key of the presentation, made by the server"),
    "session_id": Column("key of the session, see sessions.csv"),
    "participant": Column("pseudonym; the same in every session of one person or machine"),
    "answered_by": ANSWERED_BY,
    "index": Column("place in the session, from 0; practice included", "integer"),
    "condition": Column("group of the participant; empty if the study has none"),
    "block": Column("name of the block, main if the study names none"),
    "phase": Column("whether the question was for practice", "text", "practice; main"),
    "pool": Column(
        "why it was asked", "text", "practice; random; validation; catch; repeat; adaptive"
    ),
    "task": Column("what was asked", "text", "; ".join(TASKS)),
    "reference": Column("item that the others are compared with; empty for tasks without one"),
    "shown": Column(
        "items in screen order, joined by ';'; of pairs the first two and the last two", "list"
    ),
    "n_select": Column("how many were to be chosen", "integer"),
    "ranked": Column("whether the order of choosing counts", "boolean", "true; false"),
    "chosen": Column(
        "items chosen, joined by ';', in the order of choosing; of pairs the two items; empty for"
        " a tie",
        "list",
    ),
    "chosen_positions": Column(
        "their positions on the screen from 0, joined by ';'; of pairs 0 or 1; 2 for a tie", "list"
    ),
    "outcome": Column(
        "what became of it; abandoned if it was served and has no answer; unparsable if a machine"
        " said something else, lost if its reply never came",
        "text",
        "answered; skipped; timed_out; media_failed; unparsable; lost; abandoned",
    ),
    "expected": Column(
        "positions that are right in practice and catch questions, joined by ';'", "list"
    ),
    "repeat_of": Column("trial_id of the same question asked earlier with its sides swapped"),
    "sampler": Column(
        "how the question was found: random, fixed, repeat, or the rule of an adaptive one"
    ),
    "score": Column(
        "what the rule of an adaptive question thought of it; units are the rule's own", "number"
    ),
    "fallback": Column(
        "true if an adaptive question is random for want of a model, else false",
        "boolean",
        "true; false",
    ),
    "model_version": Column("answers that the model of an adaptive question had seen", "integer"),
    "served_at": Column("when the question left the server, UTC, ISO 8601", "time"),
    "received_at": Column("when the answer arrived, UTC, ISO 8601", "time"),
    "rt_ms": Column("milliseconds from the painted frame to the answer", "integer"),
    "click_ms": Column("milliseconds of each choice, joined by ';'", "list"),
    "input": Column("device of the answer", "text", "mouse; touch; pen; key"),
    "hidden_ms": Column("milliseconds the page was hidden meanwhile", "integer"),
    "presentations": Column(
        "how often the question was on the screen; more than 1 after a reload", "integer"
    ),
}
SESSION_COLUMNS: Mapping[str, Column] = {
    "schema": Column("version of these tables", "integer"),
    "study_hash": Column("hash of the study as it was launched"),
    "session_id": Column("key of the session"),
    "ordinal": Column("order of arrival, from 1", "integer"),
    "participant": Column("pseudonym; the same in every session of one person or machine"),
    "answered_by": ANSWERED_BY,
    "machine": Column("endpoint, settings and prompt of a machine, as JSON"),
    "front_end": Column("the program that asked instead of our page, if any"),
    "condition": Column("group of the participant; empty if the study has none"),
    "block_order": Column("names of the blocks in the order in which they were asked", "list"),
    "device": Column("what was found out about the device, as JSON; px_per_mm by a bank card"),
    "language": Column("language in which the study was taken"),
    "recruiter": Column(
        "where the participant came from, by the address", "text", "prolific; mturk; sona; link"
    ),
    "consent_version": Column(
        "hash of the consent text that was agreed to; empty for machines and front ends"
    ),
    "consent_at": Column("when, UTC, ISO 8601", "time"),
    "seed": Column("seed of the order of questions", "integer"),
    "user_agent": Column("the browser, as it names itself"),
    "viewport": Column("size of the page in CSS pixels"),
    "pixel_ratio": Column("device pixels per CSS pixel", "number"),
    "started_at": Column("when the session began, UTC, ISO 8601", "time"),
    "last_seen_at": Column("when it last sent something, UTC, ISO 8601", "time"),
    "finished_at": Column("when it ended, UTC, ISO 8601", "time"),
    "status": Column(
        "how the session stands: returned if the participant stopped, screened if an answer ended"
        " it, failed by wrong answers to catch questions, expired if idle too long",
        "text",
        "open; complete; returned; screened; failed; expired",
    ),
    "code_issued": Column("code that was shown at the end, also to those who stopped"),
    "n_trials": Column("questions planned, practice included", "integer"),
    "n_done": Column("questions that have an outcome", "integer"),
    "n_answered": Column("questions answered, practice not included", "integer"),
    "n_skipped": Column("questions skipped", "integer"),
    "catch_right": Column("share of catch questions answered as expected", "number"),
    "repeat_same": Column("share of repeats answered as the first time", "number"),
    "median_rt_ms": Column("median response time in milliseconds", "integer"),
    "fast_share": Column("share of answers faster than flags.fast_ms", "number"),
    "one_side_share": Column("share of answers at the most frequent position", "number"),
    "flags": Column("fast, one_sided, failed_catch, joined by ';'", "list"),
}
ITEM_COLUMNS: Mapping[str, Column] = {
    "item_id": Column("name of the item in all tables"),
    "kind": Column("what it is", "text", "text; image; audio; video; html"),
    "source": Column("the text, or the file in the study's folder"),
    "sha256": Column("hash of the content"),
    "label": Column("name for figures"),
    "alt": Column("description for those who cannot see it"),
}
ANSWER_COLUMNS: Mapping[str, Column] = {
    "anchor, near, far": Column("anchor is nearer to near than to far (tasks with single items)"),
    "i, j, k, l": Column("i and j are nearer to each other than k and l (pairs)"),
    "left, right, answer": Column("two items, and the one that is more, or tie (pair)"),
    "participant": Column("pseudonym"),
    "trial": Column("trial_id; rows of one trial come from one choice and belong together"),
    "pool": Column("random, validation, repeat or adaptive; judge maps by the first two"),
    "status": Column("status of the session, see sessions.csv"),
    "block": Column("name of the block, if the study has several"),
    "group:condition": Column(
        "group of the participant, if the study has several; condition in a file of the task pair"
    ),
    "group:answered_by": Column(
        "person or the name of a model, if machines were asked; answered_by in a file of the task"
        " pair"
    ),
}
LONG_COLUMNS: Mapping[str, Column] = {
    "session_id": Column("key of the session, see sessions.csv"),
    "participant": Column("pseudonym; the same in every session of one person"),
    "condition": Column("group of the participant; empty if the study has none"),
    "status": SESSION_COLUMNS["status"],
    "row": Column("order within the session, from 1", "integer"),
    "type": Column("a comparison or a question of a questionnaire", "text", "trial; question"),
    "name": Column("trial_id, or the name of the question"),
    "block": Column("name of the block; of a question before, between-1, … or after"),
    "pool": Column("why a comparison was asked, see trials.csv; questionnaire otherwise"),
    "asked": Column("items of a comparison, the reference first; the text of a question", "list"),
    "outcome": Column(
        "what became of it, see trials.csv; not_shown if the condition of a question did not hold",
        "text",
        "answered; skipped; not_shown; timed_out; media_failed; abandoned",
    ),
    "answer": Column("items chosen, or the answer to the question", "list"),
    "rt_ms": Column("response time in milliseconds; of a whole questionnaire", "integer"),
    "received_at": Column("when the answer arrived, UTC, ISO 8601", "time"),
}
REPLY_COLUMNS: Mapping[str, Column] = {
    "trial_id": Column("the question, see trials.csv"),
    "session_id": Column("key of the session, see sessions.csv"),
    "participant": Column("pseudonym of the machine with its settings"),
    "answered_by": ANSWERED_BY,
    "outcome": TRIAL_COLUMNS["outcome"],
    "text": Column("what the machine said; empty if its reply holds no text"),
    "n_tries": Column("requests until there was a reply", "integer"),
    "sent_at": Column("when the last request left, UTC, ISO 8601", "time"),
    "received_at": Column("when the reply was here, UTC, ISO 8601", "time"),
    "took_ms": Column("milliseconds of that request", "integer"),
    "input_tokens": Column("tokens of the prompt, by the server's count", "integer"),
    "output_tokens": Column("tokens of the reply, by the server's count", "integer"),
    "cost": Column("by the prices that were given", "number"),
    "body": Column("the whole reply as it came"),
}
WIDE_TRIAL: Mapping[str, Column] = {
    "asked": Column("items of the comparison, the reference first", "list"),
    "answer": Column("items chosen", "list"),
    "rt_ms": Column("response time in milliseconds", "integer"),
}
"""Columns of wide.csv for each place of a session, such as trial_1_asked."""
DICTIONARY = ("file", "column", "type", "values", "meaning")
