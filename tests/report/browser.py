"""A headless Chromium driven through its debugging pipe, with the standard library alone."""
import base64
import json
import os
import select
import subprocess
import tempfile
import time

KEYS = {"Tab": 9, "Enter": 13, "Space": 32, "Escape": 27, "ArrowLeft": 37, "ArrowRight": 39}


class Browser:
    """One page. Everything that it logs, asks for over the network or throws is kept."""

    def __init__(self, program, timeout_s=60):
        self.timeout_s = timeout_s
        self.console = []   # messages of level warning and above, and uncaught exceptions
        self.requests = []  # addresses
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._next_id = 0
        self._buffer = b""
        read_there, self._write = os.pipe()
        self._read, write_there = os.pipe()

        # Chromium reads commands from descriptor 3 and writes answers to 4.
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{read_there} 4>&{write_there}', "bash", program,
             "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             f"--user-data-dir={self._profile.name}", "about:blank"],
            pass_fds=(read_there, write_there), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(read_there)
        os.close(write_there)
        self._session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target,
                                  flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        self._process.kill()
        self._process.wait()
        os.close(self._read)
        os.close(self._write)
        self._profile.cleanup()

    def call(self, method, **parameters):
        self._next_id += 1
        message = {"id": self._next_id, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == message["id"]:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def _receive(self):
        deadline = time.monotonic() + self.timeout_s
        while b"\0" not in self._buffer:
            if not select.select([self._read], [], [], max(0, deadline - time.monotonic()))[0]:
                raise RuntimeError(f"Chromium did not answer within {self.timeout_s} s")
            chunk = os.read(self._read, 1 << 20)
            if not chunk:
                raise RuntimeError("Chromium has ended")
            self._buffer += chunk
        line, self._buffer = self._buffer.split(b"\0", 1)
        message = json.loads(line)
        self._note(message.get("method"), message.get("params", {}))
        return message

    def _note(self, method, event):
        if method == "Network.requestWillBeSent":
            self.requests.append(event["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            details = event["exceptionDetails"]
            self.console.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled":
            self.console.append(f"{event['type']}: {event['args']}")
        elif method == "Log.entryAdded":
            self.console.append(f"{event['entry']['level']}: {event['entry']['text']}")

    def open(self, address, width, height, dark=False):
        phone = width < 600
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=2 if phone else 1, mobile=phone)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}])
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True, userGesture=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def wait(self, condition):
        deadline = time.monotonic() + self.timeout_s
        while not self.evaluate(condition):
            if time.monotonic() > deadline:
                raise RuntimeError(f"never came true: {condition}")
            time.sleep(0.02)

    def press(self, key, times=1):
        text = {"Enter": "\r", "Space": " "}.get(key)
        event = {"key": " " if key == "Space" else key, "code": key,
                 "windowsVirtualKeyCode": KEYS[key]}
        for _ in range(times):
            down = {"type": "keyDown", "text": text} if text else {"type": "rawKeyDown"}
            self.call("Input.dispatchKeyEvent", **down, **event)
            self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def picture(self, path, whole_page=False):
        shot = self.call("Page.captureScreenshot", format="png",
                         captureBeyondViewport=whole_page,
                         **({"clip": self._page_clip()} if whole_page else {}))
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def _page_clip(self):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
