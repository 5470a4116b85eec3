"""Compare the speed of the package with alternatives, and measure what the lessons cost: BENCHMARK.md, on Linux only.

    OMP_NUM_THREADS=1 python bertlab_teaching/instructors/benchmark.py [--write]

Contestants get the same texts and weights, must return the same values, and take turns, so that other work on the
machine affects all of them. Two of them are compared by the ratio of their medians from one run.
"""

import argparse
import os
import platform
import re
import statistics
import time
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import psutil
import torch
from guide import replaced, table
from nbclient import NotebookClient

import bertlab
from bertlab import lessons
from bertlab.bert.loading import local_folder

PAGE = Path(__file__).parents[2] / "BENCHMARK.md"
README = PAGE.with_name("README.md")
LOAD = os.getloadavg()
ROUNDS = 5
COMMAND = "OMP_NUM_THREADS=1 .venv/bin/python bertlab_teaching/instructors/benchmark.py --write"
PAGE_TEXT = """# Benchmark

One command measured all of this in one run; nothing here is typed by hand:

    {command}

{machine}.

## How quick the package is

Each row compares two methods that give the same values from the same texts and weights; they take turns.
A *ratio* above 1 means that ours is faster.

{speed}

## What a lesson costs

Each lesson ran top to bottom in a kernel of its own, and its imports are included.

{cost}

For several students on one machine, see
[what a machine for thirty needs](bertlab_teaching/hub/README.md#what-a-machine-for-thirty-needs).
"""


def machine(*packages: str) -> str:
    """Return the date, the machine and the versions of these packages in words."""
    info = Path("/proc/cpuinfo").read_text(encoding="utf8").splitlines()
    model = next((line.split(":")[1].strip() for line in info if line.startswith("model name")), platform.machine())
    threads = f"{torch.get_num_threads()} thread{'s' * (torch.get_num_threads() > 1)}"
    return (
        f"{date.today():%d %B %Y}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores of {model}, "
        f"{threads}, Python {platform.python_version()}, {', '.join(f'{name} {version(name)}' for name in packages)}; "
        f"{LOAD[0]:.1f} other processes were at work when it began"
    )


def alone(lesson: Path) -> dict[str, float]:
    """Return the seconds that a lesson takes one student, the processor's seconds, and the peak memory in MiB."""
    notebook = lessons.handed_out(lesson)
    with TemporaryDirectory() as folder:
        settings = {"resources": {"metadata": {"path": folder}}, "extra_arguments": ["--log-level=ERROR"]}
        client = NotebookClient(notebook, timeout=3600, startup_timeout=600, kernel_name="python3", **settings)
        start = time.perf_counter()
        with client.setup_kernel():
            for number, cell in enumerate(notebook.cells):
                client.execute_cell(cell, number)
            seconds, pid = time.perf_counter() - start, client.km.provisioner.pid
            status = Path(f"/proc/{pid}/status").read_text(encoding="utf8")
            (kilobytes,) = re.findall(r"^VmHWM:\s+(\d+) kB$", status, re.M)
            cpu = psutil.Process(pid).cpu_times()
            return {"seconds": seconds, "CPU": cpu.user + cpu.system, "MiB": int(kilobytes) / 1024}


def turns(contestants: dict[str, Callable[[], torch.Tensor]], rounds: int = ROUNDS) -> dict[str, float]:
    """Return the median seconds of each contestant, who take turns after a first run; their results must agree."""
    first, *rest = [work() for work in contestants.values()]
    for result in rest:
        torch.testing.assert_close(result, first, rtol=1e-3, atol=1e-3)
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, work in contestants.items():
            start = time.perf_counter()
            work()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in seconds.items()}


def sentence_vectors() -> dict[str, float]:
    """Time mean-pooled vectors of all sentences of the graded pairs, and those of sentence-transformers."""
    from sentence_transformers import SentenceTransformer

    from bertlab.paraphrase import sentence_vectors

    pairs = bertlab.data.read("graded_pairs")
    texts = [*pairs["first"], *pairs["second"]]
    bert, folder = bertlab.load("bertlab-mini"), str(local_folder("bertlab-mini"))
    theirs = SentenceTransformer(folder, device="cpu", model_kwargs={"dtype": torch.float32})  # with mean pooling
    return turns(
        {
            "`bertlab.paraphrase.sentence_vectors`": lambda: sentence_vectors(bert, texts),
            "sentence-transformers, encode": lambda: theirs.encode(texts, batch_size=32, convert_to_tensor=True),
        }
    )


def masked_scores() -> dict[str, float]:
    """Time the scores of fifty sentences, and a plain loop over the masked copies."""
    from bertlab.masking import sentence_scores

    bert = bertlab.load("bertlab-mini")
    texts = list(bertlab.data.read("unseen_sentences")["sentence"][:50])

    def loop() -> torch.Tensor:
        scores = []
        for text in texts:
            inputs = bert.tokenizer(text, return_tensors="pt")
            ids, score = inputs["input_ids"][0], 0.0
            for place in range(1, len(ids) - 1):
                copy = ids.clone()
                copy[place] = bert.tokenizer.mask_token_id
                with torch.no_grad():
                    logits = bert.model(**{**inputs, "input_ids": copy[None]}).prediction_logits[0, place]
                score += logits.log_softmax(dim=-1)[ids[place]].item()
            scores.append(score)
        return torch.tensor(scores)

    return turns(
        {
            "`bertlab.masking.sentence_scores`": lambda: torch.tensor(
                sentence_scores(bert, texts)["score"].to_numpy(), dtype=torch.float32
            ),
            "a plain loop": loop,
        }
    )


def page(seconds: dict[str, dict[str, float]], costs: pd.DataFrame) -> str:
    """Return the page with the measurements in tables."""
    rows = []
    for what, measured in seconds.items():
        (name, ours), (rival, theirs) = measured.items()
        ratio = f"{theirs / ours:.1f}"
        rows.append((what, f"{name}: {ours:.3f} seconds", f"{rival}: {theirs:.3f} seconds", ratio))
    cost = [(name, *(f"{row[column]:.0f}" for column in ("seconds", "CPU", "MiB"))) for name, row in costs.iterrows()]
    return PAGE_TEXT.format(
        command=COMMAND,
        machine=machine("torch", "transformers", "sentence-transformers"),
        speed=table("what | ours | compared with | ratio", rows),
        cost=table("lesson | seconds | processor seconds | MiB at most", cost),
    )


def quoted(readme: str, done: str) -> str:
    """Return the README with the ratios of the page between its marks."""
    vectors, scores = (
        re.search(rf"^\| {what}.*\| ([\d.]+) \|$", done, re.M)[1] for what in ("mean vectors", "scores of")
    )
    sentence = (
        f"Sentence vectors are computed {vectors} times as fast as with sentence-transformers, and\n"
        f"  scores of sentences {scores} times as fast as in a plain loop ([BENCHMARK.md](BENCHMARK.md))."
    )
    return replaced(readme, "ratios", f"  {sentence}")


def main() -> None:
    """Measure, print the page, and write it if asked to."""
    parser = argparse.ArgumentParser(description="Measure the package's speed beside others', and the lessons' cost.")
    parser.add_argument("--write", action="store_true", help=f"write the page to {PAGE.name}")
    options = parser.parse_args()
    sentences = 2 * len(bertlab.data.read("graded_pairs"))
    seconds = {
        f"mean vectors of {sentences} sentences": sentence_vectors(),
        "scores of 50 sentences, each piece hidden in turn": masked_scores(),
    }
    costs = pd.DataFrame({path.stem[:2]: alone(path) for path in lessons.paths()}).T
    done = page(seconds, costs)
    print(done)
    if options.write:
        PAGE.write_text(done, encoding="utf8")
        README.write_text(quoted(README.read_text(encoding="utf8"), done), encoding="utf8")


if __name__ == "__main__":
    main()
