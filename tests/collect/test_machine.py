"""A machine among the participants, asked through a real server that is not always well."""

import asyncio
import csv
import json
import subprocess
import sys
import threading
from importlib.resources import files

import pytest

pytest.importorskip("httpx")

import ordinate as od
from ordinate._checks import InputError
from ordinate.collect import chat, machine
from ordinate.collect.adaptive import Chosen
from ordinate.collect.chat import Chat, check_endpoint, wait_of
from ordinate.collect.export import export_tables
from ordinate.collect.folder import read_study
from ordinate.collect.machine import Asking, Budget, Machine, Spending, Stop
from ordinate.collect.machine_figures import estimate, machine_figures
from ordinate.collect.prompts import messages_of, read_answer, read_template, schema_of
from ordinate.collect.store import connect, database_path
from ordinate.tasks import Question, make_task

from .chat_server import ChatServer, completion
from .serving import PATIENCE

KEY = "sk-do-not-tell-anyone-1234"


@pytest.fixture
def server():
    made = []

    def start(*arguments, **options):
        made.append(ChatServer(*arguments, **options))
        return made[-1]

    yield start
    for one in made:
        one.close()


class Clock:
    """Time that passes only where somebody waits for it."""

    def __init__(self):
        self.now, self.waits = 0.0, []

    def __call__(self):
        return self.now

    async def sleep(self, seconds):
        self.waits.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


@pytest.fixture
def ask(open_store):
    """Ask a machine so many answers about a study; returns its figures, or why it stopped."""

    def run(study, endpoint, wanted=8, *, clock=None, budget=None, store=None, **options):
        clock = clock or Clock()
        who = {name: options.pop(name) for name in ("both_orders", "schema") if name in options}
        settings = options.pop("settings", dict(machine.SETTINGS))
        respondent = Machine("acme/one", read_template(study.folder), settings, **who)
        timeout, rate = options.pop("timeout", PATIENCE), options.pop("per_minute", 0)
        opened = store or open_store(study)

        async def go():
            talk = Chat(endpoint, timeout=timeout, per_minute=rate, sleep=clock.sleep, clock=clock)
            asking = Asking(
                opened, respondent, talk, wanted=wanted, budget=budget or Budget(), **options
            )
            try:
                await asking.run()
            except Stop as stop:
                return str(stop)
            finally:
                await talk.close()
            return ""

        stopped = asyncio.run(go())
        figures = machine_figures(opened.reader, opened.study, respondent.participant)
        if store is None:
            opened.close()
        return figures, stopped

    return run


def answers_of(study):
    connection = connect(database_path(study.folder), read_only=True)
    rows = connection.execute(
        "SELECT t.*, outcome, chosen, rt_ms FROM trials t JOIN answers USING (trial_id)"
    ).fetchall()
    connection.close()
    return rows


def test_its_answers_lie_beside_those_of_people(join, ask, server, tmp_path):
    person = join()
    person.begin()
    person.answer_all()
    there = server()
    figures, stopped = ask(person.study, there.endpoint, 20, store=person.store)
    assert (figures.n_answered, figures.n_unparsable, figures.n_lost, stopped) == (20, 0, 0, "")
    assert there.requests[0]["response_format"] == schema_of(person.study.task)
    export_tables(person.study.folder, tmp_path / "answers.csv")
    answers = od.read_comparisons(tmp_path / "answers.csv", respondent="all")
    by = answers.groups["answered_by"]
    assert ((by == "person").sum(), (by == "acme/one").sum()) == (7, 20)
    own = od.read_comparisons(tmp_path / "answers.csv", where="answered_by=person")
    assert len(own) == 7
    rows = answers.rows[by == "acme/one"]
    names = answers.names
    for anchor, near, far in rows:
        apart = [abs(ord(names[x][0]) - ord(names[anchor][0])) for x in (near, far)]
        assert apart[0] <= apart[1], "the letters were turned back into items"
    with (tmp_path / "replies.csv").open() as file:
        replies = list(csv.DictReader(file))
    assert {json.loads(r["text"])["answer"] for r in replies} <= {"A", "B"}
    assert all(json.loads(r["body"])["usage"] for r in replies)
    with (tmp_path / "sessions.csv").open() as file:
        about = [json.loads(row["machine"]) for row in csv.DictReader(file)]
    assert about[0] == {}
    assert about[1]["settings"] == {"temperature": 0, "max_tokens": 100}


def test_people_and_machines_have_places_of_their_own(join, ask, server):
    first = join(limits__participants=1, sessions__catch_wrong=1)
    wrong = server(lambda request: "B")
    figures, _ = ask(first.study, wrong.endpoint, 12, store=first.store)
    assert figures.n_answered == 12, "nobody is sent away for wrong answers who cannot go"
    assert first.begin().status_code == 201, "a machine takes nobody's place"


@pytest.mark.parametrize(
    ("step", "wait"),
    [
        ({"status": 429, "headers": {"retry-after": "7"}}, 7.0),
        ({"status": 429, "headers": {"retry-after-ms": "250", "retry-after": "9"}}, 0.25),
        ({"status": 503, "headers": {"retry-after": "3"}}, 3.0),
        ({"status": 500}, None),
        ({"status": 500, "body": "<html>oops"}, None),
    ],
)
def test_a_busy_server_is_given_the_time_it_asks_for(make_folder, ask, server, step, wait):
    there, clock = server(script=[{}, step, step]), Clock()
    study = read_study(make_folder())
    figures, stopped = ask(study, there.endpoint, 5, clock=clock, concurrency=1)
    assert (figures.n_answered, figures.n_lost, stopped) == (5, 0, "")
    assert len(clock.waits) == 2
    if wait is None:
        assert 0.5 <= clock.waits[0] <= 1 <= clock.waits[1] <= 2, "twice as long the second time"
    else:
        assert clock.waits == pytest.approx([wait, wait])
    assert set(there.paid.values()) == {1}


def test_waits_are_read_from_headers():
    assert wait_of({"retry-after": "soon", "retry-after-ms": "500"}) == 0.5
    assert wait_of({"retry-after": "soon"}) is None
    assert wait_of({"retry-after": "inf"}) is None
    assert wait_of({"retry-after": "-3"}) is None
    assert wait_of({}) is None


@pytest.mark.parametrize("step", [{"half": True}, {"drop": True}, {"body": "x" * 2**21}])
def test_a_reply_that_never_comes_whole_is_not_asked_for_again(make_folder, ask, server, step):
    there, study = server(script=[{}, step]), read_study(make_folder())
    figures, stopped = ask(study, there.endpoint, 5, concurrency=1)
    assert (figures.n_answered, figures.n_lost, stopped) == (5, 1, "")
    asked = [request["messages"][-1]["content"] for request in there.requests]
    assert asked.count(asked[1]) == 1
    assert figures.input_tokens > 100 * len(asked), "it counts as dear as it can have been"


def test_a_slow_server_is_not_waited_for_and_not_asked_again(make_folder, ask, server):
    there, study = server(script=[{"hang": True}]), read_study(make_folder())
    figures, stopped = ask(study, there.endpoint, 3, timeout=0.3, concurrency=1)
    assert (figures.n_answered, stopped) == (3, "")
    assert figures.n_lost >= 1
    asked = [request["messages"][-1]["content"] for request in there.requests]
    assert asked.count(asked[0]) == 1


@pytest.mark.parametrize(
    "body",
    [
        "<html>A</html>",
        "[]",
        '{"choices": []}',
        completion(None),
        completion("I think it is A"),
        completion("C"),
        completion('{"choice": "A", "why": "B is worse"}'),
        completion("A, B"),
        completion(""),
    ],
)
def test_what_is_not_an_answer_is_counted_and_never_guessed(make_folder, ask, server, body):
    there, study = server(script=[{}, {"body": body}]), read_study(make_folder())
    figures, stopped = ask(study, there.endpoint, 6, concurrency=1)
    assert (figures.n_answered, stopped) == (6, "")
    n_odd = sum(row["outcome"] == "unparsable" for row in answers_of(study))
    assert n_odd == 1
    assert set(there.paid.values()) == {1}


def test_a_refused_text_is_not_an_answer(make_folder, ask, server):
    refused = {"status": 400, "body": {"error": {"code": "content_filter", "message": "no"}}}
    there, study = server(script=[{}, refused]), read_study(make_folder())
    figures, stopped = ask(study, there.endpoint, 6, concurrency=1)
    assert (figures.n_answered, stopped) == (6, "")
    assert sum(row["outcome"] == "unparsable" for row in answers_of(study)) == 1


@pytest.mark.parametrize(
    ("text", "task", "options", "chosen"),
    [
        ("A", "triplet", {}, (0,)),
        (" b.\n", "triplet", {}, (1,)),
        ('{"answer": "B"}', "triplet", {}, (1,)),
        ('{"answer": ["B"]}', "triplet", {}, (1,)),
        ("C", "triplet", {}, None),
        ("A or B", "triplet", {}, None),
        ("AB", "triplet", {}, None),
        ("```A```", "triplet", {}, (0,)),
        ('"A"', "triplet", {}, (0,)),
        ("“b”.", "triplet", {}, (1,)),
        ("'B.'", "triplet", {}, (1,)),
        ('```json\n{"answer": "B"}\n```', "triplet", {}, (1,)),
        ('{"answer": "\'B\'", "reason": "it is C, or A"}', "triplet", {}, (1,)),
        ('{"choice": "B"}', "triplet", {}, None),
        ("```\nA or B\n```", "triplet", {}, None),
        ('"C", "A"', "choose_k", {"shown": 4, "choose": 2, "ranked": True}, (2, 0)),
        ("{", "triplet", {}, None),
        ('{"answer": 1}', "triplet", {}, None),
        ("C", "odd_one_out", {}, (2,)),
        ("C", "pair", {}, (2,)),
        ("C", "pair", {"ties": False}, None),
        ("C, A", "choose_k", {"shown": 4, "choose": 2, "ranked": True}, (2, 0)),
        ('{"answer": ["D", "A"]}', "choose_k", {"shown": 4, "choose": 2}, (3, 0)),
        ("C, C", "choose_k", {"shown": 4, "choose": 2}, None),
        ("C", "choose_k", {"shown": 4, "choose": 2}, None),
        ("B", "pair_against_pair", {}, (1,)),
        ("", "triplet", {}, None),
    ],
)
def test_one_strict_rule_reads_answers(text, task, options, chosen):
    assert read_answer(text, make_task(task, **options)) == chosen


def test_the_run_ends_where_nothing_answers(make_folder, ask, server):
    there = server()
    there.close()
    clock = Clock()
    study = read_study(make_folder())
    figures, stopped = ask(study, there.endpoint, 5, clock=clock)
    assert "nothing answers at" in stopped
    assert len(clock.waits) == machine.MOST_TRIES - 1
    assert figures.n_lost == 0
    again = server()
    figures, stopped = ask(study, again.endpoint, 5)
    assert (figures.n_answered, figures.n_lost, stopped) == (5, 0, ""), "the first is asked again"


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ({"status": 401}, "No key was sent; put the right one into ORDINATE_API_KEY"),
        ({"status": 404, "body": {"error": {"message": "no such model"}}}, "'no such model'"),
        ({"status": 307}, "status 307"),
        ({"status": 429, "body": {"error": {"code": "insufficient_quota"}}}, "status 429"),
        ({"status": 429, "headers": {"retry-after": "3600"}}, "asks to wait 3600 s"),
    ],
)
def test_the_run_ends_where_asking_again_is_no_use(make_folder, ask, server, step, said):
    there = server(script=[step])
    figures, stopped = ask(read_study(make_folder()), there.endpoint, 5)
    assert said in stopped
    assert (len(there.requests), figures.n_answered, figures.n_lost) == (1, 0, 0)


def test_the_run_ends_where_everything_is_unparsable(make_folder, ask, server):
    there = server(lambda request: "As a language model I cannot compare food.")
    figures, stopped = ask(read_study(make_folder()), there.endpoint, 500, concurrency=1)
    assert "20 questions in a row have no answer" in stopped
    assert "As a language model" in stopped
    assert len(there.requests) == machine.MOST_IN_A_ROW
    assert figures.example.startswith("As a language model")


def test_a_reply_on_disk_is_read_again_and_not_paid_again(make_folder, ask, server):
    there, study = server(), read_study(make_folder())
    before, _ = ask(study, there.endpoint, 12)
    connection = connect(database_path(study.folder))
    connection.execute(
        "DELETE FROM answers WHERE trial_id IN (SELECT trial_id FROM answers LIMIT 5)"
    )
    connection.execute("UPDATE sessions SET status='open'")
    connection.close()
    n_requests = len(there.requests)
    after, stopped = ask(study, there.endpoint, 12)
    assert (after, stopped) == (before, "")
    assert len(there.requests) == n_requests


def test_no_question_is_paid_twice_after_kills(make_folder, ask, server):
    study, there = read_study(make_folder()), server()
    mind = there.mind
    command = [sys.executable, "-c", "from ordinate.cli import main; main()", "collect", "ask"]
    command += [str(study.folder), "--endpoint", there.endpoint, "--model", "acme/one"]
    for so_far in (5, 25):
        enough, dead = threading.Event(), threading.Event()

        def reply(request, so_far=so_far, enough=enough, dead=dead):
            """Answer so many; let the others wait until nobody is there to hear."""
            if sum(there.paid.values()) >= so_far:
                enough.set()
                dead.wait(PATIENCE)
            return mind(request)

        there.mind = reply
        process = subprocess.Popen(
            [*command, "--answers", "1000"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while not enough.wait(0.1):
            assert process.poll() is None
        process.kill()
        process.wait()
        dead.set()
    there.mind = mind
    figures, stopped = ask(study, there.endpoint, 60)
    assert (figures.n_answered, stopped) == (60, "")
    assert figures.n_lost <= 2 * 4, "no more than were on their way"
    assert max(there.paid.values()) == 1


def test_limits_of_cost_and_tokens_hold(make_folder, ask, server):
    there, study = server(), read_study(make_folder())
    budget = Budget(max_tokens=6000)
    figures, stopped = ask(study, there.endpoint, 500, budget=budget)
    assert "--max-tokens" in stopped
    assert 2000 < figures.input_tokens + figures.output_tokens <= 6000
    dear = Budget(price_in=1000.0, price_out=2000.0, max_cost=2.0)
    again, stopped = ask(study, there.endpoint, 500, budget=dear)
    assert again.n_answered == figures.n_answered or again.cost <= 2.0
    assert "--max-cost" in stopped


def test_a_server_that_does_not_count_is_taken_at_its_worst(make_folder, ask, server):
    there = server(script=[{"body": {**completion("A"), "usage": None}}] * 40)
    figures, stopped = ask(
        read_study(make_folder()), there.endpoint, 500, budget=Budget(max_tokens=6000)
    )
    assert "--max-tokens" in stopped
    assert figures.n_answered < 40
    assert figures.output_tokens % 100 == 0


def test_a_server_may_report_the_cost_itself(make_folder, ask, server):
    body = completion("A")
    body["usage"]["cost"] = 0.5
    there = server(script=[{"body": body}] * 100)
    figures, stopped = ask(read_study(make_folder()), there.endpoint, 4)
    assert stopped == ""
    assert figures.cost == pytest.approx(0.5 * len(there.requests))


def test_so_many_at_once_and_so_many_a_minute(make_folder, ask, server):
    there, clock = server(), Clock()
    there.wait_for, there.seconds = 3, 0.01
    ask(read_study(make_folder(name="a")), there.endpoint, 30, concurrency=3)
    assert there.most_at_once == 3
    ask(read_study(make_folder(name="b")), server().endpoint, 5, clock=clock, per_minute=30)
    assert sum(clock.waits) >= 4 * 2 - 1e-6


def test_every_question_in_both_orders(make_folder, ask, server):
    there, study = server(lambda request: "A"), read_study(make_folder())
    figures, _ = ask(study, there.endpoint, 40, both_orders=True)
    twice = figures.agreement
    assert (twice.count, twice.of) == (0, 20)
    assert figures.same_position == {"A": 20}, "it always says the first"
    assert figures.positions["A"].share == 1
    rows = {row["trial_id"]: row for row in answers_of(study)}
    for row in rows.values():
        if row["repeat_of"]:
            first = rows[row["repeat_of"]]
            assert json.loads(row["shown"]) == json.loads(first["shown"])[::-1]
            assert row["reference"] == first["reference"]
    fair, _ = ask(study, server().endpoint, 40, both_orders=True, settings={"temperature": 1})
    assert fair.agreement.share == 1
    assert fair.positions["A"].count == 20


def test_validation_questions_come_once(make_folder, ask, server):
    study = read_study(make_folder())
    figures, _ = ask(study, server().endpoint, 30)
    assert figures.n_sessions > 3
    pools = [row["pool"] for row in answers_of(study)]
    assert pools.count("validation") == 2
    assert "practice" not in pools


def test_adaptive_questions_are_chosen_by_its_own_answers(make_folder, ask, server, monkeypatch):
    made = []

    class Chooser:
        """Always wants to know the same thing."""

        problem = ""

        def __init__(self, study, store, *, participant):
            self.participant, self.n_fits, self.closed = participant, 0, False
            made.append(self)

        async def refit(self):
            self.n_fits += 1

        def take(self, block, number, taken):
            wish = Question("apple", ("honey", "yoghurt"))
            fresh = study.task.key(wish.items) not in taken
            return [Chosen(wish, "posterior", 1.5, 40)][: number * fresh]

        async def close(self):
            self.closed = True

    monkeypatch.setattr(machine, "Adaptive", Chooser)
    study = read_study(make_folder(pools__adaptive=2))
    figures, stopped = ask(study, server().endpoint, 40, both_orders=True)
    assert stopped == ""
    (chooser,) = made
    assert (chooser.participant, chooser.closed) == (figures.participant, True)
    assert 1 <= chooser.n_fits <= 4
    rows = {row["trial_id"]: row for row in answers_of(study)}
    chosen = [row for row in rows.values() if row["sampler"] == "posterior"]
    assert chosen
    assert all(row["pool"] == "adaptive" and row["reference"] == "apple" for row in chosen)
    for row in rows.values():
        if row["repeat_of"]:
            first = rows[row["repeat_of"]]
            assert json.loads(row["shown"]) == json.loads(first["shown"])[::-1]
            assert row["score"] == first["score"]
    assert figures.agreement.share == 1


def test_pictures_travel_as_data(make_folder, server, ask):
    folder = make_folder()
    for number in range(6):
        (folder / f"p{number}.png").write_bytes(b"\x89PNG" + bytes([number]))
    table = "item_id,source\n" + "".join(f"p{n},p{n}.png\n" for n in range(6))
    (folder / "items.csv").write_text(table)
    study = read_study(folder)
    there = server(lambda request: "B")
    figures, stopped = ask(study, there.endpoint, 4)
    assert (figures.n_answered, stopped) == (4, "")
    content = there.requests[0]["messages"][-1]["content"]
    kinds = [part["type"] for part in content]
    assert kinds == ["text", "image_url"] * 3 + ["text"]
    assert content[1]["image_url"]["url"].startswith("data:image/png;base64,iVBOR")
    assert content[2]["text"].endswith("A: ")


def test_the_prompt_is_the_studys_own(make_folder):
    folder = make_folder("pair")
    (folder / "instructions.md").write_text("Go by {taste}.")
    (folder / "prompt.md").write_text("Sir: {instructions}\n---\n{items}\n{question} {answers} {k}")
    study = read_study(folder)
    question = study.task.question(["apple", "pear"])
    system, user = messages_of(read_template(folder), study, question)
    assert system["content"] == "Sir: Go by {taste}."
    said = "A: apple\nB: pear\nC: No difference\n\nWhich one is better? A, B, C 1"
    assert user["content"] == said
    (folder / "prompt.md").write_text("no gap")
    with pytest.raises(InputError, match=r"must have \{items\} once"):
        read_template(folder)
    (folder / "prompt.md").write_text("{items}\n---\nhello")
    with pytest.raises(InputError, match="below the line ---"):
        read_template(folder)


def test_machines_are_not_told_to_use_a_mouse(make_folder):
    folder = make_folder("pair")
    shipped = (files("ordinate.collect") / "template" / "instructions.md").read_text("utf-8")
    (folder / "instructions.md").write_text(shipped)
    study = read_study(folder)
    system, _ = messages_of(read_template(folder), study, study.task.question(["apple", "pear"]))
    assert "mouse" in study.pages["instructions"]
    assert "first impression" in system["content"]
    assert not {"mouse", "finger", "keyboard"} & set(system["content"].lower().split())


def test_other_settings_are_another_respondent():
    one = Machine("m", "{items}")
    assert one.participant == Machine("m", "{items}").participant
    others = [
        Machine("m", "{items}!"),
        Machine("m", "{items}", {"temperature": 1}),
        Machine("m", "{items}", schema=False),
        Machine("m", "{items}", both_orders=True),
    ]
    assert len({machine.participant for machine in (one, *others)}) == 5
    with pytest.raises(InputError, match="keys come from the environment"):
        Machine("m", "{items}", {"api_key": "x"})
    with pytest.raises(InputError, match="is set by Ordinate"):
        Machine("m", "{items}", {"stream": True})


def test_the_bound_is_a_bound():
    spending = Spending(Budget())
    body = {"messages": [{"content": "word " * 100}], "max_tokens": 7}
    assert spending.bound(body)[0] >= 500
    assert spending.bound(body)[1] == 7
    picture = {"messages": [{"content": [{"image_url": {"url": "data:image/png;base64,AAAA"}}]}]}
    assert 2000 <= spending.bound(picture)[0] < 2100


def test_the_key_is_sent_to_the_server_only(make_folder, ask, server, monkeypatch, capsys):
    monkeypatch.setenv(chat.KEY, KEY)
    study = read_study(make_folder())
    echo = [
        {"body": completion("<<key>>")},
        {"body": "<<key>>"},
        {"status": 500, "body": "<<key>>"},
    ]
    last = {"status": 401, "body": {"error": {"message": "wrong key: <<key>>"}}}
    there = server(script=[{}, *echo, last])
    figures, stopped = ask(study, there.endpoint, 50, concurrency=1)
    assert "wrong key: Bearer [key]" in stopped
    assert f"The key in {chat.KEY} was sent" in stopped
    assert KEY not in stopped + repr(figures) + "".join(capsys.readouterr())
    for path in study.folder.rglob("*"):
        assert path.is_dir() or KEY.encode() not in path.read_bytes(), path
    connection = connect(database_path(study.folder), read_only=True)
    bodies = [row[0] for row in connection.execute("SELECT body FROM replies") if row[0]]
    connection.close()
    assert any("Bearer [key]" in body for body in bodies), "the server had it"


@pytest.mark.parametrize("where", ["http://models.example.org/v1"])
def test_a_key_does_not_travel_unencrypted(monkeypatch, where):
    monkeypatch.setenv(chat.KEY, KEY)
    with pytest.raises(InputError, match="unencrypted") as told:
        Chat(where)
    assert KEY not in str(told.value)
    monkeypatch.setenv(chat.KEY, f"{KEY}\nnewline")
    with pytest.raises(InputError, match="characters that a key cannot have") as told:
        Chat("https://models.example.org/v1")
    assert KEY not in str(told.value)


@pytest.mark.parametrize(
    "endpoint",
    ["http://me:secret@host/v1", "http://host/v1?key=secret", "host:80", "http://h:99999"],
)
def test_endpoints_hold_no_secrets(endpoint):
    with pytest.raises(InputError, match="--endpoint") as told:
        check_endpoint(endpoint)
    assert "secret" not in str(told.value)


def test_sounds_are_refused(make_folder):
    from ordinate.collect.prompts import check_items

    folder = make_folder()
    (folder / "tone.mp3").write_bytes(b"ID3")
    with (folder / "items.csv").open("a") as file:
        file.write("tone,audio,tone.mp3,,\n")
    with pytest.raises(InputError, match=r"item 'tone' is tone\.mp3"):
        check_items(read_study(folder))


def test_what_it_will_cost(make_folder):
    study = read_study(make_folder())
    who = Machine("m", read_template(study.folder))
    found = estimate(study, who, 700, Budget(price_in=1.0, price_out=10.0))
    assert found["n_questions"] == 800, "one of eight is a catch question"
    assert 0 < found["cost"] < found["most_cost"]
    assert found["output_tokens"] == 8000
