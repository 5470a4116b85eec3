"""The live page in a browser, opened from a file, without a network: equal to torch and transformers, and to be used."""

import base64
import json
import random
import re
from itertools import chain

import pytest
import torch

import bertlab
from bertlab.course.live import page as live
from pages import HOSTILE, TOKENS

pytestmark = pytest.mark.browser

VIEWS = ("hide", "pieces", "heads", "vectors", "second", "proofread", "learning")
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
REFUSED = (  # what the page says to what BERT cannot read
    (" ", "Nothing to read yet"),
    ("\u200b", "Nothing is left to read"),
    ("A [SEP] b", "Leave [SEP] out"),
    ("a " * 127, "129 tokens long"),
)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("live")
    live.write(folder)
    return folder


@pytest.fixture
def opened(page, folder):
    """The page, opened from a file, its weights there; at the end no error was written and nothing was asked for."""
    page.context.set_offline(True)
    page.goto((folder / "live.html").as_uri())
    page.wait_for_selector("#progress", state="hidden")
    page.wait_for_selector(".gap")
    yield page
    assert page.errors == []
    assert page.elsewhere == []


def sentences():
    pairs = bertlab.data.read("graded_pairs")
    return [*bertlab.data.read("short_texts")["sentence"], *pairs["first"], *pairs["second"]]


def strings():
    """2,000 strings of what people type, and of what nobody does."""
    draw, words = random.Random(0), sorted(set(" ".join(sentences()).split()))
    accents = [*"áàâäãåçéèêëíñóöõúüýÿŷőşțžǆßøđłœæÀÉÎÕÜİΣς", *"\u0301\u0308\u0323\u0345"]
    chinese = [*"漢字中文日本語ひらがなカタカナ한국어豈\U00020000\U0002a700\U0002f800"]
    emoji = ["🙂", "👩‍👩‍👧", "🇩🇪", "❤️", "👍🏽", "\U0001fae8"]
    control = [*"\x00\x01\x7f\x85\u200b\u200e\u2028\u00ad\ufeff\ufffd\ue000\u00a0\u3000\t\n\r\x0b"]
    special = ["[MASK]", "[CLS]", "[SEP]", "[PAD]", "[UNK]", "[mask]", "[MASK", "##ing", "[MASK][MASK]"]
    signs = [*"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~¡§«»¿‽…–—„“”‘’€£°²½№"]
    kinds = [words, words, accents, chinese, emoji, control, special, signs]
    made = ["", " ", "x" * 100, "x" * 101, "a" * 10_000, "漢" * 300, "é" * 100, "é" * 101, "🙂" * 100, "'" * 200]
    while len(made) < 1900:
        parts = [draw.choice(draw.choice(kinds)) for _ in range(draw.randint(1, 12))]
        made.append(draw.choice(["", " ", " "]).join(parts))
    while len(made) < 2000:  # characters of the whole of Unicode, but for halves of one
        made.append("".join(f"a{chr(draw.choice([draw.randrange(0xD800), draw.randrange(0xE000, 0x20000)]))}" for _ in range(60)))
    return made


def vocabulary_of(bert):
    return bert.tokenizer.convert_ids_to_tokens(list(range(len(bert.tokenizer))))


def as_base64(tensor):
    return base64.b64encode(tensor.float().contiguous().numpy().tobytes()).decode()


def test_tokens_are_those_of_transformers(page, bert):
    texts = strings()
    wanted = bert.tokenizer(texts)["input_ids"]
    source = (live.HERE / "tokenizer.js").read_text("utf-8")
    newer = json.loads((live.HERE / "newer.json").read_text("utf-8"))
    found = page.evaluate(
        """([source, vocabulary, newer, texts]) => {
            const tokenizer = new (new Function(`${source}; return Tokenizer;`)())(vocabulary, newer);
            return texts.map(text => tokenizer.read(text).ids);
        }""",
        [source, vocabulary_of(bert), newer, texts],
    )
    assert len(texts) == 2000
    assert [text for text, ours, theirs in zip(texts, found, wanted, strict=True) if ours != theirs] == []


def test_scores_and_attention_are_those_of_torch(opened, bert):
    draw, every = random.Random(1), sentences()
    texts = []
    for i in range(100):
        chosen = draw.sample(every, 12 if i % 12 == 0 else draw.randint(1, 3))
        ids = bert.tokenizer(" ".join(chosen), add_special_tokens=False)["input_ids"][:125]
        words = bert.tokenizer.decode(ids).split()
        words[draw.randrange(len(words))] = "[MASK]"
        texts.append(" ".join(words))
    opened.evaluate("pieces => { window.vocabulary = pieces; }", vocabulary_of(bert))
    lengths, far = [], {"logits": 0.0, "attention": 0.0}
    for text in texts:
        reading = bert.read(text)
        gap = reading.ids.tolist().index(bert.tokenizer.mask_token_id)
        with torch.no_grad():
            logits = bert.model.cls.predictions(reading.hidden[-1, gap])
        # Scores are known up to a constant, which a softmax takes away: their logarithms of probabilities are compared.
        differences = opened.evaluate(
            """async ([text, scores, weights]) => {
                const numbers = text => new Float32Array(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer);
                const far = (ours, theirs) => theirs.reduce((most, one, i) => Math.max(most, Math.abs(one - ours[i])), 0);
                const expected = new Map((await bertlab.fill(text)).map(({piece, probability}) => [piece, probability]));
                const {tokens, attention} = await bertlab.read(text);
                return [tokens, far(vocabulary.map(piece => Math.log(expected.get(piece))), numbers(scores)),
                        far(attention.flat(3), numbers(weights))];
            }""",
            [text, as_base64(logits.log_softmax(-1)), as_base64(reading.attention)],
        )
        assert differences[0] == reading.tokens
        lengths.append(len(reading.tokens))
        far = {name: max(most, now) for (name, most), now in zip(far.items(), differences[1:], strict=True)}
    print(f"{len(texts)} texts of {min(lengths)} to {max(lengths)} tokens, largest differences: {far}")
    assert max(lengths) > 120
    assert max(far.values()) < 1e-3
