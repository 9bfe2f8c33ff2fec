"""Other programs than our page ask the questions of a study."""

import json
from pathlib import Path

import pytest

from ordinate._checks import InputError
from ordinate.collect import pages
from ordinate.collect.export import export_tables
from ordinate.collect.folder import read_study
from ordinate.collect.front_ends import front_end_tokens
from ordinate.collect.server import make_app
from ordinate.collect.store import Store
from ordinate.collect.study import FrontEnds

ORIGIN = "https://lab.example.org"


class FrontEnd:
    """A program with a token that asks for somebody."""

    def __init__(self, client, token, participant="P07"):
        self.client, self.participant = client, participant
        self.headers = {"authorization": f"Bearer {token}"}

    def next(self, **more):
        params = {"participant": self.participant}
        return self.client.get("/api/next", params=params, headers={**self.headers, **more})

    def send(self, *answers, **more):
        body = {"participant": self.participant, "answers": list(answers)}
        return self.client.post("/api/answers", json=body, headers={**self.headers, **more})


@pytest.fixture
def connect(make_folder, open_store):
    """Serve a study to a front end; call it with one to ask somebody else."""
    from starlette.testclient import TestClient

    def connected(where=None, participant="P07", *, task="triplet", names=("lab",), **settings):
        if where is not None:
            token = where.headers["authorization"].split()[1]
            return FrontEnd(where.client, token, participant)
        folder = make_folder(task, front_ends__names=list(names), **settings)
        store = open_store(read_study(folder))
        tokens = front_end_tokens(store)
        client = TestClient(make_app(store, live=False))
        made = FrontEnd(client, tokens.get("lab", "none"), participant)
        made.store = store
        return made

    return connected


def fits(value, schema, whole):
    """Whether a value is as its schema says; no more of JSON Schema than is used there."""
    if "$ref" in schema:
        found = whole
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        return fits(value, found, whole)
    if "oneOf" in schema:
        return sum(fits(value, one, whole) for one in schema["oneOf"]) == 1
    if "const" in schema:
        return value is schema["const"]
    if "enum" in schema:
        return value in schema["enum"]
    kinds = {"string": str, "integer": int, "boolean": bool, "array": list, "object": dict}
    kinds |= {"number": (int, float), "null": type(None)}
    wanted = schema.get("type", [])
    wanted = [wanted] if isinstance(wanted, str) else wanted
    if wanted and not any(isinstance(value, kinds[kind]) for kind in wanted):
        return False
    if isinstance(value, list):
        return all(fits(entry, schema.get("items", {}), whole) for entry in value)
    if isinstance(value, dict):
        own = schema.get("properties", {})
        rest = schema.get("additionalProperties", own == {})
        return set(schema.get("required", ())) <= set(value) and all(
            fits(entry, own[name], whole)
            if name in own
            else rest is not False and (rest is True or fits(entry, rest, whole))
            for name, entry in value.items()
        )
    return True


def described(path, method):
    whole = json.loads(pages.static_file("openapi.json"))
    reply = whole["paths"][path][method]["responses"]["200"]
    return reply["content"]["application/json"]["schema"], whole


@pytest.mark.parametrize(
    ("task", "n_options"),
    [("triplet", 2), ("odd_one_out", 3), ("pair_against_pair", 2), ("pair", 3)],
)
def test_a_whole_session(connect, tmp_path, task, n_options):
    lab = connect(task=task)
    seen = []
    while not (found := lab.next().json())["done"]:
        assert fits(found, *described("/api/next", "get"))
        assert len(found["options"]) == n_options
        assert lab.next().json() == found, "it stays until it is answered"
        reply = lab.send({"trial": found["trial"], "chosen": [0], "rt_ms": 700}).json()
        assert reply["stored"] == {found["trial"]: True}
        assert fits(reply, *described("/api/answers", "post"))
        assert reply["left"] == found["left"] - 1
        seen.append(found["trial"])
    assert fits(found, *described("/api/next", "get"))
    assert len(set(seen)) == 9
    assert len(found["code"]) == 8
    assert lab.next().json() == found
    study = lab.store.study
    written = export_tables(study.folder, tmp_path / "answers.csv")
    assert (written.counts["n_unfinished"], written.counts["n_trials"]) == (0, 9)
    row = (tmp_path / "sessions.csv").read_text().splitlines()
    assert dict(zip(row[0].split(","), row[1].split(","), strict=False))["front_end"] == "lab"


def test_questions_name_no_items_unless_asked_to(connect):
    lab = connect()
    assert "item_id" not in lab.next().text
    own = connect(front_ends__item_ids=True, name="named")
    found = own.next().json()
    names = [item["item_id"] for item in (found["reference"], *found["shown"])]
    assert set(names) <= set(own.store.study.items)


def test_each_participant_has_a_session_and_one_only(connect):
    first = connect()
    second = connect(first, "P08")
    trials = {first.next().json()["trial"], second.next().json()["trial"]}
    assert len(trials) == 2
    foreign = second.send({"trial": first.next().json()["trial"], "chosen": [0]}).json()
    assert "was not shown to this session" in min(foreign["refused"].values())
    assert connect(first, "").next().status_code == 400
    assert connect(first, "x" * 101).next().status_code == 400


def test_who_began_at_the_page_continues_there(connect, join):
    lab = connect()
    from starlette.testclient import TestClient

    from .conftest import Person

    person = Person(lab.store.study, lab.store, TestClient(lab.client.app))
    person.begin(params={"participant": "P07"})
    assert lab.next().json()["error"] == "elsewhere"


def test_off_by_default(connect, join):
    person = join()
    for path in ("/api/next?participant=P07", "/api/openapi.json"):
        assert person.client.get(path).status_code in (401, 404)
    assert person.client.options("/api/next", headers={"origin": ORIGIN}).status_code == 405
    sent = person.client.post(
        "/api/answers",
        json={"participant": "P07", "answers": [{"trial": "t"}]},
        headers={"authorization": "Bearer x"},
    )
    assert sent.json()["error"] == "token"
    assert "access-control-allow-origin" not in sent.headers


def test_each_front_end_has_a_token_of_its_own(make_folder, edit):
    folder = make_folder(front_ends__names=["lab", "tablet"])
    store = Store(read_study(folder))
    tokens = front_end_tokens(store)
    assert set(tokens) == {"lab", "tablet"}
    assert len(set(tokens.values())) == 2
    assert front_end_tokens(store) == {}, "they are shown once"
    store.close()
    for path in folder.rglob("*"):
        assert path.is_dir() or tokens["lab"].encode() not in path.read_bytes()
    edit(folder, front_ends__names=["tablet", "new"])
    store = Store(read_study(folder))
    assert set(front_end_tokens(store)) == {"new"}
    from starlette.testclient import TestClient

    client = TestClient(make_app(store, live=False))
    assert FrontEnd(client, tokens["lab"]).next().status_code == 401, "no longer named"
    assert FrontEnd(client, tokens["tablet"]).next().status_code == 200
    store.close()


def test_guessing_tokens_is_slow(connect):
    lab = connect()
    stranger = FrontEnd(lab.client, "guess")
    assert {stranger.next().status_code for _ in range(20)} == {401}
    assert stranger.next().status_code == 429


def test_pages_of_named_sites_may_ask(connect):
    lab = connect(front_ends__origins=[ORIGIN])
    asked = {"origin": ORIGIN, "access-control-request-method": "GET"}
    preflight = lab.client.options("/api/next", headers=asked)
    assert preflight.status_code == 204
    assert preflight.headers["access-control-allow-origin"] == ORIGIN
    assert "authorization" in preflight.headers["access-control-allow-headers"]
    reply = lab.next(origin=ORIGIN, **{"sec-fetch-site": "cross-site"})
    assert reply.headers["access-control-allow-origin"] == ORIGIN
    assert reply.headers["vary"] == "origin"
    sent = lab.send({"trial": reply.json()["trial"], "chosen": [0]}, origin=ORIGIN)
    assert sent.status_code == 200
    bad = FrontEnd(lab.client, "guess").next(origin=ORIGIN)
    assert bad.headers["access-control-allow-origin"] == ORIGIN, "a page can read why"
    stranger = {"origin": "https://elsewhere.example"}
    assert lab.next(**stranger).json()["error"] == "foreign"
    assert "access-control-allow-origin" not in lab.next(**stranger).headers
    own_page = lab.client.get("/api/state", headers={"origin": ORIGIN})
    assert "access-control-allow-origin" not in own_page.headers, "what is for our page stays so"


def test_media_are_shown_by_named_sites_only(connect, make_folder):
    policy = "cross-origin-resource-policy"
    assert connect().client.get("/media/none.png").headers[policy] == "same-origin"
    lab = connect(name="shared", front_ends__origins=[ORIGIN])
    assert lab.client.get("/media/none.png").headers[policy] == "cross-origin"
    assert lab.client.get("/").headers[policy] == "same-origin"


@pytest.mark.parametrize(
    "origin", ["*", "http://lab.example.org", "https://lab.example.org/path", "https://*.org", ""]
)
def test_origins_are_whole_addresses(origin):
    with pytest.raises(InputError, match=r"front_ends\.origins holds addresses such as"):
        FrontEnds(("lab",), (origin,))


def test_the_description(connect):
    lab = connect()
    assert lab.client.get("/api/openapi.json").json()["openapi"] == "3.1.0"


def test_a_paused_study_asks_nobody(connect):
    lab = connect()
    lab.store.set_meta("paused", "yes").result()
    assert lab.next().status_code == 503


def test_nonsense_is_refused(connect):
    lab = connect()
    assert lab.send().status_code == 400
    assert lab.send("no answer").json()["refused"]
    assert lab.send({"trial": lab.next().json()["trial"], "chosen": [5]}).json()["refused"]
    plain = lab.client.post("/api/answers", content="x", headers=lab.headers)
    assert plain.status_code == 415


def test_the_plugin_is_short():
    folder = Path(__file__).parents[2] / "examples" / "front_ends"
    assert len((folder / "jspsych-ordinate.js").read_text().splitlines()) <= 120
