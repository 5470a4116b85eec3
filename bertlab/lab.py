"""Start JupyterLab on a folder of lessons, with lesson 1 open, and without a trace in the home folder."""

import os
import signal
import sys
from pathlib import Path

FIRST = "01_embedding_layer.ipynb"
# Without these settings JupyterLab asks about news and looks for updates.
SETTINGS = Path(__file__).parent / "jupyter"
EXTENSIONS = SETTINGS / "labextensions"  # what opens a link to the live page in a tab of the browser
FOLDERS = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "MPLCONFIGDIR")


def start(folder: Path, ip: str, port: int) -> None:
    """Run JupyterLab on a folder until it is stopped; raise `SystemExit` if it does not start."""
    from jupyterlab.labapp import main

    os.environ.update(environment())
    # On Windows and without a terminal it does not ask whether Ctrl+C was meant, and its threads would go on.
    previous_handler = signal.signal(signal.SIGINT, lambda *_: signal.raise_signal(signal.SIGTERM))
    try:
        main(switches(folder, ip, port))
    finally:
        signal.signal(signal.SIGINT, previous_handler)


def environment() -> dict[str, str]:
    """Return variables that keep settings, history and runtime files in the virtual environment, if there is one."""
    paths = filter(None, (str(SETTINGS), os.environ.get("JUPYTER_CONFIG_PATH")))
    variables = {"JUPYTER_CONFIG_PATH": os.pathsep.join(paths)}
    if sys.prefix != sys.base_prefix and os.access(sys.prefix, os.W_OK):
        variables |= {name: str(Path(sys.prefix, "jupyter", name)) for name in FOLDERS}
    return variables


def switches(folder: Path, ip: str, port: int) -> list[str]:
    """Return the options of JupyterLab's command line."""
    options = [
        f"--ServerApp.root_dir={folder.resolve()}",
        f"--ServerApp.ip={ip}",
        f"--ServerApp.port={port}",
        f"--LabApp.default_url=/lab/tree/{FIRST}",
        "--LabApp.extension_manager=readonly",
        f"--LabApp.extra_labextensions_path={EXTENSIONS}",
        "--LanguageServerManager.autodetect=False",
        "--KernelManager.transport_encryption=auto",  # else each kernel warns here that it could be listened to
        "--log-level=WARN",
    ]
    if not has_display():
        options.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--allow-root")
    return options


def has_display() -> bool:
    """Return whether a browser can open a window, which only some Linux machines cannot."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
