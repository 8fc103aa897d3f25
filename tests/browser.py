"""A browser without a window, spoken to over a pipe: Chromium and its DevTools protocol.

https://chromedevtools.github.io/devtools-protocol/ has the messages. They are JSON, each ended
by a zero byte; the browser reads file descriptor 3 and writes file descriptor 4.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

__all__ = ["Browser", "Page"]

_OPTIONS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--hide-scrollbars",
    "--window-size=1280,1000",
    "--remote-debugging-pipe",
)
_PATIENCE: Final = 60.0
"""Seconds that an answer may take."""
_CODES: Final = {"ArrowRight": 39, "ArrowLeft": 37, "ArrowDown": 40, "End": 35, "Home": 36}


class Browser:
    """A running browser; opens files as pages."""

    def __init__(self, folder: Path) -> None:
        """Start it; `folder` takes its profile."""
        program = shutil.which("chromium")
        assert program is not None
        read_there, self._write = os.pipe()
        self._read, write_there = os.pipe()
        # first out of the way of the numbers that the browser uses
        there = [os.dup(read_there), os.dup(write_there)]
        self._process = os.posix_spawn(
            program,
            [program, *_OPTIONS, f"--user-data-dir={folder}", "about:blank"],
            {**os.environ, "HOME": str(folder)},
            file_actions=[
                (os.POSIX_SPAWN_DUP2, there[0], 3),
                (os.POSIX_SPAWN_DUP2, there[1], 4),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ],
        )
        for one in (read_there, write_there, *there):
            os.close(one)
        self._rest = b""
        self._count = 0
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.send("Browser.close")
        os.close(self._write)
        os.close(self._read)
        os.waitpid(self._process, 0)

    def send(self, method: str, session: str = "", **parameters: Any) -> dict[str, Any]:
        """Return the answer to a message; what else comes in the meantime is an event."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer["error"]
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def receive(self) -> dict[str, Any]:
        """Return the next message."""
        limit = time.monotonic() + _PATIENCE
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._read], [], [], max(0.0, limit - time.monotonic()))
            assert ready, "the browser does not answer"
            self._rest += os.read(self._read, 1 << 20)
        message, _, self._rest = self._rest.partition(b"\0")
        answer: dict[str, Any] = json.loads(message)
        return answer

    def open(self, path: Path, *, dark: bool = False, script: bool = True) -> Page:
        """Return a file as a page that was loaded."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable", session)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", session, features=[scheme])
        self.send("Emulation.setScriptExecutionDisabled", session, value=not script)
        self.events.clear()
        self.send("Page.navigate", session, url=path.as_uri())
        while not any(one["method"] == "Page.loadEventFired" for one in self.events):
            self.events.append(self.receive())
        return Page(self, session, target, path.as_uri())


@dataclass
class Page:
    """A page, and what it did since it was opened."""

    browser: Browser
    session: str
    target: str
    address: str
    _seen: list[dict[str, Any]] = field(default_factory=list)

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression of JavaScript."""
        found = self.browser.send(
            "Runtime.evaluate", self.session, expression=expression, returnByValue=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def press(self, key: str) -> None:
        """Press a key."""
        for kind in ("keyDown", "keyUp"):
            self.browser.send(
                "Input.dispatchKeyEvent",
                self.session,
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=_CODES[key],
            )

    def requests(self) -> list[str]:
        """Return what the page asked for beside itself."""
        asked = [one["params"]["request"]["url"] for one in self._of("Network.requestWillBeSent")]
        return [url for url in asked if url != self.address and not url.startswith("data:")]

    def complaints(self) -> list[str]:
        """Return what stands in the console: errors, exceptions, breaches of the policy."""
        found = [one["params"]["entry"]["text"] for one in self._of("Log.entryAdded")]
        found += [str(one["params"]) for one in self._of("Runtime.exceptionThrown")]
        return found + [str(one["params"]["args"]) for one in self._of("Runtime.consoleAPICalled")]

    def _of(self, method: str) -> list[dict[str, Any]]:
        return [
            one
            for one in self.browser.events
            if one["method"] == method and one.get("sessionId") == self.session
        ]

    def screenshot(self, path: Path, width: int, height: int) -> None:
        """Write what is to be seen to a file."""
        self.browser.send(
            "Emulation.setDeviceMetricsOverride",
            self.session,
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        found = self.browser.send("Page.captureScreenshot", self.session, format="png")
        path.write_bytes(base64.b64decode(found["data"]))

    def close(self) -> None:
        """Close it."""
        self.browser.send("Target.closeTarget", targetId=self.target)
