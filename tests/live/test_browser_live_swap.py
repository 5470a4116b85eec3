"""Swap and knobs in a browser: each share and each probability is what Python gives (`tests/circuits` compares it)."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from bertlab.circuits import patch_heads, patch_positions, preference, scaled
from pages import wait_until, wait_until_drawn
from swaps import scores, swap_head, swap_vector

pytestmark = pytest.mark.browser

PAIRS = [  # a sentence, another that differs in a word, and the words that are compared
    ("The dog near the doors [MASK] very old.", "The dogs near the doors [MASK] very old.", "is was / are were"),
    ("He lost [MASK] hat.", "She lost [MASK] hat.", "his / her"),
    ("He saw [MASK] river.", "He saw [MASK] apple.", "a/an"),
    ("[MASK] is a naïve café.", "[MASK] is a naïve king.", "he she / it this that"),
]
NUMBERS = "all => all.map(one => Number(one.textContent.replace('−', '-')))"


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


def test_each_field_of_swap_is_what_python_gives_and_the_strongest_is_shown_first(live_page, bert):
    view = live_page.locator("#swap")
    second = view.locator(".compared h3").nth(1)
    for text, other, words in PAIRS:
        lists, tokens = [side.split() for side in words.split("/")], bert.read(text).tokens
        wait_until_drawn(live_page, "the pair before")
        live_page.evaluate("document.querySelector('#swap .twin').textContent = ''")
        opened(live_page, view="swap", text=text, other=other, words=words)
        expect(view.locator(".twin")).to_contain_text("never trained")  # it comes last
        scored = re.findall(r"(?:\): |, )(\D+?) ahead by (\d+\.\d+) in", view.locator(".scores").inner_text())
        wanted = preference(bert, [text, other], lists).tolist()
        assert [float(number) for _, number in scored] == pytest.approx([abs(value) for value in wanted], abs=0.0051)
        assert [more for more, _ in scored] == [", ".join(lists[value > 0]) for value in wanted]
        shares = patch_positions(bert, [(text, other)], lists)
        of_heads = patch_heads(bert, [(text, other)], lists)
        for buttons, wanted in ((".places button", shares), (".heads button", of_heads)):
            assert view.locator(buttons).evaluate_all(NUMBERS) == pytest.approx(wanted.flatten().tolist(), abs=0.0052)
        between = shares[1:4]  # before the first layer, one vector is all
        layer, token = divmod(between.argmax().item(), between.shape[1])
        name = f"{tokens[token]}, after {layer + 1} layer{'s' if layer else ''}"
        expect(view.locator(".brings")).to_contain_text(f"{name}, brings {between.max():.2f} of the difference")
        expect(second).to_have_text(f"With one vector of the second: {name}")
        view.locator(".places button").nth(len(tokens) + 2).click()  # the second token after the first layer
        expect(second).to_have_text(f"With one vector of the second: {tokens[2]}, after 1 layer")
        middle = scores(bert, text, [swap_vector(bert, other, 1, 2)])
        every = (scores(bert, text), middle, scores(bert, other))
        for section, logits in zip(view.locator(".compared section").all(), every, strict=True):
            assert_same(bars(section), expected(bert, logits, 5))
        view.get_by_role("radio", name=re.compile("^layer 2, head 7")).click()
        expect(second).to_have_text("With one vector of the second: layer 2, head 7")
        swapped = scores(bert, text, [swap_head(bert, other, 2, 7, tokens.index("[MASK]"))])
        assert_same(bars(view.locator(".compared section").nth(1)), expected(bert, swapped, 5))


def test_swap_opens_with_a_pair_that_turns_the_answer_and_does_not_answer_its_guess(live_page):
    view = live_page.locator("#swap")
    live_page.click("#tab-swap")
    guess = view.locator(".guess").get_attribute("data-text")
    turning = view.locator(".presets button:not(:last-child)")  # the last one is there because it does not
    for press in (lambda: None, *(one.click for one in turning.all())):
        press()
        wait_until_drawn(live_page, "the pair")
        expect(view.locator(".said")).to_contain_text("in the first sentence")
        assert live_page.input_value("#sentence") != guess
    view.locator(".presets button").last.click()
    expect(view.locator(".said")).to_contain_text("in both sentences")
    where = view.locator(".guess").get_attribute("data-where")
    live_page.evaluate("hash => { location.hash = hash; }", f"view=swap&text={guess}&{where}")  # as a slide does
    wait_until_drawn(live_page, "the guess's own pair")
    expect(view.locator(".places")).to_be_hidden()
    view.locator(".guess .unfold ~ button").first.click()
    expect(view.locator(".places")).to_be_visible()


def test_a_word_that_has_a_partner_is_changed_first(live_page):
    view = live_page.locator("#swap")
    live_page.click("#tab-swap")
    for text, other, said in (
        ("The man who owns the cats [MASK] happy.", "The men who owns the cats [MASK] happy.", "are to is"),
        ("He forgot his umbrella at home.", "She forgot [MASK] umbrella at home.", "his to her"),
    ):
        live_page.fill("#sentence", text)
        expect(view.locator(".other")).to_have_value(other)
        expect(view.locator(".said")).to_contain_text(said)


def test_words_that_are_not_named_are_those_that_tell_the_sentences_apart(live_page):
    opened(live_page, view="swap", text="He lost [MASK] hat.", other="She lost [MASK] hat.")
    said = live_page.locator("#swap .said")
    expect(said).to_have_text("BERT prefers his to her in the first sentence, and prefers her to his in the second.")
    live_page.fill("#swap .words", "his / his")
    expect(said).to_have_text("BERT does not decide between his and his in either sentence.")
    live_page.fill("#sentence", "My grandmother bakes the best apple pie in [MASK].")
    gone = "['.other', '.words'].every(box => document.querySelector(`#swap ${box}`).value === '')"
    looking = "document.querySelector('#swap .filled').textContent.includes('a second sentence')"
    wait_until(live_page, "empty fields while a second sentence is looked for", f"() => {gone} && {looking}")
    expect(live_page.locator("#swap .other")).to_have_value(re.compile("^My .+ pie in"))


def test_a_long_swap_says_how_far_it_is_and_can_be_left(live_page):
    text, other = (f"The {noun} [MASK]{' very' * 121} old." for noun in ("dog", "dogs"))
    opened(live_page, view="swap", text=text, other=other)
    expect(live_page.locator("#swap .filled")).to_contain_text("of 672 fields")  # 128 tokens
    live_page.click("#tab-hide")
    expect(live_page.locator("#hide .gap h3")).to_have_text("In place of [MASK]")
    filled = live_page.locator("#swap .filled").text_content()
    live_page.wait_for_timeout(500)
    assert live_page.locator("#swap .filled").text_content() == filled  # nobody waits for the rest


def test_one_sentence_is_enough_a_word_of_it_is_hidden_and_another_one_changed(live_page):
    view = live_page.locator("#swap")
    other, problem = view.locator(".other"), view.locator(".problem")

    def changed(text):
        expect(problem).to_have_text("")
        wait_until_drawn(live_page, "all fields")
        words, others = text.split(), other.input_value().split()
        return [(one, two) for one, two in zip(words, others, strict=True) if one != two and "[MASK]" not in two]

    own = "My grandmother bakes the best apple pie in town."
    live_page.fill("#sentence", own)
    live_page.click("#tab-swap")
    expect(other).to_have_value(re.compile(r"^My .+ \[MASK\]\.$"))  # the last word
    first = changed(own)
    assert len(first) == 1
    assert live_page.input_value("#sentence") == own  # for the other views
    assert view.locator(".words").input_value() == ""  # those of another pair do not suit
    assert "" not in view.locator(".fields button").all_inner_texts()
    view.get_by_role("button", name="Change another word").click()
    expect(other).not_to_have_value(own.replace(*first[0]).replace("town", "[MASK]"))
    assert len(changed(own)) == 1
    view.get_by_role("button", name="hide best").click()
    expect(other).to_have_value(re.compile(r"the \[MASK\] "))
    changed(own)


def test_sentences_that_cannot_be_compared_are_said(live_page):
    for text, other, words, said in (
        ("The cat [MASK].", "The cats [MASK] there.", "", "The sentences have 6 and 7 tokens."),
        ("The cat [MASK].", "The [MASK] sat.", "", "[MASK] must be the same token in both sentences."),
        ("The cat [MASK].", "the CAT [MASK].", "", "The two sentences are the same"),
        ("The [MASK] [MASK].", "A [MASK] [MASK].", "", "One word can be hidden here: write [MASK] once"),
        ("The cat [MASK].", "The dog [MASK].", "is / are / was", "Write the words as is was / are were"),
        ("The cat [MASK].", "The dog [MASK].", "Sinan / are", "Sinan is not a single piece: it splits into sin ##an."),
    ):
        opened(live_page, view="swap", text=text, other=other, words=words)
        expect(live_page.locator("#swap .problem")).to_contain_text(said)


def test_knobs_turn_heads_as_in_python_and_the_link_says_how(live_page, bert):
    view = live_page.locator("#knobs")
    for text, layer, head, times in (
        ("The dogs near the door [MASK] very old.", 2, 7, 2),
        ("The girl near the trees [MASK] beautiful.", 1, 3, 0),
        ("[MASK] lost his hat.", 0, 0, 3),
        ("He saw [MASK] apple.", 0, 1, 1.7),
    ):
        opened(live_page, view="knobs", text=text, knobs=f"{layer}.{head}:{times}")
        expect(view.locator(".compared h3").nth(1)).to_have_text(f"With your knobs (L{layer}H{head})")
        before, after = map(bars, view.locator(".compared section").all())
        assert_same(before, expected(bert, scores(bert, text), 10))
        assert_same(after, expected(bert, scores(scaled(bert, {(layer, head): times}), text), 10))
    slider = view.get_by_role("slider", name="L2H7")
    slider.focus()
    live_page.keyboard.press("End")
    expect(view.locator(".compared h3").nth(1)).to_have_text("With your knobs (L0H1, L2H7)")
    link = live_page.locator("#link").get_attribute("href")
    assert "knobs=0.1%3A1.7%2C2.7%3A3" in link
    view.get_by_role("button", name="All back to 1").click()
    expect(view.locator(".compared h3").nth(1)).to_have_text("With your knobs (all are at 1)")
    before, after = map(bars, view.locator(".compared section").all())
    assert before == after
    opened(live_page, view="knobs", knobs=",".join(f"{i // 8}.{i % 8}:0" for i in range(32)))
    expect(view.locator(".compared h3").nth(1)).to_have_text("With your knobs (32 changed)")


def test_knobs_name_first_the_heads_that_matter_most_for_a_sentence(live_page, bert):
    view = live_page.locator("#knobs")
    for text, read in (("The girl near the trees [MASK] beautiful.",) * 2, ("She has a dog.", "She has a [MASK].")):
        opened(live_page, view="knobs", text=text, knobs="")
        wait_until_drawn(live_page, "each head switched off")
        piece, whole = expected(bert, scores(bert, read), 1)[0]
        ((said, before),) = re.findall(r"(\S+) has ([\d.]+) %", view.locator(".matters").inner_text())
        assert (said, float(before) / 100) == (piece, pytest.approx(whole, abs=0.0051))
        token = bert.tokenizer.convert_tokens_to_ids(piece)
        every = [(layer, head) for layer in range(4) for head in range(8)]
        without = {f"L{a}H{b}": scores(scaled(bert, {(a, b): 0}), read).softmax(-1)[token].item() for a, b in every}
        most = sorted(without, key=lambda name: -abs(without[name] - whole))[:5]
        shown = " ".join(view.locator(".first button").all_inner_texts())
        found = re.findall(r"([\d.]+) % without (L\dH\d)", shown)
        assert [name for _, name in found] == most
        assert [float(left) / 100 for left, _ in found] == pytest.approx([without[name] for name in most], abs=0.0051)
    view.locator(".first button").first.click()
    expect(view.locator(".compared h3").nth(1)).to_have_text(f"With your knobs ({most[0]})")
