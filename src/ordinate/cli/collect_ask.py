"""`ordinate collect ask`: let a machine answer the questions of a study."""

from __future__ import annotations

import json as jsons
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordinate._checks import InputError
from ordinate.cli._options import Json
from ordinate.cli._results import print_json, print_report
from ordinate.cli._typer import arg, opt, switch

if TYPE_CHECKING:
    from ordinate.collect.machine import Budget


@dataclass(frozen=True)
class Talking:
    """How to speak with the machine."""

    endpoint: str = opt(
        "Address of the OpenAI-compatible API, such as http://127.0.0.1:8000/v1.",
        "URL",
        default=...,
        show_default=False,
    )
    model: str = opt("Name of the model there.", "NAME", default=..., show_default=False)
    setting: list[str] | None = opt(
        "Sent with every question; may be repeated. temperature=0 and "
        "max_tokens=100 by default; NAME=null leaves one out.",
        "NAME=VALUE",
    )
    no_schema: bool = switch("For servers that cannot force the form of a reply (JSON schema).")
    key_from: str = opt(
        "Environment variable that holds the key, if any.", "VARIABLE", default="ORDINATE_API_KEY"
    )
    concurrency: int = opt("Number of requests at a time.", "N", default=4, min=1, max=200)
    per_minute: int = opt("Limit of requests per minute; 0 for none.", "N", default=0, min=0)
    timeout: float = opt("How long to wait for a reply.", "SECONDS", default=60.0, min=0.01)


@dataclass(frozen=True)
class Paying:
    """What tokens cost, and how much may be spent."""

    price_in: float | None = opt("Price of a million prompt tokens.", "PRICE", min=0)
    price_out: float | None = opt("Price of a million reply tokens.", "PRICE", min=0)
    max_cost: float | None = opt(
        "Limit of the cost of all runs with these settings.", "COST", min=0
    )
    max_tokens: int | None = opt("Limit of the tokens of all runs with these settings.", "N", min=0)


def ask(
    *,
    folder: Path = arg("Folder of the study."),
    talking: Talking,
    answers: int = opt("Total number of answers, earlier runs included.", "N", default=..., min=1),
    paying: Paying,
    both_orders: bool = switch("Ask every question in both orders."),
    dry_run: bool = switch("Show prompts and the price; ask and store nothing."),
    json: Json = False,
) -> None:
    """Ask a language model the questions of a study, and store its answers beside people's.

    Speaks the OpenAI-compatible chat API. The prompt is prompt.md of the folder,
    with the study's own instructions. Run the same command again to continue: no
    question is paid for twice. The key is read from the environment.

    Example: ordinate collect ask study --endpoint http://127.0.0.1:8000/v1 --model NAME
    --answers 2000 --max-cost 5.00
    """
    from ordinate.collect.ask import ask_machine, rehearse
    from ordinate.collect.chat import Chat, check_endpoint
    from ordinate.collect.machine import Machine
    from ordinate.collect.prepare import load_sound_study
    from ordinate.collect.prompts import check_items, read_template

    study = load_sound_study(folder)
    check_items(study)
    machine = Machine(
        talking.model,
        read_template(folder),
        _settings(talking.setting or []),
        not talking.no_schema,
        both_orders,
    )
    budget = _budget(paying, check_endpoint(talking.endpoint))
    if dry_run:
        print_report(rehearse(study, machine, answers, budget), {}, json=json)
        return
    chat = Chat(
        talking.endpoint,
        key_from=talking.key_from,
        timeout=talking.timeout,
        per_minute=talking.per_minute,
    )
    figures, stopped = ask_machine(
        study, machine, chat, wanted=answers, budget=budget, concurrency=talking.concurrency
    )
    if json:
        print_json({**asdict(figures), "stopped": stopped})
    else:
        whose = f"{machine.model} ({figures.participant})"
        print(f"{whose}: {figures.n_answered:,} answers of {answers:,}.\n{figures}")
        if not stopped:
            print(f"Next: ordinate collect export {folder} -o answers.csv")
    if stopped:
        raise InputError(f"{stopped} Run the same command again to continue.")


def _settings(given: list[str]) -> dict[str, Any]:
    """Add settings such as temperature=1 to the usual ones; a value is JSON, or else text."""
    from ordinate.collect.machine import SETTINGS

    found = dict(SETTINGS)
    for entry in given:
        name, equals, value = entry.partition("=")
        if not equals or not name.strip():
            raise InputError(f"--setting must be NAME=VALUE, such as temperature=1; got {entry!r}.")
        try:
            found[name.strip()] = jsons.loads(value)
        except ValueError:
            found[name.strip()] = value
    return {name: value for name, value in found.items() if value is not None}


def _budget(paying: Paying, endpoint: str) -> Budget:
    from ordinate.collect.chat import is_local
    from ordinate.collect.machine import Budget

    prices = (paying.price_in, paying.price_out)
    if (prices[0] is None) != (prices[1] is None):
        raise InputError("--price-in and --price-out belong together; one is missing.")
    if paying.max_cost is not None and prices[0] is None and not is_local(endpoint):
        raise InputError(
            "--max-cost needs --price-in and --price-out: what a million tokens cost there."
        )
    caps = {"max_cost": paying.max_cost, "max_tokens": paying.max_tokens}
    given = {name: cap for name, cap in caps.items() if cap is not None}
    return Budget(prices[0] or 0.0, prices[1] or 0.0, **given)
