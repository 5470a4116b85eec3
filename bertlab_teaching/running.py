"""Run the lessons top to bottom, as they are or with their exercises solved, and store their outputs."""

import base64
import io
from collections.abc import Callable, Iterable
from pathlib import Path

from nbformat import NotebookNode
from PIL import Image

from bertlab.data import files
from bertlab.lessons import copy_pages, handed_out, is_missing, paths, read, text, without_outputs, write
from bertlab_teaching.slides import plan
from bertlab_teaching.solving import fill, solutions_of

# Seconds that a kernel has to start, and to send the output of a finished cell. A cell may run for any time.
WAIT = 600
# Pixels of an opening image at most: Markdown gives it no size, and VS Code shows an attachment only in Markdown.
OPENING = (640, 320)


def each(paths: Iterable[Path], work: Callable[[Path], Path]) -> list[Path]:
    """Make a file from each lesson even if some fail, which a `RuntimeError` says at the end."""
    done, failed = [], []
    for path in paths:
        try:
            done.append(work(path))
        except (OSError, RuntimeError, ValueError) as error:
            failed.append(f"{path.name}: {error}")
            if isinstance(error, OSError):  # a disk that cannot be written
                break
    if failed:
        finished = ", ".join(path.name for path in done) or "none"
        raise RuntimeError("\n".join([*failed, f"Finished: {finished}."]))
    return done


def run(notebook: NotebookNode, cwd: Path | None = None, name: str = "") -> NotebookNode:
    """Return a copy of a notebook, run in a fresh kernel; `RuntimeError` if a cell raises or the kernel dies."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, DeadKernelError
    from tqdm import tqdm

    done = without_outputs(notebook)
    client = NotebookClient(
        done,
        timeout=None,
        startup_timeout=WAIT,
        iopub_timeout=WAIT,
        raise_on_iopub_timeout=True,  # otherwise output would be missing, with only a line in the log
        kernel_name="python3",
        shutdown_kernel="immediate",  # asked politely, a kernel that is interrupted prints where
        resources={"metadata": {"path": str(cwd or Path.cwd())}},
        extra_arguments=["--log-level=ERROR"],  # else each kernel warns that its connection here is not encrypted
    )
    # Cell by cell, not all at once with client.execute(), which takes Ctrl+C for a kernel that died.
    with client.setup_kernel():
        for place, cell in enumerate(tqdm(done.cells, desc=name, unit="cell")):
            try:
                client.execute_cell(cell, place, execution_count=client.code_cells_executed + 1)
            except (CellExecutionError, DeadKernelError) as error:
                what = "ended the kernel: often there is too little memory for it"
                if isinstance(error, CellExecutionError):
                    what = f"raised {error.ename}: {error.evalue}"
                raise RuntimeError(
                    f"Cell [{client.code_cells_executed}], which begins with {cell.source.splitlines()[0]!r}, {what}. "
                    "Nothing was stored. Open the notebook in JupyterLab and run it up to there."
                ) from error
    for cell in done.cells:
        cell.metadata.pop("execution", None)  # the times of the run
        if "outputs" in cell:
            cell.outputs = settled(cell.outputs)
    done.metadata = type(done.metadata)(
        kernelspec={"display_name": "Python 3", "language": "python", "name": "python3"},
        language_info={"file_extension": ".py", "name": "python"},
    )
    return done


def settled(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Return outputs as stored: streams joined, overwritten lines as they were last, views without their page."""
    from bertlab.attention.views import MIME

    streams: dict[str, NotebookNode] = {}
    joined = []
    for output in outputs:
        if output.output_type == "stream" and output.name in streams:
            streams[output.name].text += output.text
            continue
        if output.output_type == "stream":
            streams[output.name] = output
        elif MIME in output.get("data", {}):
            output.data.pop("text/html", None)
        joined.append(output)
    for output in streams.values():  # nbclient's own way takes minutes for a line of 700,000 characters
        lines = output.text.replace("\r\n", "\n").split("\n")
        output.text = "\n".join(line.rsplit("\r", 1)[-1] for line in lines)
    return [output for output in joined if output.get("text") != ""]


def store(path: Path) -> Path:
    """Run a lesson and store it in place, or beside it if somebody saved it meanwhile; a failed run changes nothing."""
    before = path.read_bytes()
    done = illustrated(run(read(path), path.parent, path.stem), path)
    if path.read_bytes() == before:
        return write(done, path)
    beside = path.with_stem(f"{path.stem}.run")
    files.write(beside, text(done))
    raise RuntimeError(f"It was saved by somebody else while it ran, and is as they left it. The run is in {beside}.")


def illustrated(notebook: NotebookNode, path: Path) -> NotebookNode:
    """Attach a lesson's opening image to its first cell; a copy, which may lack the cell that draws it, keeps its."""
    if path.with_suffix(".slides.toml").is_file() and (picture := plan.picture(path, notebook)):
        notebook.cells[0].attachments = {"picture.png": {"image/png": opening(picture.png)}}
    return notebook


def opening(figure: str) -> str:
    """Return a figure (a PNG as base64) no larger than an opening image may be."""
    made = io.BytesIO()
    with Image.open(io.BytesIO(base64.b64decode(figure))) as image:
        image.thumbnail(OPENING)
        image.save(made, "PNG", optimize=True)
    return base64.b64encode(made.getvalue()).decode()


def solve_to(destination: Path) -> list[Path]:
    """Write the lessons to a folder, solved and run; return the new ones, and leave those that are there."""
    destination.mkdir(parents=True, exist_ok=True)
    copy_pages(destination)
    wanted = [path for path in paths() if is_missing(destination / path.name)]
    return each(wanted, lambda path: write(solved(path), destination / path.name))


def solved(path: Path) -> NotebookNode:
    """Return a lesson as it is handed out, its exercises solved and its gaps filled, run top to bottom."""
    return run(fill(handed_out(path), solutions_of(path)), path.parent, path.stem)
