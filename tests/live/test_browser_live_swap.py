"""Swap and knobs in a browser: each share and each probability is what hooks on transformers' modules give."""

import re
from contextlib import contextmanager
from urllib.parse import urlencode

import pytest
import torch
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

PAIRS = [  # a sentence, another that differs in a word, and the words that are compared
    ("The dog near the doors [MASK] very old.", "The dogs near the doors [MASK] very old.", "is was / are were"),
    ("He lost [MASK] hat.", "She lost [MASK] hat.", "his / her"),
    ("He saw [MASK] river.", "He saw [MASK] apple.", "a/an"),
    ("[MASK] is a naïve café.", "[MASK] is a naïve king.", "he she / it this that"),
    ("It was between noon [MASK] night.", "It was from noon [MASK] night.", "and / to"),
]
SHARES = "all => all.map(one => one.textContent)"


@contextmanager
def changed(module, change, before=False):
    """Let a module's output be changed, or what it takes."""
    if before:
        hook = module.register_forward_pre_hook(lambda _, taken: (change(taken[0].clone()), *taken[1:]))
    else:
        hook = module.register_forward_hook(
            lambda _, __, out: (change(out[0].clone()), *out[1:]) if isinstance(out, tuple) else change(out.clone())
        )
    yield
    hook.remove()


class Transformers:
    """The same experiments, done to transformers' model."""

    def __init__(self, bert):
        self.bert, self.model = bert, bert.model
        self.layers = self.model.bert.encoder.layer
        self.size = self.model.config.hidden_size // self.model.config.num_attention_heads

    def logits(self, text):
        ids = self.bert.tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            logits = self.model(**ids).prediction_logits[0]
        return logits[self.place(text)]

    def place(self, text):
        return self.bert.tokenizer(text)["input_ids"].index(self.bert.tokenizer.mask_token_id)

    def states(self, after):
        """Return the module that a token's vector leaves after some layers."""
        return self.layers[after - 1] if after else self.model.bert.embeddings

    def made(self, layer):
        """Return the module that takes what a layer's heads made."""
        return self.layers[layer].attention.output.dense

    def taken_from(self, module, text, before=False):
        seen = []
        with changed(module, lambda table: seen.append(table.clone()) or table, before):
            self.logits(text)
        return seen[0]

    def swap_place(self, text, other, after, token):
        module = self.states(after)
        theirs = self.taken_from(module, other)

        def swap(table):
            table[0, token] = theirs[0, token]
            return table

        with changed(module, swap):
            return self.logits(text)

    def swap_head(self, text, other, layer, head):
        module, mask, mine = self.made(layer), self.place(text), slice(head * self.size, (head + 1) * self.size)
        theirs = self.taken_from(module, other, before=True)

        def swap(table):
            table[0, mask, mine] = theirs[0, mask, mine]
            return table

        with changed(module, swap, before=True):
            return self.logits(text)

    def turned(self, text, layer, head, times):
        def turn(table):
            table[..., head * self.size : (head + 1) * self.size] *= times
            return table

        with changed(self.made(layer), turn, before=True):
            return self.logits(text)


def expected(bert, logits, count):
    best = logits.softmax(-1).topk(count)
    return list(zip(bert.tokenizer.convert_ids_to_tokens(best.indices.tolist()), best.values.tolist(), strict=True))


def bars(section):
    """Return the pieces and the probabilities that a list of bars shows."""
    rows = section.locator("li").evaluate_all("all => all.map(one => [...one.children].map(part => part.innerText))")
    return [(name.strip(), float(value.removesuffix(" %")) / 100) for name, _, value in rows]


def assert_same(shown, wanted):
    assert [name for name, _ in shown] == [name for name, _ in wanted]
    assert [value for _, value in shown] == pytest.approx([value for _, value in wanted], abs=0.0051, rel=0.03)


def opened(page, **parts):
    page.evaluate("hash => { location.hash = hash; }", urlencode(parts))


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair[1])
def test_each_field_of_swap_is_what_hooks_on_torch_give(live_page, bert, pair):
    text, other, words = pair
    model, view = Transformers(bert), live_page.locator("#swap")
    lists = [bert.tokenizer.convert_tokens_to_ids(side.split()) for side in words.split("/")]

    def preference(logits):
        return (logits[lists[1]].mean() - logits[lists[0]].mean()).item()

    opened(live_page, view="swap", text=text, other=other, words=words)
    expect(view.locator(".twin")).to_contain_text("never trained")  # it comes last
    low, high = preference(model.logits(text)), preference(model.logits(other))
    said = [
        float(number.replace("−", "-"))
        for number in re.findall(r"([−\d.]+) logits", view.locator(".said").inner_text())
    ]
    assert said == pytest.approx([low, high], abs=0.0051)
    tokens, layers = bert.tokenizer.tokenize(text), len(model.layers)
    wanted = [
        preference(model.swap_place(text, other, after, token))
        for after in range(layers + 1)
        for token in range(len(tokens) + 2)
    ]
    shown = view.locator(".places button").evaluate_all(SHARES)
    assert [float(share.replace("−", "-")) for share in shown] == pytest.approx(
        [(one - low) / (high - low) for one in wanted], abs=0.0052
    )
    heads = [(layer, head) for layer in range(layers) for head in range(bert.model.config.num_attention_heads)]
    wanted = [preference(model.swap_head(text, other, *each)) for each in heads]
    shown = view.locator(".heads button").evaluate_all(SHARES)
    assert [float(share.replace("−", "-")) for share in shown] == pytest.approx(
        [(one - low) / (high - low) for one in wanted], abs=0.0052
    )
    chosen = len(tokens) + 2 + 2  # the second token after the first layer
    view.locator(".places button").nth(chosen).click()
    name = f"{tokens[1]}, after 1 layer"
    expect(view.locator(".compared h3").nth(1)).to_have_text(f"With one vector of the second: {name}")
    middle = model.swap_place(text, other, 1, 2)
    for section, logits in zip(
        view.locator(".compared section").all(), (model.logits(text), middle, model.logits(other)), strict=True
    ):
        assert_same(bars(section), expected(bert, logits, 5))
    view.get_by_role("radio", name=re.compile("^layer 2, head 7")).click()
    expect(view.locator(".compared h3").nth(1)).to_have_text("With one vector of the second: layer 2, head 7")
    assert_same(bars(view.locator(".compared section").nth(1)), expected(bert, model.swap_head(text, other, 2, 7), 5))


def test_words_that_are_not_named_are_those_that_tell_the_sentences_apart(live_page):
    opened(live_page, view="swap", text="He lost [MASK] hat.", other="She lost [MASK] hat.")
    said = live_page.locator("#swap .said")
    expect(said).to_contain_text("BERT prefers her to his by")


REFUSED = (  # two sentences, words, what is said
    ("The cat [MASK].", "The cats [MASK] there.", "", "The sentences have 6 and 7 tokens."),
    ("The cat [MASK].", "The [MASK] sat.", "", "[MASK] must be the same token in both sentences."),
    ("The cat [MASK].", "the CAT [MASK].", "", "The two sentences are the same"),
    ("The cat sat.", "The dog sat.", "", "Write [MASK] once in each sentence"),
    ("The [MASK] [MASK].", "A [MASK] [MASK].", "", "Write [MASK] once in each sentence"),
    ("The cat [MASK].", "The dog [MASK].", "is / are / was", "Write the words as is was / are were"),
    ("The cat [MASK].", "The dog [MASK].", "Sinan / are", "Sinan is not a single piece: it splits into sin ##an."),
)


def test_sentences_that_cannot_be_compared_are_said(live_page):
    for text, other, words, said in REFUSED:
        opened(live_page, view="swap", text=text, other=other, words=words)
        expect(live_page.locator("#swap .problem")).to_contain_text(said)


def test_knobs_turn_heads_as_in_torch_and_the_link_says_how(live_page, bert):
    model, view = Transformers(bert), live_page.locator("#knobs")
    for text, layer, head, times in (
        ("The dogs near the door [MASK] very old.", 2, 7, 2),
        ("The girl near the trees [MASK] beautiful.", 1, 3, 0),
        ("[MASK] lost his hat.", 0, 0, 3),
        ("The capital of [MASK] is old.", 3, 0, 0.5),
        ("He saw [MASK] apple.", 0, 1, 1.7),
    ):
        opened(live_page, view="knobs", text=text, knobs=f"{layer}.{head}:{times}")
        expect(view.locator(".compared h3").nth(1)).to_have_text(f"With your knobs ({layer}.{head})")
        before, after = map(bars, view.locator(".compared section").all())
        assert_same(before, expected(bert, model.logits(text), 10))
        assert_same(after, expected(bert, model.turned(text, layer, head, times), 10))
    slider = view.get_by_role("slider", name="head 2.7")
    slider.focus()
    live_page.keyboard.press("End")
    expect(view.locator(".compared h3").nth(1)).to_have_text("With your knobs (0.1, 2.7)")
    link = live_page.locator("#link").get_attribute("href")
    assert "knobs=0.1%3A1.7%2C2.7%3A3" in link
    view.get_by_role("button", name="All back to 1").click()
    expect(view.locator(".compared h3").nth(1)).to_have_text("With your knobs")
    before, after = map(bars, view.locator(".compared section").all())
    assert before == after
