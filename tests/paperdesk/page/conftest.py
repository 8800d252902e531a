"""A headless Chromium, driven over its debugging pipe (Chrome DevTools Protocol); no package needed."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
]
WIRED = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
for end, place in zip(ends, (3, 4)):  # where Chromium expects the pipe
    os.dup2(end, place)
os.execv(sys.argv[3], sys.argv[3:])
"""
PATIENCE_S = 60


class Browser:
    """Chromium with a profile of its own. Messages on its pipe are JSON texts that end in NUL."""

    def __init__(self, program: str, profile: Path) -> None:
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        command = [sys.executable, "-c", WIRED, str(theirs_in), str(theirs_out)]
        command += [program, *FLAGS, f"--user-data-dir={profile}"]
        null = subprocess.DEVNULL
        self._process = subprocess.Popen(command, pass_fds=(theirs_in, theirs_out), stdout=null, stderr=null)
        os.close(theirs_in)
        os.close(theirs_out)
        self._out = os.fdopen(ours_out, "wb", buffering=0)
        self._in = os.fdopen(ours_in, "rb")
        self._answers: dict[int, SimpleQueue[dict[str, Any]]] = {}
        self._number = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def call(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        """Send one command, and wait for its result."""
        self._number += 1
        answer = self._answers[self._number] = SimpleQueue()
        message = {"id": self._number, "method": method, "params": params} | ({"sessionId": session} if session else {})
        self._out.write(json.dumps(message).encode() + b"\0")
        try:
            said = answer.get(timeout=PATIENCE_S)
        except Empty:
            raise TimeoutError(f"{method} was not answered within {PATIENCE_S} s") from None
        assert "error" not in said, (method, said["error"])
        return dict(said["result"])

    def tab(self, width: int = 1000, height: int = 800) -> Tab:
        """A new tab."""
        target = self.call("Target.createTarget", url="about:blank", newWindow=True)["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return Tab(self, target, session, width, height)

    def close(self) -> None:
        """End it."""
        self.call("Browser.close")
        self._process.wait(timeout=PATIENCE_S)
        self._reader.join(timeout=PATIENCE_S)
        self._out.close()
        self._in.close()

    def _read(self) -> None:
        message = bytearray()
        while piece := self._in.read1(1 << 16):
            *whole, rest = piece.split(b"\0")
            for end in whole:
                said = json.loads(message + end)
                message.clear()
                if (answer := self._answers.pop(said.get("id", 0), None)) is not None:
                    answer.put(said)
            message += rest


class Tab:
    """One tab, as a user has it: seen, clicked, typed into."""

    def __init__(self, browser: Browser, target: str, session: str, width: int, height: int) -> None:
        self._browser, self._target, self._session = browser, target, session
        self._call("Page.enable")
        self._call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )

    def before_load(self, script: str) -> None:
        """Run a script in every page that this tab loads, before its own."""
        self._call("Page.addScriptToEvaluateOnNewDocument", source=script)

    def goto(self, url: str) -> None:
        """Load a page, until it stands still."""
        self._call("Page.navigate", url=url)
        self.until(f"location.href.startsWith({url!r}) && document.readyState === 'complete'")

    def js(self, expression: str) -> Any:
        """The value of an expression, awaited."""
        said = self._call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in said, said["exceptionDetails"]
        return said["result"].get("value")

    def until(self, condition: str) -> None:
        """Wait for a JavaScript condition."""
        deadline = threading.Event()
        timer = threading.Timer(PATIENCE_S, deadline.set)
        timer.start()
        try:
            while not self._holds(condition):
                assert not deadline.is_set(), f"it never held: {condition}; the page says: {self.text()!r}"
        finally:
            timer.cancel()

    def _holds(self, condition: str) -> bool:
        # A page that is being left takes its context along: then it does not hold yet. One frame between two looks.
        look = f"new Promise((tell) => setTimeout(() => tell(Boolean({condition})), 16))"
        try:
            return bool(self.js(look))
        except AssertionError as error:
            if "context" in str(error) or "navigated" in str(error):
                return False
            raise

    def text(self) -> str:
        """What can be read."""
        return str(self.js("document.body.innerText"))

    def press(self, key: str, code: int, text: str = "", modifiers: int = 0) -> None:
        """Press a key and let it go."""
        for kind in ("keyDown", "keyUp"):
            self._call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                modifiers=modifiers,
                **({"text": text} if text and kind == "keyDown" else {}),
            )

    def type(self, text: str) -> None:
        """Type a text where the focus is."""
        self._call("Input.insertText", text=text)

    def enter(self) -> None:
        """Press Enter."""
        self.press("Enter", 13, "\r")

    def click(self, selector: str) -> None:
        """Click in the middle of an element with the mouse."""
        box = self.js(
            f"(() => {{ const found = document.querySelector({json.dumps(selector)});"
            " found.scrollIntoView({block: 'center'}); const box = found.getClientRects()[0];"
            " return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def dark(self) -> None:
        """Prefer a dark page."""
        self._call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])

    def screenshot(self, path: Path) -> None:
        """Write what can be seen as a PNG."""
        path.write_bytes(base64.b64decode(self._call("Page.captureScreenshot")["data"]))

    def tree(self) -> list[tuple[str, str]]:
        """What a screen reader is told: role and name of each node."""
        nodes = self._call("Accessibility.getFullAXTree")["nodes"]
        return [
            (node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node.get("ignored")
        ]

    def close(self) -> None:
        """Close the tab."""
        self._browser.call("Target.closeTarget", targetId=self._target)

    def _call(self, method: str, **params: Any) -> dict[str, Any]:
        return self._browser.call(method, self._session, **params)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine (apt-get install chromium)")
    with tempfile.TemporaryDirectory(prefix="paperdesk-browser-", ignore_cleanup_errors=True) as profile:
        running = Browser(CHROMIUM, Path(profile))
        yield running
        running.close()


@pytest.fixture
def tab(browser: Browser) -> Iterator[Tab]:
    """A tab for one test."""
    opened = browser.tab()
    yield opened
    opened.close()


@pytest.fixture
def phone(browser: Browser) -> Iterator[Tab]:
    """A tab as wide as a phone."""
    opened = browser.tab(390, 780)
    yield opened
    opened.close()
