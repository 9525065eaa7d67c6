"""A headless Chromium, controlled over a pipe with the standard library only.

Chromium speaks its DevTools protocol over two file descriptors when started
with `--remote-debugging-pipe`: JSON messages, each ended by a zero byte. This
needs no port, no driver of a matching version and no package from an index, so
it works wherever Chromium does.
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
RESPONSE_LIMIT_S = 60


class BrowserError(Exception):
    """The browser is missing, did not respond, or refused a request."""


def find_or_install():
    """Returns the path of a Chromium; installs one where the package manager can.

    `HEDDLE_CHROMIUM` names one that is not on `PATH`.
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
        "the tests of the report need Chromium, and none was found or could be installed; "
        f"install one of {', '.join(NAMES)}, or name it with HEDDLE_CHROMIUM"
    )


def find():
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def installers():
    """Commands that may install a Chromium on this machine, the most likely first."""
    if os.geteuid() == 0:
        prefix = []
    elif shutil.which("sudo"):
        prefix = ["sudo", "--non-interactive"]
    else:
        return []
    if shutil.which("apt-get"):
        install = [*prefix, "apt-get", "install", "--yes", "--quiet", "--no-install-recommends"]
        # Debian calls it chromium; Ubuntu's package of that name is a shim for snap.
        return [[*prefix, "apt-get", "update", "--quiet"], [*install, "chromium"], [*install, "chromium-browser"]]
    if shutil.which("dnf"):
        return [[*prefix, "dnf", "install", "--assumeyes", "chromium"]]
    if shutil.which("apk"):
        return [[*prefix, "apk", "add", "chromium"]]
    return []


class Browser:
    """A running Chromium with an empty profile; a context manager."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(prefix="heddle-browser-", ignore_cleanup_errors=True)
        to_browser, self.outgoing = os.pipe()
        self.incoming, from_browser = os.pipe()
        # Chromium reads descriptor 3 and writes descriptor 4. The shell duplicates
        # ours to those numbers: Python has no race-free way to choose them.
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
            # Chromium refuses to run as root with its sandbox; containers run as root.
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
        self.responses = {}
        self.pages = {}
        self.arrived = threading.Condition()
        self.closed = False
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(BrowserError, OSError):
            self.send("Browser.close", limit_s=5)
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
                self._dispatch(json.loads(text))
        with self.arrived:
            self.closed = True
            self.arrived.notify_all()
        os.close(self.incoming)

    def _dispatch(self, message):
        with self.arrived:
            if "id" in message:
                self.responses[message["id"]] = message
                self.arrived.notify_all()
        if page := self.pages.get(message.get("sessionId")):
            page.events.put(message)

    def send(self, method, session=None, limit_s=RESPONSE_LIMIT_S, **parameters):
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
            raise BrowserError(f"{method}: the browser has exited; its output: {self._output()}") from problem
        with self.arrived:
            self.arrived.wait_for(lambda: number in self.responses or self.closed, limit_s)
            response = self.responses.pop(number, None)
        if response is None:
            why = "the browser has exited" if self.closed else f"no response within {limit_s} s"
            raise BrowserError(f"{method}: {why}; the browser's output: {self._output()}")
        if "error" in response:
            raise BrowserError(f"{method}: {response['error']['message']}")
        return response["result"]

    def _output(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace")[-2000:].strip() or "nothing"

    def open(self, path, width=1280, height=900, dark=False, touch=False):
        """Loads a file in a new tab and waits until the document is complete."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, target, session)
        self.pages[session] = page
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            page.send(f"{domain}.enable")
        page.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=touch,
        )
        page.send("Emulation.setTouchEmulationEnabled", enabled=touch)
        page.set_color_scheme(dark)
        page.send("Page.navigate", url=Path(path).resolve().as_uri())
        page.wait("document.readyState === 'complete'")
        return page


class Page:
    """One tab. Collects its error messages and its network requests."""

    def __init__(self, browser, target, session):
        self.browser = browser
        self.target = target
        self.session = session
        self.events = queue.Queue()
        self.errors = []
        self.requests = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.browser.send("Target.closeTarget", targetId=self.target)

    def send(self, method, **parameters):
        return self.browser.send(method, session=self.session, **parameters)

    def set_color_scheme(self, dark):
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        self.send("Emulation.setEmulatedMedia", features=[scheme, still])

    def evaluate(self, expression):
        """Returns the value of a JavaScript expression; waits for a promise."""
        response = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if problem := response.get("exceptionDetails"):
            description = problem.get("exception", {}).get("description", problem["text"])
            raise BrowserError(f"evaluating {expression[:120]}: {description}")
        return response["result"].get("value")

    def wait(self, condition, limit_s=RESPONSE_LIMIT_S):
        until = time.monotonic() + limit_s
        while not self.evaluate(condition):
            if time.monotonic() > until:
                self.drain()
                raise BrowserError(f"waited {limit_s} s for {condition}; errors of the page: {self.errors}")
            time.sleep(0.02)

    def press(self, key, **more):
        text = {"Enter": "\r", " ": " "}.get(key, key if len(key) == 1 else None)
        down = {"type": "keyDown", "key": key, "code": key, **more}
        if text:
            down["text"] = text
        if key in KEY_CODES:
            down["windowsVirtualKeyCode"] = KEY_CODES[key]
        self.send("Input.dispatchKeyEvent", **down)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, **more)

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
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drop(self, path, selector="body"):
        """Drops a file onto an element, as from a file manager."""
        x, y = self.middle(selector)
        drag_data = {"items": [], "files": [str(Path(path).resolve())], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.send("Input.dispatchDragEvent", type=kind, x=x, y=y, data=drag_data)

    def choose(self, selector, path):
        """Selects a file in a file input."""
        root = self.send("DOM.getDocument")["root"]["nodeId"]
        node = self.send("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.send("DOM.setFileInputFiles", nodeId=node, files=[str(Path(path).resolve())])

    def screenshot(self, path, whole=True, height=None):
        """A PNG of the page, or of its first `height` pixels."""
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": height or size["height"], "scale": 1}
        more = {"clip": clip, "captureBeyondViewport": True} if whole else {}
        shot = self.send("Page.captureScreenshot", format="png", **more)
        Path(path).write_bytes(base64.b64decode(shot["data"]))

    def pdf(self, path):
        printed = self.send("Page.printToPDF", printBackground=True, preferCSSPageSize=True)
        Path(path).write_bytes(base64.b64decode(printed["data"]))

    def drain(self):
        """Moves the events received so far into `errors` and `requests`."""
        while not self.events.empty():
            message = self.events.get()
            parameters = message.get("params", {})
            match message.get("method"):
                case "Runtime.consoleAPICalled" if parameters["type"] in ("error", "warning", "assert"):
                    text = " ".join(str(a.get("value", a.get("description", ""))) for a in parameters["args"])
                    self.errors.append(f"console {parameters['type']}: {text}")
                case "Runtime.exceptionThrown":
                    details = parameters["exceptionDetails"]
                    text = details.get("exception", {}).get("description", details["text"])
                    self.errors.append(f"exception: {text}")
                case "Log.entryAdded" if parameters["entry"]["level"] in ("error", "warning"):
                    self.errors.append(f"log: {parameters['entry']['text']}")
                case "Network.requestWillBeSent":
                    self.requests.append(parameters["request"]["url"])


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
