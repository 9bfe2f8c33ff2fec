"""The jsPsych plugin of the examples, through a whole session in a real browser.

jsPsych itself is not ours to ship: a stand-in runs the timeline. With ORDINATE_JSPSYCH, the folder
of the npm package, the real one does.
"""

import os
import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from ordinate.collect.front_ends import front_end_tokens
from ordinate.collect.store import Store

from .serving import Served, rows_of

FOLDER = Path(__file__).parents[2] / "examples" / "front_ends"
STAND_IN = """
function initJsPsych({ on_finish }) {
  const jsPsych = {
    run: async ([{ timeline: [node], loop_function }]) => {
      document.body.innerHTML = '<div id="jspsych-content"></div>';
      let data;
      do {
        data = await new Promise((resolve) => {
          jsPsych.finishTrial = resolve;
          new node.type(jsPsych).trial(document.getElementById("jspsych-content"), node);
        });
      } while (loop_function({ values: () => [data] }));
      on_finish();
    },
  };
  return jsPsych;
}
"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture
def site(tmp_path):
    """The example page on a web server of its own: another origin than the study."""
    place = shutil.copytree(FOLDER, tmp_path / "site")
    package = os.environ.get("ORDINATE_JSPSYCH")
    script = Path(package, "dist/index.browser.js").read_text() if package else STAND_IN
    (place / "jspsych.js").write_text(script)
    (place / "jspsych.css").write_text("")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=place))
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_a_session_by_jspsych(browser, make_folder, site):
    folder = make_folder(front_ends__names=["jspsych"], front_ends__origins=[site])
    from ordinate.collect.folder import read_study

    store = Store(read_study(folder))
    token = front_end_tokens(store)["jspsych"]
    store.close()
    served = Served(folder)
    context = browser.new_context()
    page = context.new_page()
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    try:
        page.goto(f"{site}/index.html?server={served.url}&token={token}&participant=P07")
        for _ in range(9):
            page.wait_for_selector(".ordinate-options button:not([disabled])")
            page.locator(".ordinate-options button").nth(1).click()
            page.wait_for_function(
                "() => !document.querySelector('.ordinate-options button[disabled]')"
            )
        page.wait_for_function("() => document.title === 'finished'")
        rows = rows_of(folder)
    finally:
        context.close()
        served.close()
    assert complaints == []
    assert [row["chosen"] for row in rows] == ["[1]"] * 9
    assert all(row["rt_ms"] >= 0 for row in rows)
