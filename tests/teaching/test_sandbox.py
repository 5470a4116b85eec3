"""Submissions are programs: what none of them can read, reach or leave behind."""

import ast
import ctypes
import json
import os
import platform
import re
import signal
import site
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from bertlab import lessons
from bertlab_teaching.marking import grading, sandbox
from bertlab_teaching.marking.submissions import Exercise, exercises

LIBC = "ctypes.CDLL(None, use_errno=True)"
CALLS = {
    "x86_64": {"add_key": 248, "keyctl": 250, "ptrace": 101, "request_key": 249, "shmget": 29},
    "aarch64": {"add_key": 217, "keyctl": 219, "ptrace": 117, "request_key": 218, "shmget": 194},
}.get(platform.machine())
READ, SEARCH, CLEAR, UNLINK, SESSION, USER = 11, 10, 7, 9, -3, -4  # what keyctl does, and with which keyring


def call(name, *arguments):
    """Return, as a submission would write it, one of the kernel's calls by its number."""
    number = (CALLS or {}).get(name, -1)
    return f"{LIBC}.syscall({', '.join(map(str, (number, *arguments)))})"


# What a submission tries, by what it would have if it got through: anything but nothing. `paths` are of this test.
ATTEMPTS = {
    # to read
    "the table of marks": "open(paths['table']).read()",
    "another submission": "open(paths['other']).read()",
    "the folder of submissions": "os.listdir(os.path.dirname(paths['other']))",
    "a lesson's solutions": "open(paths['solutions']).read()",
    "the repository": "set(os.listdir(paths['repository'])) - paths['bound']",
    "the home folder": "set(os.listdir(paths['home'])) - paths['bound']",
    "all homes": "[name for name in glob.glob('/home/*') if name.split('/')[2] not in paths['bound']]",
    "what services keep": "os.listdir('/var')",
    "sockets of services": "os.listdir('/run')",
    "the system's settings": "set(os.listdir('/etc')) - {'ld.so.cache'}",
    "the temporary files of others": "set(os.listdir('/tmp')) - paths['bound']",
    "a secret of the environment": "os.environ.get('A_SECRET')",
    "a secret in the environment of its parents": "'A_SECRET' in ''.join(map(read, glob.glob('/proc/[0-9]*/environ')))",
    "other processes": "[name for name in os.listdir('/proc') if name.isdigit() and int(name) > 2]",
    "the grader's arguments": "'pytest' in ''.join(map(read, glob.glob('/proc/[0-9]*/cmdline')))",
    "passwords through a process's root": "open('/proc/1/root/etc/shadow').read()",
    "the grader's folder": "{*map(os.readlink, glob.glob('/proc/[0-9]*/cwd'))} - {'/', '/tmp'}",
    "open files of the grader": "[p for p in glob.glob('/proc/[0-9]*/fd/*') if paths['own'] in os.readlink(p)]",
    "Python's folder but for Python": "set(os.listdir(sys.prefix)) - {'bin', 'lib', 'lib64', 'pyvenv.cfg'}",
    "the folders that were named to bubblewrap": "'ro-bind' in ''.join(map(read, glob.glob('/proc/1/cmdline')))",
    "the teacher's folders of programs": "set(os.environ['PATH'].split(':')) - {'/usr/bin', '/bin'}",
    "a key by its number": call("keyctl", READ, "paths['key']", "bytes(9)", 9, 0) + " > 0",
    "a key by its name": call("keyctl", SEARCH, SESSION, "b'user'", "b'bertlab-test'", 0) + " > 0",
    "a key by asking for it": call("request_key", "b'user'", "b'bertlab-test'", None, SESSION) + " > 0",
    "what keys there are": "open('/proc/keys').read()",
    "the task once more": "[p for p in glob.glob('/proc/[0-9]*/fd/0') if os.path.isfile(p)]",
    # to write
    "marks": "open(paths['table'], 'a').write('x')",
    "a named pipe outside": "os.write(os.open(paths['pipe'], os.O_WRONLY | os.O_NONBLOCK), b'x')",
    "the checks": "open(paths['checks'], 'a').close() or 'opened'",
    "the package": "open(paths['checks'] + '.new', 'w').write('x')",
    "the rights of the checks": "os.chmod(paths['checks'], 0o777) or 'changed'",
    "Python": "open(sys.prefix + '/new', 'w').write('x')",
    "the root": "open('/new', 'w').write('x')",
    "a key for the next submission": call("add_key", "b'user'", "b'bertlab-next'", "b'x'", 1, USER) + " > 0",
    "the keyring, to empty it": call("keyctl", CLEAR, SESSION) + " == 0",
    "memory that all share": "open('/dev/shm/new', 'w').write('x')",
    "a link that leads outside": "os.symlink(paths['table'], 'link') or open('link', 'a').write('x')",
    "the system's name": "socket.sethostname(socket.gethostname()) or 'set'",
    "the kernel's settings": "os.open('/proc/sys/kernel/hostname', os.O_WRONLY)",
    "the kernel's emergency key": "os.open('/proc/sysrq-trigger', os.O_WRONLY)",
    "the clock": "time.clock_settime(time.CLOCK_REALTIME, time.time()) or 'set'",
    "before others on the core": "os.nice(-1) or 'done'",
    # devices
    "virtual machines": "os.open('/dev/kvm', os.O_RDWR)",
    "file systems of its own": "os.open('/dev/fuse', os.O_RDWR)",
    "the machine's memory": "os.open('/dev/mem', os.O_RDONLY)",
    "the machine's memory in /proc": "os.open('/proc/kcore', os.O_RDONLY)",
    "the kernel's log": "os.open('/dev/kmsg', os.O_RDONLY)",
    "the teacher's terminal": "os.open('/dev/tty', os.O_WRONLY)",
    "terminals": "glob.glob('/dev/pts/[0-9]*')",
    "memory of a file without a name": "os.memfd_create('x')",
    "memory that children share": "len(mmap.mmap(-1, 4096))",
    "memory by a number": call("shmget", 0, 4096, 0o1600) + " >= 0",
    "memory of a device": "len(mmap.mmap(os.open('/dev/zero', os.O_RDWR), 4096))",
    "disks": "[p for p in glob.glob('/dev/*') if stat.S_ISBLK(os.stat(p).st_mode)]",
    # to reach
    "a server far away": "socket.create_connection(('192.0.2.1', 443), timeout=5)",
    "a server on this machine": "socket.create_connection(('127.0.0.1', paths['port']), timeout=5)",
    "a name server": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
    "a socket by its path": "unix().connect(paths['socket']) or 'connected'",
    "a socket without a path": "unix().connect(paths['abstract']) or 'connected'",
    "the machine that this one runs on": "socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)",
    "sockets that the kernel makes otherwise": f"{LIBC}.syscall(425, 1, bytes(120)) >= 0",
    "the network's cards": "[name for _, name in socket.if_nameindex() if name != 'lo']",
    # to get out
    "to be root elsewhere": f"{LIBC}.unshare(0x10000000) == 0",
    "mounts of its own": f"{LIBC}.unshare(0x20000) == 0",
    "to write where it reads": f"{LIBC}.mount(None, b'/', None, 0x1020, None) == 0",
    "to uncover what is hidden": f"{LIBC}.umount2(b'/tmp', 2) == 0",
    "the process that watches it": call("ptrace", 16, 1, 0, 0) + " == 0",
    "another root": "os.chroot('/tmp') or 'done'",
}
NAMESPACES = ("to be root elsewhere", "mounts of its own", "another root")
HELP = subprocess.run(["sh", "-c", "bwrap --help"], capture_output=True, text=True, check=False).stdout
TRY = """import ctypes, glob, json, mmap, os, socket, stat, sys, time
read = lambda path: open(path).read()
unix = lambda: socket.socket(socket.AF_UNIX)
paths = {paths!r}
got = {{}}
for name, attempt in {attempts!r}.items():
    try:
        found = eval(attempt)
    except Exception:
        found = None
    got[name] = str(found)[:80] if found or found == 0 and found is not False else ''
raise KeyError(json.dumps(got))"""


def kernel(name, *arguments):
    """Ask the kernel as a submission would, and return its answer: -1 if it refuses."""
    return ctypes.CDLL(None).syscall((CALLS or {}).get(name, -1), *arguments)


@pytest.fixture(scope="module")
def got(tmp_path_factory):
    """What one submission got of all that it tried: there is something to get behind each path."""
    folder = tmp_path_factory.mktemp("outside")
    python = sys.prefix, sys.base_prefix, *site.getsitepackages(), site.getusersitepackages()
    bound = {part for path in (*sandbox.PACKAGES, *python) for part in Path(path).parts}
    paths = {"table": folder / "grades.csv", "other": folder / "ben" / "01.ipynb", "pipe": folder / "pipe"}
    paths |= {"solutions": lessons.paths()[0].with_suffix(".solutions.py"), "socket": folder / "socket"}
    paths |= {"repository": sandbox.PACKAGES[0].parent, "home": Path.home()}
    paths |= {"checks": sandbox.PACKAGES[0] / "checks" / "runner.py", "own": folder}
    (folder / "ben").mkdir()
    paths["table"].write_text("marks")
    paths["other"].write_text("answers")
    os.mkfifo(paths["pipe"])
    given = {name: str(path) for name, path in paths.items()} | {"abstract": f"\0{folder}", "bound": bound}
    servers = [socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX), socket.socket()]
    for server, address in zip(servers, (given["socket"], given["abstract"], ("127.0.0.1", 0)), strict=True):
        server.bind(address)
        server.listen()
    reader = os.open(paths["pipe"], os.O_RDONLY | os.O_NONBLOCK)  # else nobody could write
    given["port"] = servers[2].getsockname()[1]
    given["key"] = kernel("add_key", b"user", b"bertlab-test", b"secret", 6, SESSION)
    answer = TRY.format(paths=given, attempts=ATTEMPTS)
    os.environ["A_SECRET"] = "secret"
    try:
        exercise = Exercise("1.1", 1, "double", "def double(x):\n    return None", "double", ())
        outcome, said = grading.judged(answer, exercise, 1, 2)
    finally:
        del os.environ["A_SECRET"]
        kept = ctypes.create_string_buffer(6)
        kernel("keyctl", READ, given["key"], kept, 6, 0)
        kernel("keyctl", UNLINK, given["key"], SESSION)
        added = kernel("keyctl", SEARCH, USER, b"user", b"bertlab-next", 0)
        kernel("keyctl", UNLINK, added, USER)
        os.close(reader)
        for server in servers:
            server.close()
        written = Path(sys.prefix, "new")  # outside; a Python in /tmp has a folder of its own around it
        wrote = {"Python": "" if not written.exists() else f"{written} is there"}
        written.unlink(missing_ok=True)
    assert outcome == "raised"
    keys = {"kept": kept.raw if given["key"] != -1 else b"secret", "added": added}  # some containers have no keyrings
    return json.loads(ast.literal_eval(said.removeprefix("KeyError: "))) | wrote | keys


@pytest.mark.skipif(sandbox.seal() is None, reason="bubblewrap is not here, or does not work")
class TestSandbox:
    @pytest.mark.parametrize("attempt", ATTEMPTS)
    def test_a_submission_gets_nothing_of_what_it_tries(self, got, attempt):
        if attempt in NAMESPACES and "disable-userns" not in HELP:
            pytest.skip("this bubblewrap cannot keep it from namespaces, in which it still has nothing of others")
        assert got[attempt] == ""

    @pytest.mark.parametrize("page", ["SECURITY.md", "bertlab_teaching/instructors/marks.md"])
    def test_a_page_says_how_much_is_tried(self, page):
        text = (Path(__file__).parents[2] / page).read_text("utf-8")
        assert re.search(rf"\b{len(ATTEMPTS)}\s+(things|ways)\b", text)

    def test_the_graders_keyring_is_as_it_was(self, got):
        assert (got["kept"], got["added"]) == (b"secret", -1)

    def test_the_solutions_of_an_installed_package_are_hidden(self, tmp_path, monkeypatch):
        packages = [tmp_path / "bertlab", tmp_path / "bertlab_teaching"]
        for package in packages:
            (package / "notebooks").mkdir(parents=True)
            (package / "notebooks" / "01_first.solutions.py").write_text("answers")
        monkeypatch.setattr(sandbox, "PACKAGES", packages)
        listing = seen("ls", "-R", str(tmp_path))
        assert listing.count("notebooks:") == 2
        assert "01_first" not in listing

    def test_packages_that_one_user_has_installed_are_there(self, tmp_path, monkeypatch):
        (tmp_path / "torch.py").touch()
        monkeypatch.setattr(site, "getusersitepackages", lambda: str(tmp_path))
        assert seen("ls", str(tmp_path)) == "torch.py\n"

    def test_it_has_an_empty_folder_of_its_own_and_no_more_than_its_share(self, lesson):
        def said(line):
            (exercise, _) = exercises(lessons.read(lesson))
            return grading.judged(f"import os, subprocess, time\n{line}", exercise, 5, 1)[1]

        assert said("open('a', 'w').write('b')\nraise KeyError(os.getcwd(), 'a' in os.listdir())") == (
            "KeyError: ('/tmp', True)"
        )
        full = "for n in range(99):\n    with open(str(n), 'wb') as file:\n        file.write(bytes(2**24 - 1))"
        assert "No space left on device" in said(full)
        assert "too large" in said("open('a', 'wb').write(bytes(2**25))")
        children = "big = bytearray(b'x') * (700 * 2**20)\nfor _ in range(3):\n    os.fork()\ntime.sleep(60)"
        for much in (children, "for _ in range(99):\n    subprocess.Popen(['sleep', '60'])\ntime.sleep(60)"):
            assert "the system ended it" in said(much)

    @pytest.mark.parametrize("ending", ["SIGHUP", "SIGTERM", "SIGKILL"])
    def test_what_it_has_started_does_not_outlive_the_grader(self, ending):
        seconds = f"600.{time.time_ns()}"  # tells this process from all others
        cell = f"import subprocess\nsubprocess.Popen(['sleep', '{seconds}'], start_new_session=True).wait()"
        task = json.dumps(
            {"word": "", "memory": 1, "seconds": 600, "cells": [], "answer": cell, "function": "f", "check": ""}
        )
        worker = "bertlab_teaching.marking.worker"
        heard = "import signal\nsignal.signal(signal.SIGHUP, signal.SIG_DFL)\n"  # under nohup, too
        grader = f"{heard}from bertlab_teaching.marking import sandbox\nsandbox.run({worker!r}, {task!r}, 600, 1)"
        process = subprocess.Popen([sys.executable, "-c", grader], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(True, seconds)
        process.send_signal(getattr(signal, ending))
        process.wait()
        wait_until(False, seconds)


def seen(*command):
    """Return what a command in the sandbox prints."""
    printed, _ = sandbox.popen(command, stdout=subprocess.PIPE, text=True).communicate()
    return printed


def wait_until(running, argument):
    """Wait until a process of this argument runs, or no more; what outlives this test ends by itself."""
    until = time.monotonic() + 300  # it is there for twice as long
    commands = None
    while commands is None or (f"sleep\0{argument}\0".encode() in commands) is not running:
        assert time.monotonic() < until
        time.sleep(0.05)
        commands = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):  # it has just ended
                commands.append(path.read_bytes())
