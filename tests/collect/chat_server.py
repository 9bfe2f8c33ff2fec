"""A server on a real socket that speaks the chat API, well or badly as it is told."""

import json
import re
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from .serving import PATIENCE

ASKED = re.compile(r"Compare with: (.*)\nA: (.*)\nB: (.*)")


def choose(messages):
    """Choose by the alphabet: a model with a mind of its own, whatever the order."""
    anchor, one, other = ASKED.search(messages[-1]["content"]).groups()
    far_one, far_other = (abs(ord(word[0]) - ord(anchor[0])) for word in (one, other))
    if far_one == far_other:
        return "A" if one < other else "B"
    return "A" if far_one < far_other else "B"


def completion(text, **more):
    """Return the body of a reply that says a text."""
    said = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 100, "completion_tokens": 5}
    return {"choices": [{"index": 0, **said}], "usage": usage, **more}


class ChatServer:
    """Answers by `mind`; `script` holds what goes wrong first: a dictionary per request.

    Entries are status, headers, body (text or what JSON makes of it), half (cut the body), hang
    (say nothing until the end) and drop (close without a word).
    """

    def __init__(self, mind=None, script=()):
        self.mind = mind or (lambda request: json.dumps({"answer": choose(request["messages"])}))
        self.script = list(script)
        self.requests, self.paid = [], Counter()
        """What was asked, and how often each question was replied to with status 200."""
        self.at_once = self.most_at_once = 0
        self.seconds, self.over = 0.0, threading.Event()
        self.wait_for, self.together = 0, threading.Event()
        """Replies but the first, asked alone, begin when so many requests are here at once."""
        self._lock = threading.Lock()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                owner.reply(self)

            def log_message(self, *arguments):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128  # nobody is sent away while this process waits for its turn

            def handle_error(self, request, client_address):
                pass  # whoever asked has gone

        self._server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self.endpoint = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def reply(self, handler):
        request = json.loads(handler.rfile.read(int(handler.headers["content-length"])))
        with self._lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            self.requests.append(request)
            step = self.script.pop(0) if self.script else {}
            goes_ahead = len(self.requests) == 1
            if self.at_once >= self.wait_for:
                self.together.set()
        if not goes_ahead:
            self.together.wait(PATIENCE)
        if step.get("hang"):
            self.over.wait()
        time.sleep(self.seconds)
        status = step.get("status", 200)
        with self._lock:
            self.at_once -= 1
            if status == 200 and not step.get("drop"):
                self.paid[handler.headers["idempotency-key"]] += 1
        if step.get("drop"):
            handler.close_connection = True
            return
        body = step.get("body")
        if body is None:
            body = completion(self.mind(request)) if status == 200 else {"error": {"message": "no"}}
        body = body if isinstance(body, str) else json.dumps(body)
        body = body.replace("<<key>>", handler.headers.get("authorization", "")).encode()
        try:
            handler.send_response(status)
            for name, value in step.get("headers", {}).items():
                handler.send_header(name, value)
            handler.send_header("content-type", "application/json")
            handler.send_header("content-length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body[: len(body) // 2] if step.get("half") else body)
        except OSError:  # whoever asked has gone
            handler.close_connection = True
        handler.close_connection = handler.close_connection or bool(step.get("half"))

    def close(self):
        self.over.set()
        self._server.shutdown()
        self._server.server_close()
