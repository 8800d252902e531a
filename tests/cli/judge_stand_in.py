"""A judge for tests: an OpenAI-compatible server that says what the answer before it makes it say, and no model."""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SAID: dict[str, int] = {}


class Handler(BaseHTTPRequestHandler):
    """Answers a first question with prose and the same question again to the letter."""

    def do_GET(self) -> None:
        """Healthy."""
        self._send({"status": "ok"})

    def do_POST(self) -> None:
        """A completion."""
        asked = self.rfile.read(int(self.headers["content-length"])).decode()
        SAID[asked] = SAID.get(asked, 0) + 1
        prompt = json.loads(asked)["messages"][0]["content"]
        answer = prompt.split("- candidate_answer: ", 1)[1].split("\nINSTRUCTIONS", 1)[0]
        scores = {"accuracy_score": 1, "faithfulness_score": 2 if "atlas" in answer else 0}
        said = json.dumps({**scores, "rationale": f"It has {len(answer)} characters. | @all <b>`x`</b>"})
        text = said if SAID[asked] > 1 else f"Well: {said}"
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        self._send({"model": "test-judge-1", "choices": [choice]})

    def log_message(self, *_: Any) -> None:
        """Nothing."""

    def _send(self, document: Any) -> None:
        body = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
