"""The live page in a browser: its pieces are those of transformers, its numbers torch's, its proof-reader Python's."""

import json
import random
import re
from unicodedata import normalize

import pytest
import torch
from transformers import BertTokenizer

import bertlab
from bertlab import lessons
from bertlab_teaching import live

pytestmark = pytest.mark.browser


def sentences():
    pairs = bertlab.data.read("graded_pairs")
    return [*bertlab.data.read("short_texts")["sentence"], *pairs["first"], *pairs["second"]]


def strings():
    """2,000 strings of what people type, and of what nobody does."""
    draw, words = random.Random(0), sorted(set(" ".join(sentences()).split()))
    accents = [*"áàâäãåçéèêëñõőşțžǆßøđłæÀÉİΣς", *"\u0301\u0308\u0323\u0345"]
    chinese = [*"漢字日本語ひらカタ한국어豈\U00020000\U0002a700\U0002f800"]
    emoji = ["🙂", "👩‍👩‍👧", "🇩🇪", "❤️", "👍🏽", "\U0001fae8"]
    control = [*"\x00\x01\x7f\x85\u200b\u200e\u2028\u00ad\ufeff\ufffd\ue000\u00a0\u3000\t\n\r\x0b"]
    special = ["[MASK]", "[CLS]", "[UNK]", "[mask]", "[MASK", "##ing", "[MASK][MASK]"]
    signs = [*"!#$&'()*+,-./:<=>@[\\]^_`{|}~¡«»¿‽…–—„“”‘’€£°²½№"]
    every = list(map(chr, [*range(0xD800), *range(0xE000, 0x20000)]))  # but for halves of a character
    kinds = [words, words, accents, chinese, emoji, control, special, signs, every]
    made = ["", " ", "x" * 100, "x" * 101, "a" * 10_000, "漢" * 300, "é" * 100, "é" * 101, "🙂" * 100]
    made += ["".join(f"a{draw.choice(every)}" for _ in range(60)) for _ in range(100)]
    while len(made) < 2000:
        parts = [draw.choice(draw.choice(kinds)) for _ in range(draw.randint(1, 12))]
        made.append(draw.choice(["", " "]).join(parts))
    return made


def vocabulary_of(bert):
    return bert.tokenizer.convert_ids_to_tokens(list(range(len(bert.tokenizer))))


def every_character(texts):
    """A vocabulary in which hardly anything is unknown, so that every letter's way can be seen; special pieces last."""
    characters = {part for text in texts for form in (text, text.lower()) for part in form + normalize("NFD", form)}
    pieces = [*sorted(characters), *(f"##{character}" for character in sorted(characters)), "The", "the", "##ing"]
    return [*pieces, "[MASK]", "[SEP]", "[CLS]", "[UNK]", "[PAD]"]


RULES = {
    "with capitals": (False, None, True),
    "without capitals": (True, None, True),
    "without capitals, with accents": (True, False, True),
    "with capitals, without accents, Chinese words": (False, True, False),
}


@pytest.mark.parametrize("rules", ["bertlab-mini's", *RULES])
def test_tokens_are_those_of_transformers(page, bert, rules):
    texts, vocabulary, told, tokenizer = strings(), vocabulary_of(bert), {}, bert.tokenizer
    if rules in RULES:
        lower, strip, chinese = RULES[rules]
        vocabulary, told = every_character(texts), {"lower": lower, "strip": strip, "chinese": chinese}
        named = {"do_lower_case": lower, "strip_accents": strip, "tokenize_chinese_chars": chinese}
        tokenizer = BertTokenizer(vocab={piece: i for i, piece in enumerate(vocabulary)}, **named)
    wanted = tokenizer(texts)["input_ids"]
    source = (live.PROGRAMS / "tokenizer.js").read_text("utf-8")
    newer = json.loads((live.PROGRAMS / "newer.json").read_text("utf-8"))
    found = page.evaluate(
        """([source, vocabulary, newer, told, texts]) => {
            const tokenizer = new (new Function(`${source}; return Tokenizer;`)())(vocabulary, newer, told);
            return texts.map(text => tokenizer.read(text).ids);
        }""",
        [source, vocabulary, newer, told, texts],
    )
    assert len(texts) == 2000
    assert [text for text, ours, theirs in zip(texts, found, wanted, strict=True) if ours != theirs] == []


def test_scores_and_attention_are_those_of_torch(live_page, bert):
    draw, vocabulary, lengths = random.Random(1), vocabulary_of(bert), []
    for count in (18, *[2] * 9):
        ids = bert.tokenizer(" ".join(draw.sample(sentences(), count)), add_special_tokens=False)["input_ids"][:126]
        words = bert.tokenizer.decode(ids).split()
        words[draw.choice([i for i, word in enumerate(words) if word in vocabulary])] = "[MASK]"  # one piece for one
        text = " ".join(words)
        reading = bert.read(text)
        lengths.append(len(reading.tokens))
        with torch.no_grad():
            logits = bert.model.cls.predictions(reading.hidden[-1, reading.tokens.index("[MASK]")])
        rows, read = live_page.evaluate("async text => [await bertlab.fill(text), await bertlab.read(text)]", text)
        assert read["tokens"] == reading.tokens
        # Scores are known up to a constant, which a softmax takes away: their logarithms of probabilities are compared.
        probability = {row["piece"]: row["probability"] for row in rows}
        scores = torch.tensor([probability[piece] for piece in vocabulary]).log()
        torch.testing.assert_close(scores, logits.log_softmax(-1), atol=1e-3, rtol=0)
        torch.testing.assert_close(torch.tensor(read["attention"]), reading.attention, atol=1e-3, rtol=0)
    assert max(lengths) == bert.model.config.max_position_embeddings


def test_a_number_that_lesson_and_view_both_show_is_the_same(live_page):
    lessons_cells = {}
    for name in ("04_attention", "09_circuits"):
        for cell in lessons.read(lessons.folder() / f"{name}.ipynb").cells:
            shown = [output.get("data", {}).get("text/plain", "") for output in cell.get("outputs", [])]
            lessons_cells[cell.id] = " ".join(shown)
    view = live_page.locator("#heads")
    address = "location.hash = 'view=heads&text=The cat sat on the mat.&layer=1&head=5&token=5'"
    live_page.evaluate(address)
    found = view.locator(".found")
    found.get_by_text("layer 1, head 3").wait_for()
    previous = re.search(r"head 3 in layer 1\..+ is (0\.\d\d) on average", lessons_cells["l04-08"])[1]
    assert f"the previous piece: most in layer 1, head 3, with {previous} of its weight" in found.inner_text()
    following = re.search(r"Head 1 puts (0\.\d\d) of its weight on the next piece", lessons_cells["l04-39"])[1]
    assert f"the next piece: most in layer 0, head 1, with {following} of its weight" in found.inner_text()
    weights = re.search(r"weight +(.+)", lessons_cells["l04-14i"])[1].split()
    assert view.locator(".to small").all_inner_texts() == weights
    live_page.click("#tab-swap")
    live_page.locator("#swap .places .name").last.wait_for()
    names = live_page.locator("#swap .places .name").all_inner_texts()[1:]
    assert names == [f"after {layers} layer{'s' * (layers != 1)}" for layers in range(5)]
    assert re.findall(r"(after \d layers)", lessons_cells["l09-43"])[0] == names[0]


def test_the_proof_reader_marks_what_that_of_python_marks(live_page, bert):
    section = live_page.locator("#proofread")
    live_page.click("#tab-proofread")
    texts = [live_page.locator("#proofread .guess").get_attribute("data-value")]
    texts += ["Their are to many people here.\n\nHe is older then there father."]  # slips beside each other
    texts += ["I saw I, I object to paying. ME DON'T KNOWS HIS NAMES. She don’t like an dog, “them goes to we.”"]
    texts.append(f"Cat {'dog ' * 120}is bigger then there house.")  # longer than BERT reads
    marked = []
    for text in texts:
        section.locator("textarea").fill(text)
        section.locator(".said", has_text="It looked at").wait_for()
        found = bertlab.masking.proofread(bert, text)
        wanted = [f"{row.word} → {row.suggestion} {row.probability:.0%}" for row in found.itertuples()]
        ours = section.locator(".doubts li").all_inner_texts()
        assert [re.sub(r"(> )?[\d.]+ %", "", one) for one in ours] == [re.sub(r"\d+%", "", one) for one in wanted]
        text_of_marks = section.locator(".marked").inner_text().replace("\n", "")
        assert re.sub(r" → [\w’']+", "", text_of_marks) == text.replace("\n", "")
        marked.append(len(wanted))
    assert min(marked[0], sum(marked)) >= 3
    assert sum(marked) > 8
