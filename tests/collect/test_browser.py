"""The pages in a real browser, where there is one: whole sessions, and all that may go wrong."""

import json
import re
import time
import wave
from concurrent.futures import Future
from pathlib import Path
from urllib.parse import unquote

import pytest

from ordinate.collect import arrivals
from ordinate.collect.experimenter import experimenter_token
from ordinate.collect.live import fit_so_far
from ordinate.collect.store import StorageError
from ordinate.tasks import TASKS

from .serving import NETWORK, PATIENCE, Served, rows_of, rule

SHORT = {"pools__random": 3, "pools__validation": 1, "pools__catch": 1, "pools__repeat": 1}
SHORT |= {"answers__dead_time_ms": 0}
LONG = {
    "answers__dead_time_ms": 0,
    "pools__practice": 0,
    "pools__random": 18,
    "pools__validation": 0,
}
PHONE = {"width": 390, "height": 844}
ELSEWHERE = "http://localhost:1/"
"""Where participants are sent."""
READY = """() => {
  const phase = document.body.dataset.phase;
  const usable = (selector) =>
    [...document.querySelectorAll(selector)].some((e) => !e.disabled && !e.closest("[hidden]"));
  if (phase === "debrief" || phase === "questionnaire") return phase;
  if (phase === "message" && usable("#message-buttons button")) return "message";
  if (phase === "trial" && usable("#confirm")) return "confirm";
  if (phase === "trial" && usable("#options .option")) return "option";
  return null;
}"""


@pytest.fixture
def serve(make_folder):
    opened = []

    def served(task="triplet", *, folder=None, **settings):
        opened.append(Served(folder or make_folder(task, **{**SHORT, **settings})))
        return opened[-1]

    yield served
    for study in opened:
        study.close()


@pytest.fixture
def visit(browser):
    """Open a page, and fail at the end if the browser complained or asked somebody else."""
    complaints, contexts = [], []

    def opened(url, *, expected=(), script="", own_clock=False, **options):
        context = browser.new_context(**options)
        contexts.append(context)
        if own_clock:
            context.clock.install()
        context.add_init_script(script)
        page = context.new_page()
        rule(page, url, complaints, expected)
        page.goto(url)
        page.wait_for_function("() => document.body.dataset.phase !== 'loading'")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def press(page, selector, by):
    """Use a button with the mouse, a finger or the keyboard."""
    if by == "mouse":
        page.click(selector)
    elif by == "touch":
        page.tap(selector)
    else:
        for _ in range(30):
            if page.evaluate("s => document.activeElement?.matches(s)", selector):
                break
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")


def state(page):
    return page.wait_for_function(READY).json_value()


def enter(page, by="mouse", dead_time=None):
    for phase, button in (("consent", "#agree"), ("instructions", "#start")):
        page.wait_for_selector(f"body[data-phase={phase}]")
        if dead_time:
            page.clock.fast_forward(dead_time)
        press(page, button, by)


def step(page, by="mouse", place=0):
    """Do the next thing that the page asks for, and return what it was."""
    what = state(page)
    if what == "message":
        press(page, "#message-buttons button", by)
    elif what == "confirm":
        press(page, "#confirm", by)
    elif what == "option":
        chosen = page.locator("#options .option[aria-pressed=true]").count()
        number = place + chosen
        if by == "key":
            page.keyboard.press(str(number + 1))
        else:
            press(page, f"#options .option >> nth={number}", by)
    return what


def finish(page, by="mouse"):
    late = time.monotonic() + PATIENCE
    while time.monotonic() < late:
        if step(page, by) == "debrief":
            return
    raise AssertionError("the study does not end")


def answer(page, count, by="mouse", place=0):
    """Answer some questions of a task with one choice, and leave messages behind."""
    done = 0
    while done < count:
        done += step(page, by, place) == "option"


@pytest.mark.parametrize("by", ["mouse", "key", "touch"])
@pytest.mark.parametrize("task", TASKS)
def test_a_whole_session(serve, visit, task, by):
    served = serve(task, finish__code="CODE7", pools__break_every=4)
    page = visit(served.url + "?PROLIFIC_PID=me", has_touch=by == "touch")
    began = time.monotonic()
    enter(page, by)
    finish(page, by)
    took_ms = 1000 * (time.monotonic() - began)
    assert page.inner_text("#code") == "CODE7"
    rows = served.rows()
    assert [row["outcome"] for row in rows] == ["answered"] * 7
    assert {row["input"] for row in rows} == {by}
    assert all(row["rt_ms"] >= 0 for row in rows)
    assert sum(row["rt_ms"] for row in rows) < took_ms
    assert all(row["presentations"] == 1 for row in rows)
    session = served.store.reader.execute("SELECT * FROM sessions").fetchone()
    assert (session["status"], session["recruiter"]) == ("complete", "prolific")
    assert (
        page.evaluate("localStorage.getItem(Object.keys(localStorage).find(k => /queue/.test(k)))")
        == "[]"
    )
    page.reload()
    page.wait_for_selector("#code >> text=CODE7")


def test_what_is_clicked_is_what_is_stored(serve, visit):
    served = serve()
    page = visit(served.url)
    enter(page)
    shown = []
    for place in (1, 0, 1, 0):
        while state(page) != "option":
            step(page)
        shown.append(page.locator("#options .option").nth(place).locator(".item").inner_text())
        step(page, place=place)
    rows = served.rows(at_least=4)
    stored = [json.loads(row["shown"])[json.loads(row["chosen"])[0]] for row in rows]
    assert stored[:4] == shown


def test_declining_stores_nothing(serve, visit):
    served = serve()
    page = visit(served.url)
    page.click("#disagree")
    assert "nothing was stored" in page.inner_text("#message")
    assert served.store.reader.execute("SELECT COUNT(*) FROM sessions").fetchone()[0] == 0
    assert page.context.cookies() == []


def test_ten_answers_without_a_connection(serve, visit):
    served = serve(**LONG)
    page = visit(served.url, expected=NETWORK)
    enter(page)
    answer(page, 2)
    served.rows(at_least=2)
    page.context.set_offline(True)
    answer(page, 10)
    page.wait_for_selector("#connection >> text=answers are kept on this device")
    assert len(served.rows()) == 2
    page.context.set_offline(False)
    page.wait_for_function("() => document.getElementById('connection').textContent === ''")
    finish(page)
    assert len(served.rows()) == 20


def test_a_page_that_missed_questions_asks_them_at_the_end(serve, visit):
    served = serve(**{**LONG, "pools__random": 22})
    page = visit(served.url, expected=("409",))

    def ends_too_early(route):
        reply = route.fetch().json()
        route.fulfill(json={**reply, "left": len(reply["trials"])})

    page.route("**/api/trials", ends_too_early, times=1)
    enter(page)
    finish(page)
    assert [row["place"] for row in served.rows()] == list(range(24))


def test_a_full_disk_is_reported_and_answers_are_kept_in_the_page(serve, visit):
    served = serve(**LONG)
    page = visit(served.url, expected=("507",))
    enter(page)
    state(page)
    refuse = {"full": True}
    record = served.store.submit

    def submit(change):
        if refuse["full"]:
            failed = Future()
            failed.set_exception(StorageError("database or disk is full"))
            return failed
        return record(change)

    served.store.submit = submit
    answer(page, 3)
    page.wait_for_selector("#connection >> text=cannot store answers at the moment")
    assert served.rows() == []
    refuse["full"] = False
    finish(page)
    assert len(served.rows()) == 20


def test_a_reload_keeps_what_was_not_sent(serve, visit):
    served = serve(**LONG)
    page = visit(served.url, expected=NETWORK)
    enter(page)
    answer(page, 2)
    page.context.set_offline(True)
    answer(page, 3)
    state(page)
    page.context.set_offline(False)
    page.reload()
    assert state(page) == "option"
    assert "6" in page.inner_text("#progress-text").split()
    page.wait_for_function("() => document.getElementById('connection').textContent === ''")
    step(page)
    finish(page)
    rows = served.rows()
    assert len(rows) == 20
    assert [row["presentations"] for row in rows].count(2) == 1


def wait_for_worker(page):
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")


HAS_MEDIA = """async () => {
  const kept = await caches.open(CACHE);
  const items = [current, ...ready].filter(Boolean).flatMap(itemsOf);
  const found = await Promise.all(items.map((item) => !item.src || kept.match(item.src)));
  return found.every(Boolean);
}"""


def asked(page):
    """What stands on the screen: the question, its number, and the pictures that can be seen."""
    state(page)
    shown = "[...document.images].map((image) => [image.alt, image.naturalWidth])"
    return page.inner_text("#trial"), page.inner_text("#progress-text"), page.evaluate(shown)


@pytest.mark.parametrize("what", ["words", "pictures"])
def test_a_reload_without_a_connection(serve, visit, make_folder, pictures, edit, what):
    folder = pictures if what == "pictures" else make_folder(name="words")
    edit(folder, **LONG)
    served = serve(folder=folder)
    page = visit(served.url + "?PROLIFIC_PID=me", expected=NETWORK)
    enter(page)
    answer(page, 2)
    served.rows(at_least=2)
    wait_for_worker(page)
    page.wait_for_function(HAS_MEDIA)
    page.context.set_offline(True)
    answer(page, 5)
    before = asked(page)
    page.reload()
    assert asked(page) == before
    answer(page, 5)
    page.reload()
    page.wait_for_selector("#connection >> text=10 answers are kept on this device")
    assert len(served.rows()) < 12
    page.context.set_offline(False)
    finish(page)
    rows = served.rows()
    assert [row["place"] for row in rows] == list(range(20))
    assert [row["outcome"] for row in rows] == ["answered"] * 20
    page.wait_for_function(  # the worker goes when the page has let go of it
        """async () => (await caches.keys()).length === 0
        && !(await navigator.serviceWorker.getRegistration())"""
    )


def test_a_reload_without_a_connection_is_nobody_elses(serve, visit):
    served = serve(**LONG)
    page = visit(served.url + "?participant=one", expected=NETWORK)
    enter(page)
    answer(page, 2)
    wait_for_worker(page)
    page.context.set_offline(True)
    page.goto(served.url + "?participant=two")
    page.wait_for_selector("#connection >> text=No connection")
    assert page.get_attribute("body", "data-phase") == "loading"
    page.context.set_offline(False)
    page.wait_for_selector("body[data-phase=consent]")


def test_two_tabs_share_a_session(serve, visit):
    served = serve(**LONG)
    page = visit(served.url)
    enter(page)
    answer(page, 2)
    other = page.context.new_page()
    other.goto(served.url)
    answer(other, 2)
    page.wait_for_selector("#message >> text=open in another tab")
    page.bring_to_front()
    page.keyboard.press("1")
    page.click("#message-buttons button")
    assert state(page) == "option"
    answer(page, 1)
    other.wait_for_selector("#message >> text=open in another tab")
    finish(page)
    assert len(served.rows()) == 20


def test_the_back_button_leaves_and_the_forward_button_resumes(serve, visit):
    served = serve(**LONG)
    page = visit(served.url)
    enter(page)
    answer(page, 3)
    page.goto("about:blank")
    page.go_back()
    answer(page, 2)
    places = [row["place"] for row in served.rows(at_least=5)]
    assert places == list(range(5))


def test_someone_else_on_the_same_device_starts_again(serve, visit):
    served = serve()
    page = visit(served.url + "?participant=one")
    enter(page)
    finish(page)
    page.goto(served.url + "?participant=two")
    page.wait_for_selector("body[data-phase=consent]")
    enter(page)
    finish(page)
    assert served.store.reader.execute("SELECT COUNT(*) FROM sessions").fetchone()[0] == 2


def test_answers_that_somebody_left_on_a_shared_device_are_sent_by_the_next(serve, visit):
    served = serve(**LONG)
    page = visit(served.url + "?participant=one", expected=NETWORK)
    enter(page)
    answer(page, 2)
    served.rows(at_least=2)
    page.route("**/api/answers", lambda route: route.abort())
    answer(page, 3)
    page.wait_for_selector("#connection >> text=3 answers are kept")
    page.close()
    page = page.context.new_page()
    page.goto(served.url + "?participant=two")
    page.wait_for_selector("body[data-phase=consent]")
    assert len(served.rows(at_least=5)) == 5
    enter(page)
    answer(page, 1)
    page.goto(served.url + "?participant=one")
    assert state(page) == "option", "the first person goes on with their own session"
    finish(page)
    rows = served.rows(at_least=21)
    assert len(rows) == 21
    assert len({row["session_id"] for row in rows}) == 2


def test_the_next_person_where_the_address_names_nobody(serve, visit):
    served = serve(**{**LONG, "pools__random": 1, "pools__repeat": 0})
    page = visit(served.url)
    for _ in range(2):
        enter(page)
        finish(page)
        page.click("#another")
        page.wait_for_selector("body[data-phase=consent]")
    assert served.store.reader.execute("SELECT COUNT(*) FROM sessions").fetchone()[0] == 2


def test_a_browser_that_stores_nothing_is_reported_before_consent(serve, visit):
    served = serve()
    blocked = (
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('blocked'); } })"
    )
    page = visit(served.url, script=blocked)
    page.wait_for_selector("#message >> text=Please allow cookies")
    page.click("#message-buttons button")
    page.wait_for_selector("#message >> text=Please allow cookies")
    assert served.store.reader.execute("SELECT COUNT(*) FROM sessions").fetchone()[0] == 0


def test_a_session_that_the_server_no_longer_knows_is_reported_at_once(serve, visit):
    served = serve(**LONG)
    page = visit(served.url, expected=("401",))
    enter(page)
    state(page)
    served.store.submit(
        lambda c: c.execute("UPDATE sessions SET token_hash=NULL").rowcount
    ).result()
    step(page)
    page.wait_for_selector("#message >> text=1 answers are kept on this device")
    page.click("#message-buttons button")
    page.wait_for_selector("body[data-phase=consent]")
    enter(page)
    finish(page)


@pytest.mark.parametrize("ties", [True, False])
def test_two_things_with_or_without_a_tie(serve, visit, ties):
    settings = {"task__ties": ties, "pools__catch": int(ties), "pools__practice": 0}
    served = serve("pair", **settings)
    page = visit(served.url)
    enter(page)
    assert state(page) == "option"
    assert page.locator("#options .option").count() == 2 + ties
    assert (page.locator("#options .tie").count() == 1) is ties
    assert page.inner_text("#hint") == ("Keys: ← → ↓, 1 2 3" if ties else "Keys: ← →, 1 2")
    keys = ["ArrowLeft", "ArrowRight", *(["ArrowDown"] if ties else [])]
    for done, key in enumerate(keys, 1):
        page.keyboard.press(key)
        page.wait_for_function("n => document.querySelector('#bar').value === n", arg=done)
        state(page)
    finish(page)
    chosen = [json.loads(row["chosen"]) for row in served.rows()]
    assert chosen[: len(keys)] == [[0], [1], [2]][: len(keys)]


def test_the_experimenter_sees_the_ranking(serve, visit):
    served = serve("pair", pools__random=30)
    page = visit(served.url)
    enter(page)
    finish(page)
    token = experimenter_token(served.store)
    desk = visit(f"{served.url}experimenter#{token}")
    found = fit_so_far(served.study.folder, served.store.which)
    (part,) = found["parts"]
    assert 0 <= part["accuracy"] <= 1  # who always takes the left one ranks nothing
    desk.evaluate("(found) => drawFits(found, false)", found)
    assert desk.locator("#fits h2").text_content() == "Ranking so far"
    assert desk.locator(".ranking .dot").count() == 16
    desk.set_viewport_size(PHONE)
    assert desk.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize("task", TASKS)
def test_nothing_is_cut_off_on_a_small_phone(serve, visit, task):
    served = serve(task)
    page = visit(served.url, viewport={"width": 320, "height": 568}, has_touch=True)
    too_wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not page.evaluate(too_wide)
    enter(page, "touch")
    assert state(page) == "option"
    assert not page.evaluate(too_wide)
    for box in page.locator("#options .option").all():
        size = box.bounding_box()
        assert min(size["width"], size["height"]) >= 44
        assert size["x"] >= 0
        assert size["x"] + size["width"] <= 320


SQUARE = (
    "<svg xmlns='http://www.w3.org/2000/svg' width='80' height='80'>"
    "<rect width='80' height='80' fill='{}'/></svg>"
)


@pytest.fixture
def pictures(make_folder):
    folder = make_folder(**{**SHORT, "pools__practice": 0})
    (folder / "items").mkdir()
    colors = ("red", "green", "blue", "black", "orange", "purple", "teal", "navy")
    for color in colors:
        (folder / "items" / f"{color}.svg").write_text(SQUARE.format(color))
    rows = "".join(f"{color},items/{color}.svg,a {color} square\n" for color in colors)
    (folder / "items.csv").write_text("item_id,source,alt\n" + rows)
    return folder


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_ground_and_size_of_stimuli_are_the_same_on_every_device(
    serve, visit, pictures, edit, scheme
):
    edit(pictures, page__ground="#808080", page__stimulus_px=120)
    (pictures / "style.css").write_text("#question { color: rgb(1, 2, 3); }")
    page = visit(serve(folder=pictures).url, color_scheme=scheme)
    enter(page)
    assert state(page) == "option"
    look = "(e) => [getComputedStyle(e).backgroundColor, getComputedStyle(e).color]"
    assert page.eval_on_selector("body", look) == ["rgb(128, 128, 128)", "rgb(0, 0, 0)"]
    assert page.eval_on_selector(".option", look)[0] == "rgb(128, 128, 128)"
    assert page.eval_on_selector("#question", look)[1] == "rgb(1, 2, 3)"
    for picture in page.locator("#trial img").all():
        box = picture.bounding_box()
        assert (round(box["width"]), round(box["height"])) == (120, 120)


def test_a_light_page_is_light_on_a_dark_device(serve, visit):
    page = visit(serve().url, color_scheme="dark")
    look = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(look) == "rgb(255, 255, 255)"


def test_slow_pictures_are_waited_for_and_the_clock_starts_when_they_are_seen(
    serve, visit, pictures
):
    served = serve(folder=pictures)
    page = visit(served.url)
    sent = []

    def slowly(route):
        time.sleep(0.15)
        sent.append(time.monotonic())
        route.continue_()

    page.route(re.compile("/media/"), slowly)
    enter(page)
    assert state(page) == "option"
    loaded = "[...document.images].every((i) => i.complete && i.naturalWidth)"
    assert page.evaluate(loaded)
    answer(page, 1)
    since_the_third_was_sent = time.monotonic() - sent[2]
    assert served.rows(at_least=1)[0]["rt_ms"] < 1000 * since_the_third_was_sent


def test_a_picture_that_never_comes(serve, visit, pictures):
    served = serve(folder=pictures)
    page = visit(served.url, expected=NETWORK)
    page.route(re.compile("/media/"), lambda route: route.abort())
    enter(page)
    page.wait_for_selector("#message >> text=could not be loaded")
    page.click("#message-buttons button >> nth=1")
    assert state(page) == "message", "the next question has pictures too"
    page.unroute_all()
    page.click("#message-buttons button >> nth=0")
    finish(page)
    assert [row["outcome"] for row in served.rows()] == ["media_failed"] + ["answered"] * 5


def test_sound_and_html(serve, visit, make_folder):
    folder = make_folder("odd_one_out", **SHORT)
    for number in range(4):
        with wave.open(str(folder / f"tone{number}.wav"), "wb") as file:
            file.setparams((1, 1, 8000, 0, "NONE", "none"))
            file.writeframes(bytes(128 + (n // (number + 4)) % 2 for n in range(400)))
        (folder / f"page{number}.html").write_text(f"<b>word {number}</b><script>x()</script>")
    rows = "".join(f"t{n},tone{n}.wav,tone {n}\np{n},page{n}.html,\n" for n in range(4))
    (folder / "items.csv").write_text("item_id,source,alt\n" + rows)
    served = serve(folder=folder)
    page = visit(served.url)
    enter(page)
    seen = set()
    for _ in range(30):
        what = state(page)
        if what == "option":
            seen |= set(
                page.eval_on_selector_all(
                    "#options audio, #options b", "e => e.map(x => x.tagName)"
                )
            )
            assert page.locator("#options script").count() == 0
        if step(page) == "debrief":
            break
    assert seen == {"AUDIO", "B"}
    assert [row["outcome"] for row in served.rows()] == ["answered"] * 7


def test_the_map_of_the_experimenter(serve, visit, pictures):
    served = serve(folder=pictures)
    desk = visit(served.url + "experimenter#" + experimenter_token(served.store))
    media = served.study.items["red"].media
    places = [{"x": 0, "y": 0, "label": "red", "media": media}, {"x": 1, "y": 2, "label": "<b>"}]
    parts = [{"block": "main", "condition": "", "advice": "More.", "map": places}]
    desk.evaluate("parts => drawFits({ parts }, false)", parts)
    assert desk.locator("svg.map image").get_attribute("href") == f"media/{media}"
    assert desk.locator("svg.map text").text_content().startswith("<b>")


def test_right_to_left(serve, visit, make_folder):
    folder = make_folder(language="ar", **SHORT)
    (folder / "texts.toml").write_text('question_triplet = "أيهما أقرب؟"\n')
    served = serve(folder=folder)
    page = visit(served.url)
    enter(page)
    assert state(page) == "option"
    assert page.inner_text("#question") == "أيهما أقرب؟"
    first, second = (page.locator("#options .option").nth(n).bounding_box() for n in (0, 1))
    assert first["x"] > second["x"], "the first choice lies on the right"
    page.keyboard.press("ArrowRight")
    assert served.rows(at_least=1)[0]["chosen"] == "[0]"


NOTED = """addEventListener("DOMContentLoaded", () => {
  window.noted = "";
  const notice = document.getElementById("notice");
  const note = () => { noted += notice.textContent; };
  new MutationObserver(note).observe(notice, { childList: true });
});"""
WAS_NOTED = "said => noted.includes(said)"


def test_skipping_time_limits_and_a_word_about_haste(serve, visit):
    settings = {"answers__skip": True, "answers__time_limit_s": 3600.0}
    served = serve(pools__practice=0, answers__warn_below_ms=60_000, **settings)
    page = visit(served.url, own_clock=True, script=NOTED)
    enter(page)
    state(page)
    page.click("#skip")
    answer(page, 1)
    page.wait_for_function(WAS_NOTED, arg="very quick")
    state(page)
    page.clock.fast_forward("01:00:00")
    page.wait_for_function(WAS_NOTED, arg="time for this question is over")
    finish(page)
    outcomes = [row["outcome"] for row in served.rows()]
    assert outcomes[:3] == ["skipped", "answered", "timed_out"]


@pytest.mark.parametrize("by", ["mouse", "touch"])
def test_a_double_click_answers_one_question(serve, visit, by):
    dead_time = 5000
    served = serve(**{**LONG, "answers__dead_time_ms": dead_time})
    page = visit(served.url, own_clock=True, has_touch=by == "touch")
    enter(page, dead_time=dead_time)
    state(page)
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 60)  # however slow the clicks are
    box = page.locator("#options .option").first.bounding_box()
    place = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    for number in (1, 2):
        if by == "mouse":
            page.mouse.click(*place, click_count=number)
        else:
            page.touchscreen.tap(*place)
        while page.inner_text("#progress-text") == "Question 1 of 20":
            page.clock.run_for(20)
        page.clock.run_for(500)
    assert page.inner_text("#progress-text") == "Question 2 of 20"
    assert len(served.rows(at_least=1)) == 1


def test_time_in_another_tab_is_kept(serve, visit):
    served = serve(pools__practice=0)
    page = visit(served.url)
    enter(page)
    state(page)
    hide = """hidden => {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }"""
    page.evaluate(hide, True)
    began = page.evaluate("performance.now()")
    page.wait_for_timeout(300)
    lasted = page.evaluate("performance.now()") - began
    page.evaluate(hide, False)
    answer(page, 2)
    first, second = served.rows(at_least=2)[:2]
    assert round(lasted) <= first["hidden_ms"] <= first["rt_ms"]
    assert second["hidden_ms"] == 0


def test_the_way_back_to_the_recruiter(serve, visit):
    redirect = "https://recruiter.example/done?who={PROLIFIC_PID}"
    served = serve(pools__practice=0, finish__redirect=redirect)
    page = visit(served.url + "?PROLIFIC_PID=a%26b")
    enter(page)
    finish(page)
    assert page.get_attribute("#redirect", "href") == "https://recruiter.example/done?who=a%26b"


def test_a_participant_can_stop(serve, visit):
    served = serve()
    page = visit(served.url)
    enter(page)
    state(page)
    page.on("dialog", lambda dialog: dialog.accept())
    page.click("#withdraw")
    page.wait_for_selector("#message >> text=You stopped")
    select = "SELECT status, code_issued FROM sessions"
    status, code = served.store.reader.execute(select).fetchone()
    assert status == "returned"
    assert f"write to us with this code: {code}" in page.inner_text("#message")


def test_the_experimenters_page(serve, visit):
    served = serve(**LONG)
    token = experimenter_token(served.store)
    person = visit(served.url, expected=("503",))
    enter(person)
    answer(person, 3)
    served.rows(at_least=3)
    desk = visit(served.url + "experimenter#" + token)
    desk.wait_for_selector("#sessions tr")
    assert token not in desk.url
    assert "3 / 20" in desk.inner_text("#sessions")
    desk.click("#pause")
    desk.wait_for_selector("#pause >> text=Resume")
    person.reload()
    person.wait_for_selector("#message >> text=paused")
    desk.click("#pause")
    desk.wait_for_selector("#pause >> text=Pause")
    assert state(person) == "option"
    with desk.expect_download() as download:
        desk.click("#download")
    assert Path(download.value.path()).read_bytes().startswith(b"PK")


FULL_DESK = """() => {
  const map = [{ x: 0, y: 0, label: "apple" }, { x: 1, y: 0, label: "pear" }];
  const judged = { accuracy: 0.7, low: 0.6, high: 0.8, confidence: 0.9 };
  const part = { block: "taste", advice: "More.", agreement: "10% differ.", ...judged, map };
  const parts = ["calm", "loud"].map((condition) => ({ ...part, condition }));
  const differences = [{ block: "taste", text: "They differ no more than by chance." }];
  drawFits({ parts, differences }, false);
  drawTable("quotas", "Quotas", ["of", "answer"], [["gender", "woman"]]);
  drawTable("conditions", "Conditions and blocks", PARTS_OF, [PARTS_OF.map(() => "1")]);
  drawTable("responses", "Questionnaires", ["question", "answers"], [["Age?", "median 30"]]);
}"""
HOSTILE = (
    """<img src=x onerror="document.title = 'hit'"><a href="//elsewhere.example">win</a>&amp;"""
)


def hostile(figures):
    """Put markup into every text that the experimenter's page is told, and into a map's names."""
    labels = [HOSTILE, f"</title></svg>{HOSTILE}"]
    part = {
        **{"accuracy": 0.5, "low": 0.4, "high": 0.6, "confidence": 0.9, "advice": HOSTILE},
        **{"block": HOSTILE, "condition": HOSTILE, "agreement": HOSTILE},
        "map": [{"x": x, "y": x, "label": label} for x, label in enumerate(labels)],
    }
    differ = [{"block": HOSTILE, "text": HOSTILE}]
    figures["fit"]["result"] = {"parts": [part], "differences": differ}
    figures["quotas"] = [[HOSTILE, HOSTILE, 1, 1]]
    counts = dict.fromkeys(("n_trials", "n_done", "n_answers"), 1)
    named = {"condition": HOSTILE, "block": HOSTILE, "statuses": {HOSTILE: 1}}
    figures["parts"] = [{**named, **counts, "catch_right": None, "repeat_same": None}]
    figures["responses"] = [{"ask": HOSTILE, "moment": "after", "answers": {HOSTILE: HOSTILE}}]
    figures["statuses"] = figures["answers_by_pool"] = {HOSTILE: 1}
    said = dict.fromkeys(("message", "where", "phase", "session_id", "browser"), HOSTILE)
    figures["errors"] = [{**said, "time": "2026-01-01T00:00:00.000Z", "count": 1}]
    now = {"model_version": None, "n_ready": 0, "problem": HOSTILE}
    figures |= {"choosing": now, "n_fallback": 0}
    for person in figures["sessions"]:
        texts = dict.fromkeys(("session_id", "status", "recruiter", "participant"), HOSTILE)
        person |= {**texts, "flags": [HOSTILE], "decision": HOSTILE}
    return figures


def test_what_the_experimenter_reads_is_text_whatever_it_holds(serve, visit):
    served = serve()
    enter(visit(served.url))
    desk = visit(served.url + "experimenter#" + experimenter_token(served.store))
    desk.wait_for_selector("#sessions tr")
    desk.route(
        "**/experimenter/status", lambda asked: asked.fulfill(json=hostile(asked.fetch().json()))
    )
    desk.evaluate("refresh()")
    desk.wait_for_function("() => document.querySelector('#fits').textContent.includes('<img')")
    made = desk.locator("#desk").locator("img, a[href], script, iframe")
    assert made.count() == 0
    assert desk.title() != "hit"
    shown = desk.locator("#desk").text_content()
    n_texts = {"#fits": 10, "#sessions": 6, "#figures": 5, "#status": 1, "#errors": 5}
    n_texts |= {"#quotas": 2, "#conditions": 3, "#responses": 3}
    for part, n in n_texts.items():
        text = desk.locator(part).text_content().replace("_", " ")
        assert text.count(HOSTILE.replace("_", " ")) == n, part
    assert shown.count("elsewhere.example") == sum(n_texts.values())
    desk.unroute_all(behavior="wait")  # a page that is closed inside of a route never ends


def test_the_experimenters_page_without_the_token(serve, visit):
    served = serve()
    experimenter_token(served.store)
    desk = visit(served.url + "experimenter", expected=("401",))
    desk.fill("#token", "wrong")
    desk.click("#login button")
    desk.wait_for_selector("#problem >> text=needs the token")
    assert desk.is_hidden("#desk")


@pytest.mark.parametrize(
    ("task", "scheme"), [*((task, "light") for task in TASKS), ("choose_k", "dark")]
)
def test_axe_finds_nothing(serve, visit, check_accessible, task, scheme):
    served = serve(task)
    page = visit(served.url, color_scheme=scheme)
    check_accessible(page)
    page.click("#agree")
    page.wait_for_selector("body[data-phase=instructions]")
    check_accessible(page)
    page.click("#start")
    state(page)
    check_accessible(page)
    finish(page)
    check_accessible(page)
    desk = visit(
        served.url + "experimenter#" + experimenter_token(served.store, renew=True),
        color_scheme=scheme,
    )
    desk.wait_for_selector("#sessions tr")
    desk.evaluate(FULL_DESK)
    desk.click("#sessions button")
    desk.wait_for_selector("#decision")
    check_accessible(desk)


# ---- a server that dies ----


def test_a_server_killed_in_the_middle_loses_nothing(make_folder, visit, start_server):
    folder = make_folder(**{**SHORT, **LONG})
    process, port = start_server(folder)
    page = visit(f"http://127.0.0.1:{port}/", expected=NETWORK)
    enter(page)
    answer(page, 3)
    wait_for_worker(page)
    process.kill()
    process.wait()
    answer(page, 4)
    page.reload()
    kept = "text=/[4-7] answers are kept on this device/"  # the first three perhaps on their way
    page.wait_for_selector(f"#connection >> {kept}")
    answer(page, 1)
    start_server(folder)
    finish(page)
    places = [row["place"] for row in rows_of(folder)]
    assert places == list(range(20))


def test_without_an_id_there_is_no_consent_to_give(serve, visit):
    study = serve(sessions__ids="required")
    page = visit(study.url)
    assert page.get_attribute("body", "data-phase") == "message"
    assert page.inner_text("#message-title") == study.study.texts["no_id"]
    assert visit(f"{study.url}?participant=7").get_attribute("body", "data-phase") == "consent"


def test_every_way_out_has_a_button(serve, visit):
    went = []
    study = serve(
        limits__participants=1,
        **{
            f"finish__redirect_{way}": f"{ELSEWHERE}?id={{participant}}&way={way}"
            for way in ("declined", "withdrawn", "full")
        },
    )

    def leave(page):
        page.route(
            f"{ELSEWHERE}**",
            lambda route: went.append(route.request.url) or route.fulfill(body=""),
        )
        page.click("#message-buttons .main")
        page.wait_for_url(f"{ELSEWHERE}**")

    late = visit(f"{study.url}?participant=late", expected=("409", ELSEWHERE))
    page = visit(f"{study.url}?participant=a", expected=(ELSEWHERE,))
    page.click("#disagree")
    leave(page)
    stops = visit(f"{study.url}?participant=b", expected=(ELSEWHERE,))
    enter(stops)
    step(stops)
    late.click("#agree")
    late.wait_for_selector("body[data-phase=message]")
    leave(late)
    stops.on("dialog", lambda dialog: dialog.accept())
    stops.click("#withdraw")
    stops.wait_for_selector("body[data-phase=message]")
    leave(stops)
    assert went == [
        f"{ELSEWHERE}?id=a&way=declined",
        f"{ELSEWHERE}?id=late&way=full",
        f"{ELSEWHERE}?id=b&way=withdrawn",
    ]


QUESTIONNAIRE = """
[[before]]
name = "age"
kind = "number"
ask = "How old are you?"
minimum = 18
[[before]]
name = "vision"
kind = "choice"
ask = "Is your vision normal?"
options = ["yes", "no", "blind"]
screen_out = ["blind"]
[[before]]
name = "glasses"
kind = "choices"
ask = "What do you use?"
options = ["glasses", "lenses"]
show_if = { vision = "no" }
[[after]]
name = "hard"
kind = "scale"
ask = "How hard was it?"
low = "easy"
high = "hard"
[[after]]
name = "remarks"
kind = "text"
ask = "Anything else?"
lines = 3
required = false
"""


def write_questionnaire(folder):
    with (folder / "study.toml").open("a") as file:
        file.write(QUESTIONNAIRE)
    return folder


@pytest.mark.parametrize("phone", [False, True])
def test_questionnaires_before_and_after(serve, visit, make_folder, check_accessible, phone):
    served = serve(folder=write_questionnaire(make_folder(**SHORT)))
    size = {"width": 360, "height": 640} if phone else {"width": 1280, "height": 720}
    page = visit(served.url, viewport=size)
    page.click("#agree")
    page.wait_for_selector("body[data-phase=questionnaire]")
    check_accessible(page)
    assert page.is_hidden("text=What do you use?")
    page.click("#submit")
    assert page.inner_text("#ask-age-error") == "Please answer this question."
    page.fill("#ask-age", "17")
    page.check("#ask-vision-1")
    page.reload()  # what was filled in is still there
    page.wait_for_selector("body[data-phase=questionnaire]")
    page.check("#ask-glasses-1")
    page.click("#submit")
    assert page.inner_text("#ask-age-error") == "Please give a number, 18 or more."
    page.fill("#ask-age", "33")
    page.click("#submit")
    page.wait_for_selector("body[data-phase=instructions]")
    page.reload()
    page.wait_for_selector("body[data-phase=instructions]")
    page.click("#start")
    while step(page) != "questionnaire":
        pass
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.check("#ask-hard-3")
    page.click("#submit")
    page.wait_for_selector("body[data-phase=debrief]")
    rows = served.store.reader.execute("SELECT name, answer FROM responses").fetchall()
    assert {name: json.loads(answer) for name, answer in rows} == {
        **{"age": 33, "vision": "no", "glasses": ["lenses"], "hard": 4, "remarks": None},
    }


def test_an_answer_screens_out(serve, visit, make_folder):
    folder = write_questionnaire(make_folder(finish__redirect_screened=ELSEWHERE, **SHORT))
    page = visit(serve(folder=folder).url)
    page.click("#agree")
    page.fill("#ask-age", "33")
    page.check("#ask-vision-2")
    page.click("#submit")
    page.wait_for_selector("text=this study is not for you")
    assert page.inner_text("#message-buttons button >> nth=0") == "Finish and return"
    page.reload()
    page.wait_for_selector("text=this study is not for you")


def test_two_blocks_with_a_questionnaire_between(serve, visit, make_folder):
    folder = make_folder(**{**SHORT, "pools__practice": 0})
    with (folder / "study.toml").open("a") as file:
        file.write(
            '[[between]]\nname = "mood"\nkind = "scale"\nask = "How do you feel?"\n'
            '[[blocks]]\nname = "one"\nquestion = "Which is nearer?"\n'
            '[[blocks]]\nname = "two"\ninstructions = "two.md"\ntask = { kind = "odd_one_out" }\n'
        )
    (folder / "two.md").write_text("# Now something else")
    served = serve(folder=folder)
    page = visit(served.url)
    enter(page)
    answer(page, 3)
    assert page.inner_text("#question") == "Which is nearer?"
    page.reload()
    answer(page, 2)  # catch questions of a question of one's own are to be listed
    page.wait_for_selector("body[data-phase=questionnaire]")
    page.check("#ask-mood-0")
    page.click("#submit")
    page.wait_for_selector("text=Now something else")
    page.click("#start")
    state(page)
    assert page.inner_text("#question") == "Which one is the odd one out?"
    assert page.inner_text("#progress-text") == "Question 1 of 6"
    finish(page)
    assert len(served.rows(at_least=11)) == 11


def test_a_device_is_checked_before_consent(serve, visit):
    rules = {"device__keyboard": True, "device__sound": True, "device__card": True}
    served = serve(finish__redirect_screened=ELSEWHERE, device__width=900, **rules)
    small = visit(served.url, viewport={"width": 800, "height": 600})
    small.wait_for_selector("text=at least 900 by 0 pixels")
    assert small.inner_text("#message-buttons button >> nth=0") == "Finish and return"
    page = visit(served.url, script="Math.random = () => 0.3")
    page.wait_for_selector("text=press the space bar")
    page.keyboard.press(" ")
    page.click("#message-buttons button >> text=Play")
    page.click("#message-buttons button >> text=2")
    page.wait_for_selector("body[data-phase=card]")
    page.fill("#card-width", "428")
    page.click("#card-done")
    enter(page)
    state(page)
    (found,) = served.store.reader.execute("SELECT device FROM sessions").fetchone()
    assert json.loads(found)["px_per_mm"] == 5.0


def test_inattention_ends_a_session_politely(serve, visit):
    served = serve(sessions__catch_wrong=1, pools__catch=6, finish__redirect_failed=ELSEWHERE)
    page = visit(served.url, expected=("409",))
    enter(page)
    expected = "SELECT place, expected FROM trials WHERE pool='catch'"
    right = {place: json.loads(one)[0] for place, one in served.store.reader.execute(expected)}
    place = -1
    while place not in right:
        if state(page) == "option":
            place = page.evaluate("current.place")
        step(page, place=1 - right.get(place, 1))
    page.wait_for_selector("text=the study ends here")
    assert page.inner_text("#message-buttons button >> nth=0") == "Finish and return"


def test_a_page_in_the_language_of_the_address(serve, visit, make_folder):
    folder = make_folder(**SHORT)
    for name in ("consent", "instructions", "debrief"):
        (folder / f"{name}.ja.md").write_text("# こんにちは")
    page = visit(serve(folder=folder).url + "?lang=ja")
    assert page.evaluate("document.documentElement.lang") == "ja"
    assert page.inner_text("#agree") == "参加に同意します"
    enter(page)
    state(page)
    page.reload()
    page.click("#start")
    state(page)
    assert page.inner_text("#question") == "上のものにより似ているのはどちらですか。"
    finish(page)


def test_a_preview_hurries_through_a_block(make_folder, visit):
    served = Served(make_folder(answers__dead_time_ms=0, pools__random=30), which="preview")
    page = visit(served.url)
    enter(page)
    state(page)
    page.click("#answer-for-me")
    page.wait_for_selector("body[data-phase=debrief]")
    served.close()
    assert not list((served.study.folder / "data").iterdir())


def test_the_experimenter_sorts_filters_looks_closer_and_lets_nobody_in(serve, visit):
    served = serve()
    for _ in range(2):
        enter(visit(served.url))
    desk = visit(served.url + "experimenter#" + experimenter_token(served.store))
    desk.wait_for_selector("#sessions tr >> nth=1")
    desk.click("#columns button >> text=session")
    names = desk.locator("#sessions tr td:first-child").all_text_contents()
    assert names == sorted(names)
    desk.click("#columns button >> text=session")
    assert desk.locator("#sessions tr td:first-child").all_text_contents() == names[::-1]
    desk.fill("#search", names[0])
    assert desk.locator("#sessions tr").count() == 1
    assert desk.text_content("#found") == "1 of 2"
    desk.click("#sessions button")
    desk.wait_for_selector("#detail:not([hidden])")
    assert desk.locator("#trials tr").count() > 0
    desk.fill("#participants", "7")
    desk.click("#places button")
    desk.wait_for_function("() => document.querySelector('#participants').value === '7'")
    desk.click("#close")
    desk.wait_for_selector("#close >> text=Let new participants in")
    assert arrivals.places(served.store.reader, served.study) == (7, True)
    late = visit(served.url, expected=("409",))
    late.click("#agree")
    late.wait_for_selector("#message:not([hidden])")
    assert "all the participants it needs" in late.text_content("#message")


def test_a_link_goes_on_with_the_session_on_another_device(serve, visit):
    served = serve()
    page = visit(f"{served.url}?participant=bob")
    enter(page)
    answer(page, 3)
    page.click("#return-open")
    page.keyboard.press("1")
    page.wait_for_function("() => document.querySelector('#return-qr img')?.naturalWidth > 0")
    link = page.input_value("#return-address")
    assert unquote(page.get_attribute("#mail", "href")).endswith(f"&body={link}")
    page.click("#copy")
    page.click("#return-close")
    served.rows(3)
    assert page.evaluate("document.body.dataset.phase") in ("trial", "message")
    phone = visit(link, viewport=PHONE)
    assert "#return" not in phone.url
    finish(phone)
    assert len(served.rows()) == 7
    assert phone.inner_text("#code")


@pytest.mark.parametrize("width", [320, 390])
def test_long_words_wrap_on_a_phone(serve, visit, make_folder, width):
    folder = make_folder(name=f"long-{width}", **SHORT)
    rows = (folder / "items.csv").read_text().splitlines()
    long = [
        f"{row.split(',')[0]},text,{'Donaudampfschifffahrt' * 4}{n}"
        for n, row in enumerate(rows[1:])
    ]
    (folder / "items.csv").write_text("\n".join(["item_id,kind,source", *long]))
    page = visit(serve(folder=folder).url, viewport={"width": width, "height": 640})
    enter(page)
    state(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_experimenter_releases_a_session_and_decides_about_it(serve, visit):
    served = serve()
    page = visit(f"{served.url}?participant=bob")
    enter(page)
    answer(page, 3)
    served.rows(at_least=3)
    phone = visit(f"{served.url}?participant=BOB", expected=("409",), viewport=PHONE)
    phone.click("#agree")
    phone.wait_for_selector("#message >> text=You began this study in another browser")
    desk = visit(served.url + "experimenter#" + experimenter_token(served.store))
    desk.click("#sessions button")
    desk.click("#release")
    desk.wait_for_selector("#detail", state="hidden")
    phone.click("#message-buttons button")
    phone.wait_for_selector("body[data-phase=consent]")
    phone.click("#agree")
    finish(phone)
    assert len(served.rows(at_least=7)) == 7
    desk.click("#sessions button")
    desk.fill("#reason", "asked twice")
    desk.click("#decision button[value=rejected]")
    desk.wait_for_selector("#sessions >> text=rejected")
    desk.click("#sessions button")
    desk.wait_for_selector("#decided >> text=rejected: asked twice")
    stored = served.store.reader.execute("SELECT decision, reason FROM sessions").fetchall()
    assert [tuple(row) for row in stored] == [("rejected", "asked twice")]
