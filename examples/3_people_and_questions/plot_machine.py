"""
Ask a machine what people were asked
====================================

A machine answers the questions of a study, as people do. The machine here is a small web server
that stands in for a language model: it compares words by their letters, and in doubt it says A.
"""

import json
import re
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import matplotlib.pyplot as plt

import ordinate as od


class Model(BaseHTTPRequestHandler):
    """Speaks as much of the OpenAI-compatible chat API as is needed."""

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        asked = request["messages"][-1]["content"]
        anchor, one, other = re.search(r": (.*)\nA: (.*)\nB: (.*)", asked).groups()
        alike = [len(set(anchor) & set(word)) for word in (one, other)]
        text = json.dumps({"answer": "A" if alike[0] >= alike[1] else "B"})
        usage = {"prompt_tokens": len(asked) // 4, "completion_tokens": 5}
        body = json.dumps({"choices": [{"message": {"content": text}}], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = HTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
endpoint = f"http://127.0.0.1:{server.server_port}/v1"

# %%
# **Ask.** On the command line, from an empty folder. With a real model, add its prices and a cap on
# the cost.

folder = Path(tempfile.mkdtemp())


def ordinate(*arguments):
    """Run the command ``ordinate`` and show what it prints."""
    command = [sys.executable, "-m", "ordinate", "collect", *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    print(done.stdout)


ordinate("new", "study")
options = ("--endpoint", endpoint, "--model", "letters", "--answers", 200, "--both-orders")
ordinate("ask", "study", *options)

# %%
# It agrees with itself only where it is not in doubt: of the other questions it chose the first
# position both times. That is a position bias, and asking in both orders shows it.
#
# **Export and map.** The column ``answered_by`` says who answered. People's answers to the same
# study would stand in the same table.

ordinate("export", "study", "-o", "answers.csv")
answers = od.read_comparisons(folder / "answers.csv", where="answered_by=letters")
model = od.SOE(2, random_state=0).fit(answers)
od.plots.plot_map(model)
plt.show()
server.shutdown()
