"""Compare the speed of the package with alternatives, and measure what the lessons cost: BENCHMARK.md, on Linux only.

    OMP_NUM_THREADS=1 python bertlab_teaching/instructors/benchmark.py [--write]

Contestants get the same texts and weights, must return the same values, and take turns, so that other work on the
machine affects all of them. Two of them are compared by the ratio of their medians from one run.
"""

import argparse
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import torch
from measure import alone, machine
from page_parts import replaced, table

import bertlab
from bertlab import lessons
from bertlab.bert.loading import local_folder

PAGE = Path(__file__).parents[2] / "BENCHMARK.md"
README = PAGE.with_name("README.md")
ROUNDS = 5
BEGIN = """
import sys, bertlab
from bertlab.masking.predictions import probabilities
print(*probabilities(bertlab.load("bertlab-mini"), sys.argv[1:])[0][0].topk(10)[0].tolist())
"""
COMMAND = "OMP_NUM_THREADS=1 .venv/bin/python bertlab_teaching/instructors/benchmark.py --write"
PAGE_TEXT = """# Benchmark

One command measured all of this in one run; nothing here is typed by hand:

    {command}

{machine}.

## How quick the package is

Each row compares two methods that give the same values from the same texts and weights; they take turns.
A *ratio* above 1 means that ours is faster. The live page computes in a browser, in plain JavaScript, so it
starts sooner and is slower from then on.

{speed}

## What a lesson costs

Each lesson ran top to bottom in a kernel of its own, and its imports are included.

{cost}

For several students on one machine, see
[what a machine for thirty needs](bertlab_teaching/hub/README.md#what-a-machine-for-thirty-needs).
"""


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


def live_page() -> dict[str, dict[str, float]]:
    """Time predictions at a gap in the live page and with torch: in a short and a long text, and from the start."""
    from playwright.sync_api import sync_playwright

    from bertlab.masking.predictions import probabilities
    from bertlab_teaching import live

    bert, seconds = bertlab.load("bertlab-mini"), {}
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        tab, address = browser.new_page(), live.write(Path(folder)).as_uri()

        def in_page(text: str) -> torch.Tensor:
            expected = tab.evaluate("text => bertlab.fill(text, 10)", text)
            return torch.tensor([piece["probability"] for piece in expected])

        def by_torch(text: str) -> torch.Tensor:
            return probabilities(bert, [text])[0][0].topk(10)[0]

        def opened(text: str) -> torch.Tensor:
            tab.goto(address)
            return in_page(text)

        def begun(text: str) -> torch.Tensor:
            done = subprocess.run([sys.executable, "-c", BEGIN, text], check=True, capture_output=True, text=True)
            return torch.tensor([float(number) for number in done.stdout.split()])

        short, long = "The cat sat on the [MASK] and looked at the door.", "[MASK]" + " the" * 125
        ways = {"the live page, opened": partial(opened, short), "Python, started": partial(begun, short)}
        seconds["from nothing to a prediction for a gap"] = turns(ways)
        for text in (short, long):
            what = f"a prediction for a gap in a text of {len(bert.read(text).tokens)} tokens"
            seconds[what] = turns(
                {"the live page, in Chromium": partial(in_page, text), "torch": partial(by_torch, text)}
            )
        browser.close()
    return seconds


def page(seconds: dict[str, dict[str, float]], costs: pd.DataFrame) -> str:
    """Return the page with the measurements in tables."""
    rows = []
    for what, measured in seconds.items():
        (name, ours), (rival, theirs) = measured.items()
        ratio = f"{theirs / ours:.{1 if theirs > ours else 2}f}"
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


def main() -> int:
    """Measure, print the page, and write it if asked to."""
    parser = argparse.ArgumentParser(description="Measure the package's speed beside others', and the lessons' cost.")
    parser.add_argument("--write", action="store_true", help=f"write the page to {PAGE.name}")
    options = parser.parse_args()
    if find_spec("sentence_transformers") is None:
        needed = "The benchmark compares with sentence-transformers, which is not installed. Get it with"
        print(f"{needed}: {sys.executable} -m pip install sentence-transformers -c constraints.txt", file=sys.stderr)
        return 1
    sentences = 2 * len(bertlab.data.read("graded_pairs"))
    seconds = {
        f"mean vectors of {sentences} sentences": sentence_vectors(),
        "scores of 50 sentences, each piece hidden in turn": masked_scores(),
        **live_page(),
    }
    costs = pd.DataFrame({path.stem[:2]: alone(path) for path in lessons.paths()}).T
    done = page(seconds, costs)
    print(done)
    if options.write:
        PAGE.write_text(done, encoding="utf8")
        README.write_text(quoted(README.read_text(encoding="utf8"), done), encoding="utf8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
