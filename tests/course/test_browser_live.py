"""The live page in a browser, opened from a file, with no network: equal to torch and transformers, and usable."""

import base64
import json
import random
import re
from urllib.parse import quote

import pytest
import torch

import bertlab
from bertlab.course.live import page as live
from bertlab.masking.proofreading import SETS
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
        chosen = draw.sample(every, 18 if i % 20 == 0 else draw.randint(1, 2))
        ids = bert.tokenizer(" ".join(chosen), add_special_tokens=False)["input_ids"][:126]
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


def test_the_proof_reader_marks_what_that_of_python_marks(opened, bert):
    draw, section = random.Random(2), shown(opened, "proofread")
    partner = {word: words for words in SETS for word in words}
    texts = [opened.locator("#proofread .guess").get_attribute("data-value")]
    for i in range(3):  # words exchanged at random; the last is one sentence, longer than BERT reads
        words = " ".join(draw.sample(sentences(), 16 if i == 2 else 6)).split()
        some = [draw.choice(partner[word]) if word in partner and draw.random() < 0.7 else word for word in words]
        texts.append(" ".join(some).replace(".", "") if i == 2 else " ".join(some).replace(". Th", ".\n\nTH", 1))
    marked = []
    for text in texts:
        section.locator("textarea").fill(text)
        section.locator(".said", has_text="doubtful").wait_for()
        found = bertlab.masking.proofread(bert, text)
        wanted = [f"{row.word} → {row.suggestion} {row.probability:.0%}" for row in found.itertuples()]
        ours = section.locator(".doubts li").all_inner_texts()
        assert [re.sub(r"[\d.]+ %", "", one) for one in ours] == [re.sub(r"\d+%", "", one) for one in wanted]
        text_of_marks = section.locator(".marked").inner_text().replace("\n", "")
        assert re.sub(r" → \w+", "", text_of_marks) == text.replace("\n", "")
        marked.append(len(wanted))
    assert min(marked[0], sum(marked)) >= 3
    assert sum(marked) > 8


def shown(page, view):
    """Open a view by its tab, and return its section."""
    page.click(f"#tab-{view}")
    return page.locator(f"#{view}")


def test_every_view_can_be_used_by_keyboard_alone(opened, bert, twin):
    def press(*keys):
        for key in keys:
            opened.keyboard.press(key)

    def focused():
        return opened.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText")

    def tab_to(name):
        for _ in range(40):
            press("Tab")
            if re.fullmatch(name, focused()):
                return
        raise AssertionError(f"Tab never comes to {name}")

    def says(view, text):
        opened.locator(f"#{view}").get_by_text(text).first.wait_for()

    first = bertlab.masking.fill_mask(bert, "She opened the [MASK] and went into the house.", top_k=2)["piece"]
    says("hide", "door was there: number 1 of 16,000")
    assert [name.strip() for name in opened.locator("#hide .bars .name").all_inner_texts()[:2]] == first.tolist()
    tab_to("Hide a word")
    tab_to("a person")
    press("Enter")  # guesses, and hides the cat
    says("hide", "Right.")
    says("hide", "In place of cat")
    tab_to("mat")
    press("Space")
    says("hide", "In place of mat")
    assert focused() == "[MASK], for mat"
    two = bertlab.masking.fill_mask(bert, "The [MASK] sat on the [MASK].", top_k=10)
    assert [name.strip() for name in opened.locator("#hide .bars .name").all_inner_texts()] == two["piece"].tolist()

    opened.focus("#tab-hide")
    press("ArrowRight")
    tab_to("two pieces")
    press("Enter")
    says("pieces", "4,271")
    ids = [text.replace(",", "") for text in opened.locator("#pieces .card > span").all_inner_texts()]
    assert list(map(int, ids)) == bert.read("Sinan loves the naïve café.").ids.tolist()

    opened.focus("#tab-pieces")
    press("ArrowRight")
    tab_to("layer 1, head 3, looks at the previous piece")
    press("ArrowUp", "ArrowLeft", "ArrowLeft")
    assert focused() == "layer 0, head 1, looks at the next piece"
    says("heads", "Layer 0, head 1")
    tab_to(r"sat|\[CLS\]|the|cat")
    press("Home", "ArrowDown")
    weights = bert.read("The cat sat on the mat.").attention[0, 1, 1]
    says("heads", f"the looks at: cat {weights[2]:.2f}")
    opened.focus("#tab-heads")
    tab_to("no")
    press("Enter")  # and the page is never trained
    opened.locator("#heads .grid:not(:has-text('←'))").wait_for()
    assert opened.locator("#heads [role=switch]").get_attribute("aria-checked") == "true"

    opened.focus("#tab-heads")
    press("ArrowRight")
    opened.locator("#vectors .layers:not(:has-text('being read'))").wait_for()
    untrained = float(re.search(r"blind pairs: (\S+);", opened.locator("#vectors .layers li").last.inner_text())[1])
    tab_to("Never trained")
    press("Space")
    reading = bert.read("Our boat hit the muddy bank, and the bank in town was closed.")
    banks = [
        torch.stack([bertlab.vectors.word_vector(reading, "bank", i, layer) for i in (0, 1)]) for layer in range(5)
    ]
    cosines = [f"cosine {torch.cosine_similarity(*both, dim=0):.2f}" for both in banks]
    says("vectors", cosines[-1])
    opened.locator("#vectors .layers:not(:has-text('being read'))").wait_for()
    assert opened.locator("#vectors .layers b").all_inner_texts() == cosines
    trained = float(re.search(r"blind pairs: (\S+);", opened.locator("#vectors .layers li").last.inner_text())[1])
    assert trained < 0.35 < untrained

    opened.focus("#tab-vectors")
    press("ArrowRight")
    tab_to("the denial")
    press("Enter")
    texts = [
        "In 1995, the last survey, those numbers were equal.",
        "In 1995, the last survey, those numbers were not equal.",
    ]
    alike = torch.cosine_similarity(*bertlab.paraphrase.sentence_vectors(bert, texts), dim=0)
    says("second", f"Cosine {alike:.2f}.")
    assert opened.locator("#second circle").count() == len(bertlab.data.read("graded_pairs"))

    opened.focus("#tab-second")
    press("ArrowRight")
    tab_to("three or four")
    press("Enter")
    says("proofread", "of them are doubtful")

    opened.focus("#tab-proofread")
    press("End")
    assert focused() == "Watch it learn"
    opened.focus("#step")
    press("Home")
    says("learning", "Never trained")
    press("ArrowRight")
    assert opened.locator("#learning .three").inner_text().split() == ["the", "of", "."]


def test_what_is_typed_is_text_and_what_cannot_be_read_is_said(opened):
    elements = "document.querySelectorAll('main img, main script, main iframe, main a').length"
    links = opened.evaluate(elements)
    for hostile in (*TOKENS, HOSTILE):
        opened.goto(opened.url.partition("#")[0] + "#" + "text=" + quote(hostile))
        assert opened.input_value("#sentence") == hostile
        for view in VIEWS:
            section = shown(opened, view)
            if view in ("second", "proofread"):
                section.locator("input, textarea").first.fill(hostile)
            opened.wait_for_timeout(50)
    assert opened.evaluate(elements) == links
    assert opened.title() == "A BERT in a page | bertlab"
    section = shown(opened, "hide")
    for text, said in REFUSED:
        opened.fill("#sentence", text)
        section.locator(".problem", has_text=said).wait_for()
    opened.fill("#sentence", "She closed the [MASK].")
    section.get_by_text("You typed [MASK]").wait_for()
    assert section.locator(".problem").inner_text() == ""


def test_a_thousand_letters_at_once_are_taken_and_the_last_state_is_shown(opened):
    section = shown(opened, "heads")
    opened.fill("#sentence", "")
    typed = ("the cat sat on the mat and " * 40)[:1000]
    opened.focus("#sentence")
    opened.keyboard.type(typed)
    assert opened.input_value("#sentence") == typed
    section.locator(".problem", has_text="tokens long").wait_for()
    opened.fill("#sentence", "The end.")
    section.locator(".to", has_text="end").wait_for()


def test_nothing_has_to_be_scrolled_sideways_on_a_phone_or_in_large_letters(opened):
    opened.fill("#sentence", f"A {'w' * 90} and the rest of a sentence that goes on, [MASK] and all. " * 2)
    for width, large in ((390, False), (320, False), (1280, True)):
        opened.set_viewport_size({"width": width, "height": 844})
        if large:
            opened.click("#large")
        for view in VIEWS:
            shown(opened, view)
            opened.wait_for_timeout(300)
            assert opened.evaluate(WIDER) <= 0, (view, width)


def test_a_folder_without_the_weights_is_said(page, folder, tmp_path):
    (tmp_path / "live.html").write_text((folder / "live.html").read_text("utf-8"), "utf-8")
    page.goto((tmp_path / "live.html").as_uri())
    page.get_by_text("Keep the folder live-weights beside this page.").wait_for()
