"""A headless Chromium, driven over a pipe with nothing but Python.

Chromium speaks its DevTools protocol over two file descriptors when started
with `--remote-debugging-pipe`: JSON messages, each ended by a zero byte. That
needs no port, no driver of matching version and no package from an index, so it
works wherever Chromium itself does.
"""

import base64
import contextlib
import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome-headless-shell")
ANSWER_LIMIT_S = 60


class BrowserError(Exception):
    """The browser is missing, did not answer, or refused what it was asked."""


def find_or_install():
    """The path of a Chromium; installs one where the system's package manager can.

    `HEDDLE_CHROMIUM` names one that is not on the path.
    """
    if named := os.environ.get("HEDDLE_CHROMIUM"):
        if shutil.which(named):
            return named
        raise BrowserError(f"HEDDLE_CHROMIUM names {named}, which is not a program; set it to a Chromium or unset it")
    if found := find():
        return found
    for command in installers():
        print(f"no Chromium found; installing it: {' '.join(command)}", flush=True)
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        with contextlib.suppress(OSError):
            subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
        if found := find():
            return found
    raise BrowserError(
        "the report is tested in Chromium, and none was found or could be installed; "
        f"install one of {', '.join(NAMES)}, or name it with HEDDLE_CHROMIUM"
    )


def find():
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def installers():
    """Commands that may install a Chromium here, the likeliest first."""
    if os.geteuid() == 0:
        prefix = []
    elif shutil.which("sudo"):
        prefix = ["sudo", "--non-interactive"]
    else:
        return []
    if shutil.which("apt-get"):
        yes = [*prefix, "apt-get", "install", "--yes", "--quiet", "--no-install-recommends"]
        # Debian calls it chromium; Ubuntu's package of that name is a shim for snap.
        return [[*prefix, "apt-get", "update", "--quiet"], [*yes, "chromium"], [*yes, "chromium-browser"]]
    if shutil.which("dnf"):
        return [[*prefix, "dnf", "install", "--assumeyes", "chromium"]]
    if shutil.which("apk"):
        return [[*prefix, "apk", "add", "chromium"]]
    return []


class Browser:
    """One running Chromium with an empty profile; a context manager."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(prefix="heddle-browser-", ignore_cleanup_errors=True)
        to_browser, self.outgoing = os.pipe()
        self.incoming, from_browser = os.pipe()
        # Chromium reads descriptor 3 and writes descriptor 4. The shell puts ours
        # there: Python offers no race-free way to choose a child's numbers.
        command = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        flags = [
            "--headless=new",
            "--remote-debugging-pipe",
            f"--user-data-dir={self.profile.name}",
            "--no-first-run",
            "--no-default-browser-check",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--force-color-profile=srgb",
        ]
        if os.geteuid() == 0:
            # Chromium refuses to run as root inside its sandbox; containers run as root.
            flags.append("--no-sandbox")
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            ["bash", "-c", command, "browser", program, *flags, "about:blank"],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.last_id = 0
        self.answers = {}
        self.pages = {}
        self.arrived = threading.Condition()
        self.closed = False
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(BrowserError, OSError):
            self.ask("Browser.close", limit_s=5)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.outgoing)
        self.log.close()
        self.profile.cleanup()

    def _read(self):
        rest = b""
        while True:
            piece = os.read(self.incoming, 1 << 20)
            if not piece:
                break
            *whole, rest = (rest + piece).split(b"\0")
            for text in whole:
                self._sort(json.loads(text))
        with self.arrived:
            self.closed = True
            self.arrived.notify_all()
        os.close(self.incoming)

    def _sort(self, message):
        with self.arrived:
            if "id" in message:
                self.answers[message["id"]] = message
                self.arrived.notify_all()
        if page := self.pages.get(message.get("sessionId")):
            page.events.put(message)

    def ask(self, method, session=None, limit_s=ANSWER_LIMIT_S, **parameters):
        self.last_id += 1
        number = self.last_id
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        outgoing = memoryview(json.dumps(message).encode() + b"\0")
        try:
            while outgoing:
                outgoing = outgoing[os.write(self.outgoing, outgoing) :]
        except BrokenPipeError as problem:
            raise BrowserError(f"asked the browser for {method}: it has ended; it said: {self._said()}") from problem
        with self.arrived:
            self.arrived.wait_for(lambda: number in self.answers or self.closed, limit_s)
            answer = self.answers.pop(number, None)
        if answer is None:
            why = "it has ended" if self.closed else f"no answer within {limit_s} s"
            raise BrowserError(f"asked the browser for {method}: {why}; it said: {self._said()}")
        if "error" in answer:
            raise BrowserError(f"asked the browser for {method}: {answer['error']['message']}")
        return answer["result"]

    def _said(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace")[-2000:].strip() or "nothing"

    def open(self, path, width=1280, height=900, dark=False, touch=False):
        """Loads a file in a new tab and waits until the page says it has drawn."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, target, session)
        self.pages[session] = page
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            page.ask(f"{domain}.enable")
        page.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=touch,
        )
        page.ask("Emulation.setTouchEmulationEnabled", enabled=touch)
        page.prefer(dark)
        page.ask("Page.navigate", url=Path(path).resolve().as_uri())
        page.wait("document.readyState === 'complete'")
        return page


class Page:
    """One tab. What it logged and asked the network for is kept."""

    def __init__(self, browser, target, session):
        self.browser = browser
        self.target = target
        self.session = session
        self.events = queue.Queue()
        self.complaints = []
        self.requests = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.browser.ask("Target.closeTarget", targetId=self.target)

    def ask(self, method, **parameters):
        return self.browser.ask(method, session=self.session, **parameters)

    def prefer(self, dark):
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme, still])

    def evaluate(self, expression):
        """The value of a JavaScript expression; a promise is waited for."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if problem := answer.get("exceptionDetails"):
            said = problem.get("exception", {}).get("description", problem["text"])
            raise BrowserError(f"evaluating {expression[:120]}: {said}")
        return answer["result"].get("value")

    def wait(self, condition, limit_s=ANSWER_LIMIT_S):
        until = time.monotonic() + limit_s
        while not self.evaluate(condition):
            if time.monotonic() > until:
                self.drain()
                raise BrowserError(f"waited {limit_s} s for {condition}; the page complained: {self.complaints}")
            time.sleep(0.02)

    def press(self, key, **more):
        text = {"Enter": "\r", " ": " "}.get(key, key if len(key) == 1 else None)
        down = {"type": "keyDown", "key": key, "code": key, **more}
        if text:
            down["text"] = text
        if key in KEY_CODES:
            down["windowsVirtualKeyCode"] = KEY_CODES[key]
        self.ask("Input.dispatchKeyEvent", **down)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, **more)

    def click(self, selector):
        x, y = self.middle(selector)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def middle(self, selector):
        self.evaluate(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center'}})")
        return self.evaluate(
            f"(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
            " return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )

    def mouse(self, kind, x, y, **more):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drop(self, path, selector="body"):
        """Drops a file onto an element, as a person does from a file browser."""
        x, y = self.middle(selector)
        carried = {"items": [], "files": [str(Path(path).resolve())], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.ask("Input.dispatchDragEvent", type=kind, x=x, y=y, data=carried)

    def choose(self, selector, path):
        """Puts a file into a file input."""
        root = self.ask("DOM.getDocument")["root"]["nodeId"]
        node = self.ask("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.ask("DOM.setFileInputFiles", nodeId=node, files=[str(Path(path).resolve())])

    def screenshot(self, path, whole=True, height=None):
        """A PNG of the page, or of its first `height` pixels."""
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": height or size["height"], "scale": 1}
        more = {"clip": clip, "captureBeyondViewport": True} if whole else {}
        shot = self.ask("Page.captureScreenshot", format="png", **more)
        Path(path).write_bytes(base64.b64decode(shot["data"]))

    def pdf(self, path):
        printed = self.ask("Page.printToPDF", printBackground=True, preferCSSPageSize=True)
        Path(path).write_bytes(base64.b64decode(printed["data"]))

    def drain(self):
        """Sorts what has happened since into complaints and requests."""
        while not self.events.empty():
            message = self.events.get()
            about = message.get("params", {})
            match message.get("method"):
                case "Runtime.consoleAPICalled" if about["type"] in ("error", "warning", "assert"):
                    said = " ".join(str(a.get("value", a.get("description", ""))) for a in about["args"])
                    self.complaints.append(f"console {about['type']}: {said}")
                case "Runtime.exceptionThrown":
                    details = about["exceptionDetails"]
                    said = details.get("exception", {}).get("description", details["text"])
                    self.complaints.append(f"exception: {said}")
                case "Log.entryAdded" if about["entry"]["level"] in ("error", "warning"):
                    self.complaints.append(f"log: {about['entry']['text']}")
                case "Network.requestWillBeSent":
                    self.requests.append(about["request"]["url"])


KEY_CODES = {
    "Tab": 9,
    "Enter": 13,
    "Escape": 27,
    " ": 32,
    "Home": 36,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
}
