"""What is read, refused and counted before anything else happens."""

import pytest

from ordinate.collect import requests
from ordinate.collect.requests import RateLimit
from ordinate.collect.sessions import Refusal


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


def test_a_limit_starts_over_when_its_time_is_over(monkeypatch):
    moment = [0.0]
    monkeypatch.setattr(requests.time, "monotonic", lambda: moment[0])
    limit = RateLimit(60)
    for _ in range(2):
        limit.check("a", 2)
    limit.check("b", 2)
    with pytest.raises(Refusal, match="Too many requests"):
        limit.check("a", 2)
    moment[0] = 61.0
    limit.check("a", 2)
