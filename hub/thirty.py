"""Measure a hub with a class: accounts that log in, follow the link to the lessons, and run them all at once.

    python hub/thirty.py http://127.0.0.1:8000 file:///srv/lessons.git --password "thirty students"

The accounts are student01, student02 and so on; the hub must let them in with this password on its own page. It takes
what bertlab's environment has (requests, websocket-client). The servers need nbgitpuller and, to measure memory,
jupyter-resource-usage. Memory is PSS: what processes share, such as the libraries' code, is divided among them.
"""

import argparse
import json
import re
import statistics
import threading
import time
import urllib.parse
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import requests
import websocket

LESSONS = {1: "01_embedding_layer.ipynb", 8: "08_finetuning.ipynb"}
FOLDER = "lessons"
HEADER = "| step | accounts | at once | failed | seconds, median | slowest | in all | MiB each, at most | together |"
MIB = 2**20
PATIENCE = 600  # seconds, for a server to start and for a cell to run
GREEDY = "b'x' * (4 << 30)"  # 4 GiB, twice the limit


class Student:
    """An account in a browser of its own."""

    def __init__(self, hub: str, name: str) -> None:
        self.hub, self.name, self.browser = hub.rstrip("/"), name, requests.Session()
        self.server = f"{self.hub}/user/{name}"

    def log_in(self, password: str) -> None:
        """Fill in the hub's own page."""
        page = self.browser.get(f"{self.hub}/hub/login")
        field = re.search(r'name="_xsrf" value="([^"]+)"', page.text)
        form = {"username": self.name, "password": password, "_xsrf": field[1] if field else ""}
        self.browser.post(f"{self.hub}/hub/login", data=form, allow_redirects=False).raise_for_status()
        if "/hub/login" in self.browser.get(f"{self.hub}/hub/home").url:
            raise RuntimeError("the hub does not let this account in")

    def follow(self, link: str) -> float:
        """Follow the link to the lessons until the student's own server answers it; return what it takes, in MiB."""
        page = self.browser.get(link)
        if not page.url.startswith(self.server):
            page.raise_for_status()
            self._wait()
            page = self.browser.get(link)
        if not page.url.startswith(self.server):
            raise RuntimeError(f"the link leads to {page.url}")
        self.browser.headers["X-XSRFToken"] = str(self.browser.cookies.get("_xsrf", path=f"/user/{self.name}/"))
        return self.memory()

    def _wait(self) -> None:
        """Listen, as the hub's page does, to how far the server is."""
        address = f"{self.hub}/hub/api/users/{self.name}/server/progress"
        headers = {"X-XSRFToken": str(self.browser.cookies.get("_xsrf", path="/hub/"))}
        with self.browser.get(address, headers=headers, stream=True, timeout=PATIENCE) as events:
            events.raise_for_status()
            for line in events.iter_lines(decode_unicode=True):
                event = json.loads(line.removeprefix("data: ")) if line.startswith("data: ") else {}
                if event.get("failed"):
                    raise RuntimeError(event.get("message"))
                if event.get("ready"):
                    return
        raise RuntimeError("the hub says no more about the server")

    def copy(self, link: str) -> None:
        """Do what the link's page does: copy the lessons, or bring those that are there up to date."""
        query = urllib.parse.urlsplit(link).query
        answer = self.browser.get(f"{self.server}/git-pull/api?{query}")
        last = json.loads(answer.text.strip().rsplit("data: ", 1)[-1])
        if last["phase"] != "finished":
            raise RuntimeError(f"git-pull: {last.get('message', last)}")

    def memory(self) -> float:
        """Return what the student's server and kernels have in memory, in MiB."""
        return self.browser.get(f"{self.server}/api/metrics/v1").json()["pss"] / MIB

    def run(self, lesson: str, *more: str) -> float:
        """Open a lesson, run its cells top to bottom and this code after them; return MiB, and end its kernel."""
        path = f"{FOLDER}/{lesson}"
        notebook = self.browser.get(f"{self.server}/api/contents/{path}").json()["content"]
        kernel = {"name": notebook["metadata"]["kernelspec"]["name"]}
        wanted = {"path": path, "name": lesson, "type": "notebook", "kernel": kernel}
        opened = self.browser.post(f"{self.server}/api/sessions", json=wanted)
        opened.raise_for_status()
        session = opened.json()
        try:
            channel = self._connect(session["kernel"]["id"])
            for code in [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"] + list(more):
                execute(channel, code)
            channel.close()
            return self.memory()
        finally:
            self.browser.delete(f"{self.server}/api/sessions/{session['id']}")

    def _connect(self, kernel: str) -> websocket.WebSocket:
        address = f"{self.server}/api/kernels/{kernel}/channels".replace("http", "ws", 1)
        request = requests.Request("GET", f"{self.server}/api")
        cookies = self.browser.prepare_request(request).headers["Cookie"]
        return websocket.create_connection(address, timeout=PATIENCE, cookie=cookies, origin=self.hub)


def execute(channel: websocket.WebSocket, code: str) -> None:
    """Run a cell and wait for its end; `RuntimeError` if it raises, or if its kernel dies."""
    header = {
        "msg_id": uuid.uuid4().hex,
        "msg_type": "execute_request",
        "username": "",
        "session": "",
        "version": "5.3",
    }
    content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False}
    request = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
    channel.send(json.dumps(request | {"buffers": []}))
    while True:
        message = json.loads(channel.recv())
        content = message["content"]
        if message["msg_type"] == "status" and content["execution_state"] in ("restarting", "autorestarting", "dead"):
            raise RuntimeError("the kernel died")
        if message["msg_type"] == "execute_reply" and message["parent_header"].get("msg_id") == header["msg_id"]:
            if content["status"] != "ok":
                raise RuntimeError(f"{content.get('ename')}: {content.get('evalue')}"[:200])
            return


def together(students: list[Student]) -> float:
    """Return what all servers and kernels have in memory now, in MiB."""
    there = [student for student in students if "X-XSRFToken" in student.browser.headers]
    with ThreadPoolExecutor(8) as pool:
        return sum(pool.map(Student.memory, there))


def step(name: str, action: Callable[[Student], float | None], students: list[Student], at_once: int) -> list[Student]:
    """Let students do something, so many at once; print failures and a row of the table, return who has done it."""
    ended, peaks = threading.Event(), []

    def one(student: Student) -> tuple[float, float | None]:
        start = time.perf_counter()
        value = action(student)
        return time.perf_counter() - start, value

    def watch() -> None:
        while not ended.wait(60):  # to look costs the servers a little
            peaks.append(together(students))
        peaks.append(together(students))

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = time.perf_counter()
    with ThreadPoolExecutor(at_once) as pool:
        futures = {student.name: pool.submit(one, student) for student in students}
    seconds = time.perf_counter() - start
    ended.set()
    watcher.join()
    for student, future in futures.items():
        if future.exception():
            print(f"    {student}, {name}: {str(future.exception())[:150]}")
    done = [future.result() for future in futures.values() if not future.exception()]
    each = [took for took, _ in done] or [float("nan")]
    sizes = [value for _, value in done if value is not None]
    memory = [f"{max(sizes):,.0f}" if sizes else "", f"{max(peaks):,.0f}" if any(peaks) else ""]
    numbers = [f"{statistics.median(each):.1f}", f"{max(each):.1f}", f"{seconds:.0f}", *memory]
    counts = [str(len(students)), str(at_once), str(len(students) - len(done))]
    print(f"| {' | '.join([name, *counts, *numbers])} |", flush=True)
    return [student for student in students if not futures[student.name].exception()]


def main() -> None:
    """Print the table, a row a step."""
    parser = argparse.ArgumentParser(description="Let a class work on a hub, and measure it.")
    parser.add_argument("hub", help="its address, such as http://127.0.0.1:8000")
    parser.add_argument("repository", help="of the students' copies: an address that the servers can clone")
    parser.add_argument("--password", required=True, help="of all accounts")
    parser.add_argument("--accounts", type=int, default=30)
    parser.add_argument("--at-once", type=int, default=8, help="so many start a server, or run lesson 1, at once (8)")
    parser.add_argument("--last", type=int, default=3, help="so many run lesson 8, at once (3)")
    options = parser.parse_args()
    query = {"repo": options.repository, "branch": "main", "targetpath": FOLDER}
    query["urlpath"] = f"lab/tree/{FOLDER}/{LESSONS[1]}"
    link = f"{options.hub}/hub/user-redirect/git-pull?{urllib.parse.urlencode(query)}"
    print(f"{link}\n{HEADER}\n|{'---|' * HEADER.count(' | ')}---|")
    everyone = [Student(options.hub, f"student{number:02}") for number in range(1, options.accounts + 1)]
    there = step("log in", lambda student: student.log_in(options.password), everyone, options.accounts)
    there = step("start a server", lambda student: student.follow(link), there, options.at_once)
    there = step("copy the lessons", lambda student: student.copy(link), there, options.accounts)
    there = step("lesson 1", lambda student: student.run(LESSONS[1]), there, options.at_once)
    there = step("copy again", lambda student: student.copy(link), there, options.accounts)
    step("lesson 8", lambda student: student.run(LESSONS[8]), there[: options.last], options.last)
    step("ask for 4 GiB", lambda student: student.run(LESSONS[1], GREEDY), there[:1], 1)


if __name__ == "__main__":
    main()
