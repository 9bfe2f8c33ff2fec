"""`ordinate collect`: run a study of comparisons, from an empty folder to a table of answers."""

from __future__ import annotations

import gc
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ordinate._checks import InputError
from ordinate.cli._options import AskedTask, Json, Seed, task_name
from ordinate.cli._results import check_outputs, print_json, print_report
from ordinate.cli._typer import Group, Verb, arg, flag, opt, spread_options, switch
from ordinate.cli.collect_ask import ask

if TYPE_CHECKING:
    from ordinate.collect.store import Store
    from ordinate.collect.study import Study

collect = typer.Typer(
    cls=Group,
    name="collect",
    no_args_is_help=True,
    help="Run a study: ask people in the browser, store their answers, export tables.",
    epilog="Example: ordinate collect new study, then check, simulate, serve and export it.",
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)

Folder = Annotated[Path, typer.Argument(help="Folder of the study.", show_default=False)]
Simulated = Annotated[bool, flag("--simulated", "Take the simulated answers, not the real ones.")]


def new(
    folder: Folder,
    task: AskedTask = opt("What participants are asked.", default="triplet", callback=task_name),
) -> None:
    """Create a study that runs as it is, for you to edit.

    In a folder of pictures, sounds or films (ordinate collect new .) these
    become the items.

    Example: ordinate collect new study --task odd-one-out
    """
    from ordinate.collect.prepare import new_study

    for path in new_study(folder, task):
        print(f"Wrote {path}")
    print(f"Edit them, then: ordinate collect check {folder}")


def check(folder: Folder, json: Json = False) -> None:
    """Check a study for mistakes before anyone is paid.

    Lists the items that were found and the files that are left out, with the reason.
    Exits with status 1 if a mistake prevents the study from being served.

    Example: ordinate collect check study
    """
    from ordinate.collect.prepare import check_study

    checked = check_study(folder)
    print_report(checked, {}, json=json)
    raise typer.Exit(0 if checked.is_ready else 1)


@dataclass(frozen=True)
class Listening:
    """Where the server listens."""

    host: str = opt("Address to listen on.", "ADDRESS", default="127.0.0.1")
    port: int = opt("Port to listen on.", default=8000, min=1, max=65535)
    tls_certificate: Path | None = opt("Certificate for https.", "FILE")
    tls_key: Path | None = opt("Its private key.", "FILE")
    behind_proxy: bool = switch("A proxy on this machine handles TLS.")
    trusted_proxy: list[str] | None = opt(
        "Address or network of a proxy on another machine that handles TLS; others are refused.",
        "ADDRESS",
    )
    path: str = opt("Serve below this path, such as /lab.", "PATH", default="")


def serve(
    *,
    folders: list[Path] = arg("Folders of studies to serve together.", "FOLDER..."),
    listening: Listening,
    preview: bool = switch("Try every branch of the study; nothing is stored."),
    new_token: bool = switch("Create a new token; the old one becomes invalid."),
) -> None:
    """Serve studies until Ctrl-C; participants at /, the experimenter at /experimenter.

    Several studies are served at /FOLDER/, after the names of their folders; with
    --path /lab at /lab/FOLDER/. The token of the experimenter's page is shown
    once, or written to a private file if there is no terminal, as in a
    service. A study cannot be changed once someone has taken part. A second
    server of the same study is refused. Of several studies, those that cannot be
    served are named and left out.

    Example: ordinate collect serve faces voices --path /lab --behind-proxy
    """
    from contextlib import ExitStack

    from ordinate.collect.prepare import load_sound_study
    from ordinate.collect.server import (
        MOST_CONNECTIONS,
        Address,
        make_app,
        make_server,
        raise_file_limit,
        require_free,
        require_server,
    )
    from ordinate.collect.store import PREVIEW, REAL, Store

    require_server()
    address = Address(
        listening.host,
        listening.port,
        listening.tls_certificate,
        listening.tls_key,
        listening.behind_proxy,
        tuple(listening.trusted_proxy or ()),
        listening.path.rstrip("/"),
    )
    apps, stores = {}, {}
    with ExitStack() as opened:
        for path, folder in zip(address.paths(folders), folders, strict=True):
            try:
                store = Store(load_sound_study(folder), PREVIEW if preview else REAL)
                opened.callback(store.close)
                apps[path], stores[path] = make_app(store, address), store
            except Exception as error:  # whatever it is, the other studies go on
                if len(folders) == 1:
                    raise
                print(f"Left out: {folder}: {error}", file=sys.stderr)
        if not stores:
            raise InputError("None of these studies can be served; `check` says more of each.")
        require_free(address)
        for path, store in stores.items():
            _print_addresses(store, address.url(path), preview=preview, new_token=new_token)
        print("Stop with Ctrl-C.", flush=True)
        if (most := raise_file_limit()) < MOST_CONNECTIONS:
            print(f"At most {most} files and connections at once; raise `ulimit -n` for more.")
        server = make_server(apps, address)
        gc.freeze()  # what is loaded by now stays: looking through it again takes time from answers
        server.run()


def _print_addresses(store: Store, url: str, *, preview: bool, new_token: bool) -> None:
    """Say where participants, the experimenter and other front ends find a study."""
    from ordinate.collect.experimenter import experimenter_token
    from ordinate.collect.front_ends import front_end_tokens

    study = store.study
    print(f"{study.general.title} (study {study.hash}{', preview' if preview else ''})")
    print(f"Participants:  {url}")
    if preview:
        for branch in _branches(study):
            print(f"               {url}?{branch}")
    _print_token(experimenter_token(store, renew=new_token or preview), url, store.path)
    _print_front_ends(front_end_tokens(store), store, url)


def _branches(study: Study) -> list[str]:
    """Return what to add to the address of a preview to see each condition and language."""
    ways = [f"condition={name}" for name in study.design.conditions] or [""]
    spoken = [f"lang={name}" for name in study.languages] if len(study.languages) > 1 else [""]
    both = ["&".join(filter(None, (way, language))) for way in ways for language in spoken]
    return [branch for branch in both if branch]


def _print_token(token: str | None, url: str, database: Path) -> None:
    """Show a new token once: on a terminal, or else in a private file, since logs are kept."""
    page = f"Experimenter:  {url}experimenter"
    if token is None:
        print(f"{page}  (token shown at the first start; --new-token makes another)")
    elif sys.stdout.isatty():
        print(f"{page}#{token}\nThis token is not shown again; --new-token makes another.")
    else:
        print(f"{page}  (token in {_left(token, database)}; read it and delete the file)")


def _left(token: str, database: Path, name: str = "") -> Path:
    """Leave a token in a private file beside the database."""
    path = database.with_suffix(f".{name}.token" if name else ".token")
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600), "w") as file:
        file.write(token + "\n")
    return path


def _print_front_ends(tokens: dict[str, str], store: Store, url: str) -> None:
    """Show the new tokens of front ends once, as that of the experimenter."""
    for name in store.study.front_ends.names:
        token = tokens.get(name)
        if token is None:
            said = "token shown at its first start; for another one, rename it"
        elif sys.stdout.isatty():
            said = f"token {token}, not shown again"
        else:
            said = f"token in {_left(token, store.path, name)}; read it and delete the file"
        print(f"Front end:     {name} ({said})")
    if store.study.front_ends.names:
        print(f"               {url}api/openapi.json says what it may ask")


def simulate(
    folder: Folder,
    participants: int = opt("How many simulated people take part.", "N", default=20, min=1),
    noise: float = opt("Share of wrong answers.", "SHARE", default=0.1, min=0, max=1),
    truth: Path | None = opt("File for the true map: .csv, …", "FILE"),
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Send simulated participants through the real server, into a database of their own.

    They follow a random map of the items, which the other commands should recover.

    Example: ordinate collect simulate study --participants 40 --noise 0.1
    """
    from ordinate.collect.prepare import load_sound_study
    from ordinate.collect.simulate import simulate as run

    study = load_sound_study(folder)
    done = run(study, participants=participants, noise=noise, seed=seed, truth=truth)
    if json:
        print_json({"n_participants": done.n_participants, "n_answers": done.n_answers})
        return
    print(f"{done.n_participants} simulated participants gave {done.n_answers:,} answers.")
    print(f"Next: ordinate collect export {folder} --simulated -o answers.csv")


def export(
    folder: Folder,
    output: Path = opt(
        "Table of comparisons, which every command reads; the others go beside it.",
        "FILE",
        "-o",
        default=Path("answers.csv"),
    ),
    simulated: Simulated = False,
    without_flagged: bool = switch("Leave flagged sessions out of the comparisons."),
    complete_only: bool = switch("Leave unfinished sessions out of the comparisons."),
    include: list[str] | None = opt(
        "Include sessions that failed catch questions (failed) or were screened out (screened).",
        "STATUS",
    ),
    identities: Path | None = opt("Also write who took part. Keep this file private.", "FILE"),
    json: Json = False,
) -> None:
    """Write the answers as tables, also while the study runs.

    Besides the comparisons: trials.csv, sessions.csv, items.csv and
    dictionary.csv, which says what every column means. Participants who
    withdrew are left out. So are, from the comparisons, sessions that failed
    catch questions or were screened out.

    Example: ordinate collect export study -o answers.csv
    """
    from ordinate.collect.export import export_identities, export_tables
    from ordinate.collect.store import REAL, SIMULATED

    which = SIMULATED if simulated else REAL
    check_outputs([], others=[output, identities])
    written = export_tables(
        folder,
        output,
        which=which,
        without_flagged=without_flagged,
        complete_only=complete_only,
        include=include or (),
    )
    if identities is not None:
        export_identities(folder, identities, which=which)
        written = replace(written, files=(*written.files, identities))
    print_report(written, {}, json=json)


SETTLED = {
    "returned": "returned at Prolific; their sessions are withdrawn here",
    "expired": "ran out of time at Prolific; their sessions expire here",
    "approve": "are complete here and await review there; they are approved",
    "bonus": "earned the bonus",
    "review": "await review there and are not complete here; decide on Prolific's page",
}


def prolific(
    folder: Folder,
    pay: bool = switch("Act on it: end sessions here, approve submissions and pay bonuses there."),
    json: Json = False,
) -> None:
    """Compare a study with its submissions at Prolific, approve them and pay bonuses.

    Without --pay it only says what there is to do. The section [prolific] of
    study.toml names the study there, and the rule of the bonus. The token is read
    from the environment variable PROLIFIC_TOKEN.

    Example: ordinate collect prolific study --pay
    """
    from ordinate.collect.prepare import load_sound_study
    from ordinate.collect.prolific import settle

    study = load_sound_study(folder)
    found = settle(folder, study, pay=pay)
    if json:
        print_json({**{what: list(own) for what, own in found.items()}, "done": pay})
        return
    for what, own in found.items():
        if own:
            print(f"{len(own):,} {SETTLED[what]}: {', '.join(own)}")
    if count := len(found["bonus"]):
        bonus = study.prolific.bonus
        print(f"Bonuses: {count:,} of {bonus:.2f}, together {count * bonus:.2f}")
    if not any(found.values()):
        print("There is nothing to settle.")
    elif not pay:
        print("Nothing was changed; --pay does it.")


def forget(
    folder: Folder,
    session: str = arg("The session_id, or the code that the participant was given."),
    answers: bool = switch("Delete the answers too, not only the identity."),
    simulated: Simulated = False,
) -> None:
    """Delete a participant's identity permanently.

    Deletes the identity, the browser and the link to other sessions; with
    --answers also the answers. Tables exported earlier are not changed.

    Example: ordinate collect forget study s0123456789ab --answers
    """
    from ordinate.collect.store import REAL, SIMULATED
    from ordinate.collect.store import forget as delete

    left = delete(folder, session, answers=answers, which=SIMULATED if simulated else REAL)
    kept = f"its {left} answers stay, under a new pseudonym" if left else "no answer of it is left"
    print(f"Forgot who session {session} was; {kept}. Export the tables again.")


def backup(
    folder: Folder, output: Path = opt("Archive to write.", "FILE", "-o", default=Path("study.zip"))
) -> None:
    """Write the study and its answers into one archive, also while the study runs.

    It holds who took part: keep it as private as the study itself.

    Example: ordinate collect backup study -o 2026-11-17.zip
    """
    from ordinate.collect.backup import back_up_study

    check_outputs([], others=[output])
    count = back_up_study(folder, output)
    print(f"Wrote {output} with {count:,} answers. Go back with: ordinate collect restore {output}")


def restore(
    archive: Path = arg("What `collect backup` wrote."),
    folder: Path = arg("New folder for the study.", default=Path("study")),
) -> None:
    """Restore a backup into a new folder; the study keeps its token.

    Example: ordinate collect restore 2026-11-17.zip study
    """
    from ordinate.collect.backup import restore_study

    count = restore_study(archive, folder)
    print(f"Wrote {folder} with {count:,} answers. Next: ordinate collect serve {folder}")


for command in (new, check, serve, simulate, ask, export, prolific, backup, restore, forget):
    collect.command(cls=Verb)(spread_options(command))
