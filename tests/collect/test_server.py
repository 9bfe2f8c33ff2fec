"""The server over HTTP: a whole session, and what strangers might try."""

import asyncio
import json
import logging
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

import ordinate as od
from ordinate.collect import requests, server
from ordinate.collect.folder import read_study
from ordinate.collect.pages import item_content
from ordinate.collect.participant import HEADER
from ordinate.collect.server import Address, make_app, make_server

from .serving import PATIENCE


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


# ---- addresses ----


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.4", "study.example.org", "::"])
def test_a_public_address_needs_tls_or_a_proxy(host, tmp_path):
    with pytest.raises(od.InputError, match="answers would travel unencrypted"):
        Address(host)
    with pytest.raises(od.InputError, match=r"reached past the proxy.*--trusted-proxy"):
        Address(host, behind_proxy=True)
    assert Address(host, trusted_proxies=("10.0.0.5",)).host == host
    assert Address(host, certificate=tmp_path, key=tmp_path).url().startswith("https://")
    with pytest.raises(od.InputError, match="one is missing"):
        Address(host, certificate=tmp_path)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_this_machine_needs_neither(host):
    assert Address(host).is_loopback


def test_only_the_trusted_proxy_is_served_and_believed(join):
    person = join()
    address = Address("0.0.0.0", trusted_proxies=("10.0.0.5", "10.1.0.0/16"))
    limits = replace(person.study.limits, address_per_minute=2)
    person.store.study = replace(person.study, limits=limits)
    app = server.make_app(person.store, address, live=False)

    def get(peer, *forwarded):
        client = TestClient(app, client=(peer, 1))
        headers = [("x-forwarded-for", name) for name in forwarded]
        return client.get("/", headers=headers)

    for stranger in ("10.0.0.6", "192.0.2.1", "nonsense"):
        reply = get(stranger, "10.0.0.5")
        assert reply.status_code == 403
        assert reply.json()["message"] == "This server is reached through its proxy only."
    for peer in ("10.0.0.5", "10.1.2.3", "127.0.0.1", "::ffff:10.0.0.5"):
        assert get(peer, f"192.0.2.9, {peer}1, 203.0.113.{len(peer)}").status_code == 200
    codes = [get("10.0.0.5", f"198.51.100.{n}, 192.0.2.7, 10.1.0.1").status_code for n in range(4)]
    assert codes == [200, 200, 429, 429], "what a browser says of itself is not believed"
    with pytest.raises(od.InputError, match=r"--trusted-proxy must be .*got 'proxy.example'"):
        _ = Address("0.0.0.0", trusted_proxies=("proxy.example",)).proxies


def test_headers_that_are_too_long_are_answered_in_a_sentence(join):
    person = join()
    reply = person.client.get("/", headers={"cookie": "x" * 20_000})
    assert reply.status_code == 431
    assert reply.json()["message"].startswith("Your browser sent more than 16 kB of headers;")
    assert person.client.get("/", headers={"cookie": "x" * 10_000}).status_code == 200


def test_halves_of_characters_are_kept_as_far_as_they_can_be(join):
    """JSON can say half a character; neither a file nor a reply can hold it."""
    person = join()
    body = {"consent": True, "consent_version": person.study.consent_version, "request": "r" * 16}
    text = json.dumps({**body, "params": {"participant": "caf\ud800", "\ud800": "x"}})
    kind = {"content-type": "application/json"}
    reply = person.client.post("/api/session", content=text, headers=kind)
    assert reply.status_code == 201
    (who,) = person.store.reader.execute("SELECT external_id FROM identities").fetchone()
    assert who == "link:caf?"
    person.client.headers["ordinate-session"] = reply.json()["token"]
    good = person.answer(person.trials()[0])
    text = json.dumps({"answers": [{**good, "trial": "\udfff"}, good, {"\ud800": 1}]})
    reply = person.client.post("/api/answers", content=text, headers=kind).json()
    assert reply["stored"] == {good["trial"]: True}
    assert len(reply["refused"]) == 2


# ---- a real socket: clients that are slow or send too much ----


@pytest.fixture
def port(join, monkeypatch):
    """Serve a study on a real socket; make it impatient where a client is to be too slow."""
    monkeypatch.setattr("ordinate.collect.server.HEADER_SECONDS", PATIENCE)
    monkeypatch.setattr(requests, "BODY_SECONDS", PATIENCE)
    with running(join(), Address(port=0)) as number:
        yield number


@contextmanager
def running(person, address):
    server = make_server({"": make_app(person.store, address, live=False)}, address)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_until_complete, args=(server.serve(),))
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
        loop.close()


def talk(port, *parts, pause=0.0):
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
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


def test_headers_that_are_too_large_are_cut_off(port):
    assert talk(port, GET, b"x-large: " + b"a" * 80_000) == b""
    parts = (GET + b"cookie: ", b"a" * 10_000, b"a" * 10_000 + b"\r\n\r\n")
    assert talk(port, *parts, pause=0.01).startswith(b"HTTP/1.1 431")


def test_headers_that_never_end_are_cut_off(port, monkeypatch):
    monkeypatch.setattr("ordinate.collect.server.HEADER_SECONDS", 0.3)
    assert talk(port, b"") == b""
    assert talk(port, *[b"x-slow: 1\r\n" if n else GET for n in range(8)], pause=0.1) == b""


def test_a_body_that_never_ends_is_cut_off(port, monkeypatch):
    monkeypatch.setattr(requests, "BODY_SECONDS", 0.3)
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


def test_several_studies_on_one_server_keep_apart(make_folder, open_store):
    folders = [make_folder(name=name) for name in ("faces", "voices")]
    stores = dict(
        zip(
            Address(path="/lab").paths(folders),
            (open_store(read_study(folder)) for folder in folders),
            strict=True,
        )
    )
    assert list(stores) == ["/lab/faces", "/lab/voices"]
    apps = {path: server.make_app(s, live=False) for path, s in stores.items()}
    with TestClient(server.mount(apps), follow_redirects=False) as client:
        moved = client.get("/lab/faces?PROLIFIC_PID=7")
        assert (moved.status_code, moved.headers["location"]) == (308, "faces/?PROLIFIC_PID=7")
        for path in stores:
            page = client.get(f"{path}/")
            assert page.status_code == 200
            assert client.get(f"{path}/static/participant.js").status_code == 200
        for path in ("/", "/lab", "/lab/", "/faces/", "/lab/faces/voices/"):
            assert client.get(path).status_code == 404, path
        consent = stores["/lab/faces"].study.consent_version
        agreed = {"request": "r" * 16, "consent": True, "consent_version": consent}
        token = client.post("/lab/faces/api/session", json=agreed).json()["token"]
        for path, status in (("/lab/faces", 200), ("/lab/voices", 401)):
            reply = client.post(f"{path}/api/trials", json={}, headers={HEADER: token})
            assert reply.status_code == status


def test_one_study_is_at_the_path_itself(tmp_path):
    assert Address(path="/lab").paths([tmp_path]) == ["/lab"]
    assert Address(path="/lab/a").url("/lab/a") == "http://127.0.0.1:8000/lab/a/"
    assert Address().url() == "http://127.0.0.1:8000/"


@pytest.mark.parametrize("path", ["lab", "/a b", "/../x", "//lab", "/lab/"])
def test_a_path_that_is_none(path):
    with pytest.raises(od.InputError, match="--path must begin with a slash"):
        Address(path=path)


def test_names_of_folders_that_are_not_addresses_are_refused(tmp_path):
    for names in (("one/study", "two/study"), ("one", "zwei wörter")):
        with pytest.raises(od.InputError, match="rename the folder"):
            Address().paths([tmp_path / name for name in names])


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


def test_one_address_has_so_many_connections_at_once(join, monkeypatch):
    monkeypatch.setattr(server, "MOST_PER_ADDRESS", 3)
    monkeypatch.setattr(server, "HEADER_SECONDS", PATIENCE)
    with running(join(), Address(port=0)) as port:
        idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
        late = time.monotonic() + PATIENCE
        while talk(port, GET, b"\r\n") != b"":  # the idle ones may not have been accepted yet
            assert time.monotonic() < late
        for connection in idle:
            connection.close()
        while not talk(port, GET, b"\r\n").startswith(b"HTTP/1.1 200"):
            assert time.monotonic() < late


def test_a_log_is_not_flooded():
    few = server.FewLines()
    lines = [logging.makeLogRecord({"msg": "%s", "args": ("busy",)}) for _ in range(1000)]
    written = [line for line in lines if few.filter(line)]
    assert len(written) == server.LOG_LINES_PER_MINUTE
    assert written[-1].getMessage() == "busy (further lines left out)"


def test_scripts_and_styles_are_packed(join):
    client = join().client
    for name in ("participant.js", "collect.css"):
        packed = client.get(f"/static/{name}", headers={"accept-encoding": "gzip"})
        assert packed.headers["content-encoding"] == "gzip"
        plain = client.get(f"/static/{name}", headers={"accept-encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert packed.content == plain.content


def test_the_limit_of_open_files_is_raised_as_far_as_it_may_be():
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(before[0], 256), before[1]))
        assert server.raise_file_limit() > 256
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
