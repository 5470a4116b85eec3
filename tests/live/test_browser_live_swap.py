"""Swap and knobs in a browser: each share and each probability is what `bertlab.circuits` computes."""

import re
from urllib.parse import urlencode

import pytest
import torch
from playwright.sync_api import expect

import bertlab
from bertlab import circuits
from bertlab.attention.layer import features_of
from bertlab.circuits.sides import onward, onward_from_heads, sides

pytestmark = pytest.mark.browser

PAIRS = [  # a sentence, another that differs in a word, and the words that are compared
    ("The dog near the doors [MASK] very old.", "The dogs near the doors [MASK] very old.", "is was / are were"),
    ("He lost [MASK] hat.", "She lost [MASK] hat.", "his / her"),
    ("He saw [MASK] river.", "He saw [MASK] apple.", "a/an"),
    ("[MASK] is a naïve café.", "[MASK] is a naïve king.", "he she / it this that"),
    ("It was between noon [MASK] night.", "It was from noon [MASK] night.", "and / to"),
]
SHARES = "all => all.map(one => Number(one.textContent.replace('−', '-')))"
NEAR = 0.0052  # half of the last digit that is shown


def split(words):
    """Return the two lists of words that a line of the page names."""
    return [re.findall(r"\w+", side) for side in words.split("/")]


def at_mask(bert, side, last):
    """Return the five pieces that are expected first, with their probabilities, from the last layer's output."""
    with torch.no_grad():
        best = bert.model.cls.predictions(last[0, side.place.item()]).softmax(-1).topk(5)
    return list(zip(bert.tokenizer.convert_ids_to_tokens(best.indices.tolist()), best.values.tolist(), strict=True))


def filled(bert, text):
    return list(bertlab.masking.fill_mask(bert, text, top_k=10)[["piece", "probability"]].itertuples(index=False))


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
def test_each_field_of_swap_is_what_lesson_9_computes(live_page, bert, pair):
    view, (*texts, words) = live_page.locator("#swap"), pair
    pairs, lists, tokens = [tuple(texts)], split(words), bert.read(texts[0]).tokens
    opened(live_page, view="swap", text=texts[0], other=texts[1], words=words)
    expect(view.locator(".twin")).to_contain_text("never trained")  # it comes last
    said = re.findall(r"([−\d.]+) logits", view.locator(".said").inner_text())
    wanted = circuits.preference(bert, texts, lists).tolist()
    assert [float(number.replace("−", "-")) for number in said] == pytest.approx(wanted, abs=NEAR)
    for fields, shares in (
        (".places", circuits.patch_positions(bert, pairs, lists)),
        (".heads", circuits.patch_heads(bert, pairs, lists)),
    ):
        shown = view.locator(f"{fields} button").evaluate_all(SHARES)
        assert shown == pytest.approx(shares.flatten().tolist(), abs=NEAR), fields

    text, other = sides(bert, pairs)
    view.locator(".places button").nth(len(tokens) + 2).click()  # the second token after the first layer
    expect(view.locator(".compared h3").nth(1)).to_contain_text(f": {tokens[2]}, after 1 layer")
    hidden = text.hidden[1].clone()
    hidden[0, 2] = other.hidden[1][0, 2]
    lasts = (text.hidden[-1], onward(bert, hidden, 1), other.hidden[-1])
    for section, last in zip(view.locator(".compared section").all(), lasts, strict=True):
        assert_same(bars(section), at_mask(bert, text, last))
    view.get_by_role("radio", name=re.compile("^layer 2, head 7")).click()
    expect(view.locator(".compared h3").nth(1)).to_contain_text(": layer 2, head 7")
    joined, mine = text.joined[2].clone(), features_of(bert, 7)
    joined[0, text.place, mine] = other.joined[2][0, text.place, mine]
    last = onward_from_heads(bert, text.hidden[2], joined, 2)
    assert_same(bars(view.locator(".compared section").nth(1)), at_mask(bert, text, last))


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


def test_knobs_turn_heads_as_in_lesson_9_and_the_link_says_how(live_page, bert):
    view = live_page.locator("#knobs")
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
        assert_same(before, filled(bert, text))
        assert_same(after, filled(circuits.scaled(bert, {(layer, head): times}), text))
    slider = view.get_by_role("slider", name="head 2.7")
    slider.focus()
    live_page.keyboard.press("End")
    expect(view.locator(".compared h3").nth(1)).to_have_text("With your knobs (0.1, 2.7)")
    link = live_page.locator("#link").get_attribute("href")
    assert "knobs=0.1%3A1.7%2C2.7%3A3" in link
    view.get_by_role("button", name="All back to 1").click()
    expect(view.locator(".compared h3").nth(1)).to_have_text("With your knobs (all are at 1)")
    before, after = map(bars, view.locator(".compared section").all())
    assert before == after
