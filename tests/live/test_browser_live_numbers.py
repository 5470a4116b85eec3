"""The live page in a browser: its pieces are those of transformers, its numbers torch's, its proof-reader Python's."""

import base64
import json
import random
import re

import pytest
import torch

import bertlab
from bertlab.masking.confused import CONFUSED, learner_sets
from bertlab_teaching import live

pytestmark = pytest.mark.browser


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
        made.append(
            "".join(
                f"a{chr(draw.choice([draw.randrange(0xD800), draw.randrange(0xE000, 0x20000)]))}" for _ in range(60)
            )
        )
    return made


def vocabulary_of(bert):
    return bert.tokenizer.convert_ids_to_tokens(list(range(len(bert.tokenizer))))


def as_base64(tensor):
    return base64.b64encode(tensor.float().contiguous().numpy().tobytes()).decode()


def test_tokens_are_those_of_transformers(page, bert):
    texts = strings()
    wanted = bert.tokenizer(texts)["input_ids"]
    source = (live.PROGRAMS / "tokenizer.js").read_text("utf-8")
    newer = json.loads((live.PROGRAMS / "newer.json").read_text("utf-8"))
    found = page.evaluate(
        """([source, vocabulary, newer, texts]) => {
            const tokenizer = new (new Function(`${source}; return Tokenizer;`)())(vocabulary, newer);
            return texts.map(text => tokenizer.read(text).ids);
        }""",
        [source, vocabulary_of(bert), newer, texts],
    )
    assert len(texts) == 2000
    assert [text for text, ours, theirs in zip(texts, found, wanted, strict=True) if ours != theirs] == []


def test_scores_and_attention_are_those_of_torch(live_page, bert):
    draw, every = random.Random(1), sentences()
    texts = []
    for i in range(20):
        chosen = draw.sample(every, 18 if i % 10 == 0 else draw.randint(1, 2))
        ids = bert.tokenizer(" ".join(chosen), add_special_tokens=False)["input_ids"][:126]
        words = bert.tokenizer.decode(ids).split()
        words[draw.randrange(len(words))] = "[MASK]"
        texts.append(" ".join(words))
    live_page.evaluate("pieces => { window.vocabulary = pieces; }", vocabulary_of(bert))
    lengths, far = [], {"logits": 0.0, "attention": 0.0}
    for text in texts:
        reading = bert.read(text)
        gap = reading.ids.tolist().index(bert.tokenizer.mask_token_id)
        with torch.no_grad():
            logits = bert.model.cls.predictions(reading.hidden[-1, gap])
        # Scores are known up to a constant, which a softmax takes away: their logarithms of probabilities are compared.
        differences = live_page.evaluate(
            """async ([text, scores, weights]) => {
                const numbers = text => new Float32Array(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer);
                const far = (ours, theirs) => theirs.reduce(
                    (most, one, i) => Math.max(most, Math.abs(one - ours[i])), 0);
                const expected = new Map((await bertlab.fill(text)).map(one => [one.piece, one.probability]));
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
    assert max(lengths) == bert.model.config.max_position_embeddings
    assert max(far.values()) < 1e-3


def test_the_proof_reader_marks_what_that_of_python_marks(live_page, bert):
    draw, section = random.Random(2), live_page.locator("#proofread")
    live_page.click("#tab-proofread")
    kept = learner_sets(bert.tokenizer.get_vocab())
    partner = {word: words for sets in (*kept.values(), CONFUSED) for words in sets for word in words}
    texts = [live_page.locator("#proofread .guess").get_attribute("data-value")]
    texts += ["Their are to many people here.\n\nHe is older then there father."]  # slips beside each other
    texts += ["I saw I, I object to paying. ME DON'T KNOWS HIS NAMES. She don’t like an dog, “them goes to we.”"]
    words = " ".join(draw.sample(sentences(), 3)).split()
    texts.append(" ".join(draw.choice(partner[word]) if word in partner else word for word in words))
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
