"""The live page as files: what it may do, what lies beside it, how long its programs are, what its questions say."""

import base64
import hashlib
import json
import re
from urllib.parse import parse_qsl

import pytest
import torch

import bertlab
from bertlab.page import write_alone
from bertlab_teaching import live
from pages import page as tree

SOURCES = sorted(live.PROGRAMS.rglob("*.js"))
# What would make markup or a program of a text, ask something of a network, or keep something.
FORBIDDEN = r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|Function\(|import\(|fetch\(|XMLHttp|WebSocket"
FORBIDDEN += (
    r"|sendBeacon|EventSource|[lL]ocalStorage|sessionStorage|indexedDB|cookie|https?://(?!www\.w3\.org/2000/svg)"
)


@pytest.fixture(scope="module")
def read(live_folder):
    return tree((live_folder / "live.html").read_text("utf-8"))


def test_the_page_is_small_and_may_run_its_own_program_and_its_own_style_alone(live_folder, read):
    assert (live_folder / "live.html").stat().st_size < 260_000
    policy = read.find("meta", {"http-equiv": "Content-Security-Policy"})["content"]
    rules = {name: allowed for name, *allowed in map(str.split, policy.split(";"))}
    assert rules["default-src"] == ["'none'"]
    ((program,), (style,)) = read.find_all("script", type="module"), read.find_all("style")
    for name, element in (("script-src", program), ("style-src", style)):
        digest = hashlib.sha256(element.string.encode()).digest()
        assert rules[name][0] == f"'sha256-{base64.b64encode(digest).decode()}'"
        assert "'unsafe-inline'" not in rules[name]
    assert "fetch(" not in program.string
    assert f"bertlab {bertlab.__version__}." in read.footer.text
    assert rules.keys() == {
        *("default-src", "script-src", "style-src", "img-src", "worker-src", "base-uri", "form-action")
    }
    assert not [
        tag for tag in read.find_all(True) if tag.has_attr("style") or any(a.startswith("on") for a in tag.attrs)
    ]


def test_programs_are_short_and_do_nothing_that_they_need_not():
    for path in SOURCES:
        source = path.read_text("utf-8")
        allowed = "fetch(" if path.name == "served.js" else None  # which is no part of a page that was written
        assert {found[0] for found in re.finditer(FORBIDDEN, source)} <= {allowed}, path
        assert len(source.splitlines()) <= 300, path
        assert max(map(len, source.splitlines())) <= 120, path


def test_what_the_page_keeps_of_the_package_is_what_the_package_says(read, bert):
    kept, made = json.loads((live.PROGRAMS / "known.json").read_text("utf-8")), live.known()
    cosines = [[pair.pop("cosine") for pair in one["pairs"]] for one in (kept, made)]
    assert cosines[0] == pytest.approx(cosines[1], abs=0.0011)
    assert kept == json.loads(json.dumps(made)), "python -m bertlab_teaching.live writes it again"
    begin = json.loads(live.scripts()[0].removeprefix("bertlab.begin(").removesuffix(");\n"))
    assert begin["vocabulary"] == bert.tokenizer.convert_ids_to_tokens(list(range(len(bert.tokenizer))))
    millions = sum(tensor["size"] for tensor in kept["tensors"]) / 1e6
    assert f"learned {millions:.1f} million numbers" in " ".join(read.main.text.split())


def test_where_the_page_stands_alone_it_contains_the_same_weights_and_links_to_no_other_page(live_folder, tmp_path):
    alone = tree(write_alone(tmp_path).read_text("utf-8"))
    begin, *parts = [element.string for element in alone.find_all(class_="weights")]
    assert f"bertlab.begin({json.dumps(json.loads(begin), separators=(',', ':'))});\n" == live.scripts()[0]
    scripts = [path.read_text("utf-8") for path in sorted((live_folder / "live-weights").glob("[0-9]*.js"))]
    assert [f'bertlab.part({i * live.PART}, "{part}");\n' for i, part in enumerate(parts)] == scripts[1:]
    assert [link["href"] for link in alone.find_all("a")] == ["#"]
    assert "Lesson 6 (06_masking.ipynb) opens this up." in alone.find(id="hide").text
    assert "All lessons" not in alone.find("nav").text
    assert [path.name for path in tmp_path.iterdir() if path.name[0] != "."] == ["live.html"]


def test_examples_work_or_do_not_as_the_page_says(read, bert):
    buttons = read.find(id="examples").find_all("button")
    assert len([button for button in buttons if button.get("class") == ["weak"]]) == 3
    for button in buttons:
        hidden = button["data-hide"]
        gap = re.sub(rf"\b{hidden}\b", "[MASK]", button.text, flags=re.IGNORECASE)
        expected = bertlab.masking.fill_mask(bert, gap, top_k=30)["piece"].tolist()
        weak = button.get("class") == ["weak"]
        assert (hidden != expected[0]) if weak else (hidden in expected), button.text


class TestQuestions:
    """What the page's questions call right is what the shipped BERT does."""

    def right(self, read, view):
        guess = read.find(id=view).find(class_="guess")
        return guess, guess.find_all("button")[int(guess["data-right"])].text

    def test_hide(self, read, bert):
        guess, right = self.right(read, "hide")
        gap = guess["data-text"].replace(guess["data-hide"], "[MASK]")
        assert right == "a person"
        assert bertlab.masking.fill_mask(bert, gap, top_k=1)["piece"].item() in ("boy", "man")

    def test_head(self, read, bert):
        guess, right = self.right(read, "head")
        asked = {name: int(value) for name, value in parse_qsl(guess["data-where"])}
        reading = bert.read(guess["data-text"])
        weights = reading.attention[asked["layer"], asked["head"], asked["token"]]
        assert right == "a mean of all values"
        assert (reading.tokens[asked["token"]], reading.tokens[asked["at"]]) == ("the", "mat")
        assert weights.argmax() == asked["at"]
        assert f"on mat, is {weights.max():.2f}." in guess["data-why"]

    def test_second(self, read, bert):
        guess, right = self.right(read, "second")
        paraphrase = read.find(id="other")["value"]
        vectors = bertlab.paraphrase.sentence_vectors(bert, [guess["data-text"], paraphrase, guess["data-value"]])
        same, denied = torch.cosine_similarity(vectors[:1], vectors[1:])
        assert right == "the denial"
        assert denied > same + 0.01

    def test_swap(self, read, bert):
        guess, right = self.right(read, "swap")
        pair = (guess["data-text"], dict(parse_qsl(guess["data-where"]))["other"])
        after_2 = bertlab.circuits.patch_positions(bert, [pair], [["is", "was"], ["are", "were"]])[2]
        the, dog, near, mask = after_2[[1, 2, 3, 6]].tolist()
        assert right == "its neighbours, the and near"
        assert min(the, near) > max(dog, mask)
        said = f"the and near bring back {the:.2f} and {near:.2f} of the difference, that of dog {dog:.2f}."
        assert said in guess["data-why"]
        plural = bertlab.masking.fill_mask(bert, pair[1], top_k=1)["piece"].item()
        assert f"BERT still prefers {plural}" in guess["data-why"]

    def test_knobs(self, read, bert):
        guess, right = self.right(read, "knobs")
        expected = bertlab.masking.fill_mask(bert, guess["data-text"], top_k=1)["piece"].item()
        doubled = bertlab.circuits.scaled(bert, {(2, 7): 2})
        turned = bertlab.masking.fill_mask(doubled, guess["data-text"], top_k=1)["piece"].item()
        assert guess["data-where"] == "knobs=2.7:2"
        assert (expected, turned) == ("was", "were")
        assert right == turned

    def test_proofread(self, read, bert):
        guess, right = self.right(read, "proofread")
        assert right == "three or four"
        assert len(bertlab.masking.proofread(bert, guess["data-value"])) in (3, 4)
        well, weak = [button.text for button in read.find(id="proofread").select(".presets button")]
        for text, found in {well: ["a", "go"], **dict(zip(well.split(", but "), (["a"], ["go"]), strict=True))}.items():
            assert bertlab.masking.proofread(bert, text)["suggestion"].tolist() == found
        assert bertlab.masking.proofread(bert, weak).empty
        assert bertlab.masking.proofread(bert, read.find(id="paragraph").text).empty

    def test_what_the_list_says_of_a_and_an_is_in_the_table(self, read):
        table = bertlab.data.read("learner_sets").set_index("set")
        counts = table.loc["a/an", ["news_gaps", "news_window", "news_right"]].tolist()
        (said,) = [p.text for p in read.find(id="proofread").find_all("p") if p.text.startswith("a/an")]
        assert list(map(int, re.findall(r"\d+", said))) == counts
        assert counts[1] > counts[2]
