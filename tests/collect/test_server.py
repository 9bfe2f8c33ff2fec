"""The server over HTTP: a whole session, and what strangers might try."""

import asyncio
import json
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import pytest

import ordinate as od
from ordinate.collect import server
from ordinate.collect.pages import item_content
from ordinate.collect.server import COOKIE, Address, RateLimit, make_server
from ordinate.collect.sessions import Refusal
from ordinate.collect.tasks import TASKS


@pytest.mark.parametrize("task", TASKS)
def test_a_whole_session(join, task):
    person = join(task=task, finish__code="DONE")
    assert person.client.get("/api/state").json() == {"paused": False, "session": None}
    assert person.begin().status_code == 201
    asked = person.answer_all()
    assert len({trial["trial"] for trial in asked}) == 9
    assert person.post("/api/finish").json() == {"code": "DONE", "redirect": ""}
    assert person.client.get("/api/state").json()["session"]["status"] == "complete"


def test_the_page_knows_neither_names_nor_pools_nor_right_answers(join):
    person = join()
    person.begin()
    practice, *trials = person.trials()
    assert set(practice) == {"trial", "place", "block", "shown", "reference", "expected"}
    for trial in trials:
        assert set(trial) == {"trial", "place", "block", "shown", "reference"}
        assert set(trial["reference"]) == {"kind", "alt", "text"}


def test_questions_stay_until_they_are_answered(join):
    person = join()
    person.begin()
    first = person.trials()
    assert person.trials() == first
    person.send(person.answer(first[0]))
    assert person.trials() == first[1:]


def test_resuming_and_two_tabs_share_one_session(join):
    person = join()
    session = person.begin().json()["session"]
    other = join(person)
    other.client.cookies = person.client.cookies
    assert other.begin().json()["session"] == session
    trial = person.trials()[0]
    assert person.send(person.answer(trial)).json()["stored"] == {trial["trial"]: True}
    assert other.send(other.answer(trial)).json()["stored"] == {trial["trial"]: False}


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(join):
    cookie = join().begin().headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "max-age=86400" in cookie


def test_a_page_that_is_refused_its_session(join):
    person = join()
    for path in ("/api/trials", "/api/answers", "/api/finish", "/api/withdraw"):
        assert person.post(path).status_code == 401
    person.client.cookies.set(COOKIE, "x" * 32)
    assert person.post("/api/trials").status_code == 401


def test_replays_forgeries_and_foreign_questions_are_refused(join):
    one = join()
    two = join(one)
    one.begin()
    two.begin()
    mine, theirs = one.trials()[0], two.trials()[0]
    reply = one.send(one.answer(mine), one.answer(theirs), one.answer({"trial": "tforged"})).json()
    assert reply["stored"] == {mine["trial"]: True}
    assert set(reply["refused"]) == {theirs["trial"], "tforged"}
    for _ in range(3):
        replay = one.send(one.answer(mine, chosen=[1])).json()
        assert replay["stored"] == {mine["trial"]: False}
    rows = one.store.reader.execute("SELECT chosen FROM answers").fetchall()
    assert [row[0] for row in rows] == ["[0]"]


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"[" * 60_000, "application/json", 400),
        (b'{"answers": []}', "application/json", 400),
        (b'{"answers": 3}', "application/json", 400),
        (b"{}", "text/plain", 415),
        (b"{}", "application/x-www-form-urlencoded", 415),
        (b"{}", "multipart/form-data; boundary=x", 415),
        (b"{" + b" " * 70_000 + b"}", "application/json", 413),
    ],
)
def test_bodies_that_are_refused(join, content, kind, status):
    person = join()
    person.begin()
    headers = {"content-type": kind}
    reply = person.client.post("/api/answers", content=content, headers=headers)
    assert reply.status_code == status
    assert set(reply.json()) == {"error", "message"}


def test_more_answers_than_a_page_ever_sends_are_refused(join):
    person = join()
    person.begin()
    answers = [person.answer({"trial": f"t{number}"}) for number in range(51)]
    assert person.send(*answers).status_code == 400


def test_requests_from_other_sites_are_refused(join):
    person = join()
    for site, status in (("cross-site", 403), ("same-site", 403), ("same-origin", 201)):
        reply = person.client.post(
            "/api/session",
            json={
                "consent": True,
                "request": "r" * 16,
                "consent_version": person.study.consent_version,
            },
            headers={"sec-fetch-site": site},
        )
        assert reply.status_code == status


def test_no_session_without_consent(join):
    person = join()
    assert person.begin(consent=False).status_code == 400
    assert person.begin(consent="yes").status_code == 400
    assert person.begin(request="short").status_code == 400
    assert person.begin(params=[]).status_code == 400
    assert person.begin(consent_version="other").status_code == 409
    assert person.client.get("/api/state").json()["session"] is None


def test_what_is_too_long_is_cut(join):
    person = join()
    person.begin(params={"x" * 99: "y" * 999}, viewport="z" * 99, pixel_ratio="w")
    row = person.store.reader.execute("SELECT * FROM sessions JOIN identities").fetchone()
    assert json.loads(row["url_params"]) == {"x" * 60: "y" * 200}
    assert (len(row["viewport"]), row["pixel_ratio"]) == (20, None)


@pytest.fixture
def with_media(make_folder):
    folder = make_folder()
    (folder / "items").mkdir()
    (folder / "items" / "secret name.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    (folder / "items" / "bold.html").write_text(
        "<b onclick='x()'>bold</b><script>alert(1)</script><img src=x onerror=y>"
        "<a href='https://evil.example'>a</a><p style='position:fixed'>p</p>"
    )
    (folder / "items.csv").write_text(
        "item_id,source,alt\none,items/secret name.svg,\ntwo,items/bold.html,\n"
        + "".join(f"<b>x{n}</b>,<script>alert({n})</script>,\n" for n in range(6))
    )
    return folder


def test_media_are_served_by_their_content_alone(join, with_media):
    person = join(folder=with_media)
    address = person.study.items["one"].media
    reply = person.client.get(f"/media/{address}")
    assert reply.status_code == 200
    assert reply.headers["content-type"] == "image/svg+xml"
    assert "sandbox" in reply.headers["content-security-policy"]
    assert "immutable" in reply.headers["cache-control"]
    for path in (
        "/media/secret name.svg",
        "/media/../study.toml",
        "/media/..%2Fstudy.toml",
        "/media/%2e%2e/data/answers.sqlite",
        "/media//etc/passwd",
        "/static/../server.py",
        "/static/texts.toml",
        "/static/%2e%2e%2fserver.py",
        "/study.toml",
        "/data/answers.sqlite",
    ):
        assert person.client.get(path).status_code == 404, path


def test_html_in_items_does_nothing(join, with_media):
    person = join(folder=with_media)
    html = item_content(person.study, person.study.items["two"])["html"]
    assert html == "<b>bold</b>a<p>p</p>"
    assert "<script>alert" not in person.client.get("/").text
    person.begin()
    trial = next(t for t in person.trials() if t["shown"][0].get("text", "").startswith("<script>"))
    assert trial["shown"][0]["kind"] == "text"


def test_every_reply_is_safe_to_show(join):
    person = join()
    paths = ("/", "/experimenter", "/static/participant.js", "/api/state", "/media/x", "/nowhere")
    for path in paths:
        headers = person.client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "'unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers


def test_limits_per_session_and_per_address(join):
    person = join(limits__session_per_minute=3)
    person.begin()
    codes = [person.post("/api/trials").status_code for _ in range(5)]
    assert codes == [200, 200, 200, 429, 429]
    crowded = join(folder=None, name="crowded", limits__address_per_minute=4)
    codes = [crowded.client.get("/").status_code for _ in range(6)]
    assert codes == [200] * 4 + [429] * 2
    assert crowded.client.get("/").headers["retry-after"] == "5"


def test_a_flood_of_new_sessions_is_refused(join):
    person = join(limits__new_sessions_per_address_per_hour=2)
    assert [join(person).begin().status_code for _ in range(4)] == [201, 201, 429, 429]


def test_a_limit_starts_over_when_its_time_is_over(monkeypatch):
    moment = [0.0]
    monkeypatch.setattr(server.time, "monotonic", lambda: moment[0])
    limit = RateLimit(60)
    for _ in range(2):
        limit.check("a", 2)
    limit.check("b", 2)
    with pytest.raises(Refusal, match="Too many requests"):
        limit.check("a", 2)
    moment[0] = 61.0
    limit.check("a", 2)


def test_a_full_disk_is_told_and_the_answer_counts_later(join):
    person = join()
    person.begin()
    trials = person.trials()
    connection = person.store._connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count={pages}")
    padding = {"click_ms": [123456789] * 200}
    replies = [person.send(person.answer(trial, **padding)) for trial in trials]
    full = [reply.status_code == 507 for reply in replies]
    assert full[-1]
    assert replies[-1].json()["error"] == "storage"
    stored = person.store.reader.execute("SELECT COUNT(*) FROM answers").fetchone()[0]
    assert stored == full.count(False)
    connection.execute("PRAGMA max_page_count=100000")
    assert person.send(*map(person.answer, trials)).status_code == 200
    assert person.post("/api/finish").status_code == 200


def test_paused(join, experimenter):
    person = join()
    person.begin()
    trial = person.trials()[0]
    assert (
        experimenter(person).post("/experimenter/pause", json={"paused": True}).status_code == 200
    )
    assert person.post("/api/trials").json()["error"] == "paused"
    assert join(person).begin().status_code == 503
    assert person.send(person.answer(trial)).json()["stored"] == {trial["trial"]: True}
    experimenter(person).post("/experimenter/pause", json={"paused": False})
    assert person.post("/api/trials").status_code == 200


def test_withdrawing(join):
    person = join()
    person.begin()
    assert person.post("/api/withdraw").json() == {"status": "returned"}
    assert person.post("/api/trials").json()["error"] == "returned"


# ---- addresses ----


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.4", "study.example.org", "::"])
def test_a_public_address_needs_tls_or_a_proxy(host, tmp_path):
    with pytest.raises(od.InputError, match="answers would travel unencrypted"):
        Address(host)
    assert Address(host, behind_proxy=True).host == host
    assert Address(host, certificate=tmp_path, key=tmp_path).url.startswith("https://")
    with pytest.raises(od.InputError, match="one is missing"):
        Address(host, certificate=tmp_path)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_this_machine_needs_neither(host):
    assert Address(host).is_loopback


# ---- a real socket: clients that are slow or send too much ----


@pytest.fixture
def port(join, monkeypatch):
    """Serve a study on a real socket, impatiently."""
    monkeypatch.setattr(server, "HEADER_SECONDS", 0.3)
    monkeypatch.setattr(server, "BODY_SECONDS", 0.3)
    with running(join(), Address(port=0)) as number:
        yield number


@contextmanager
def running(person, address):
    server = make_server(person.study, person.store, address, live=False)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_until_complete, args=(server.serve(),))
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join()
    loop.close()


def talk(port, *parts, pause=0.0):
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        try:
            for part in parts:
                connection.sendall(part)
                time.sleep(pause)
            received = b""
            while data := connection.recv(65536):
                received += data
                if b"\r\n\r\n" in received:
                    return received
            return received
        except (ConnectionError, BrokenPipeError):
            return b""


GET = b"GET /api/state HTTP/1.1\r\nhost: x\r\n"


def test_a_client_in_time_is_answered(port):
    assert talk(port, GET, b"\r\n").startswith(b"HTTP/1.1 200")


def test_headers_that_never_end_are_cut_off(port):
    assert talk(port, b"") == b""
    assert talk(port, *[b"x-slow: 1\r\n" if n else GET for n in range(8)], pause=0.1) == b""
    assert talk(port, GET, b"x-large: " + b"a" * 40_000) == b""


def test_a_body_that_never_ends_is_cut_off(port):
    head = b"POST /api/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
    assert talk(port, head + b"content-length: 100\r\n\r\n{").startswith(b"HTTP/1.1 408")


def test_others_are_answered_while_slow_clients_wait(port):
    slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(50)]
    for connection in slow:
        connection.sendall(GET)
    assert talk(port, GET, b"\r\n").startswith(b"HTTP/1.1 200")
    for connection in slow:
        connection.close()


@pytest.mark.parametrize("behind_proxy", [False, True])
def test_only_a_proxy_may_say_where_someone_comes_from(join, behind_proxy):
    person = join(limits__address_per_minute=2)
    with running(person, Address(port=0, behind_proxy=behind_proxy)) as port:
        replies = [
            talk(port, GET, b"x-forwarded-for: 10.0.0.%d\r\n\r\n" % number) for number in range(4)
        ]
    codes = [reply.split()[1] for reply in replies]
    assert codes == [b"200"] * 4 if behind_proxy else [b"200"] * 2 + [b"429"] * 2


def test_a_port_that_is_taken():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(od.InputError, match=r"Cannot listen on 127.0.0.1, port \d+: .* in use"):
            server.require_free(Address(port=taken.getsockname()[1]))


WITHOUT = """
import importlib, pkgutil, sys
for name in ("starlette", "uvicorn", "httptools", "nh3", "httpx2"):
    sys.modules[name] = None
import ordinate.cli, ordinate.collect
for module in pkgutil.iter_modules(ordinate.collect.__path__):
    importlib.import_module(f"ordinate.collect.{module.name}")
"""


def test_no_module_needs_the_extra_to_be_imported():
    subprocess.run([sys.executable, "-c", WITHOUT], check=True)


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setattr(server, "find_spec", lambda name: None)
    with pytest.raises(od.InputError, match=r'pip install "ordinate\[collect\]"'):
        server.require_server()
