"""The view of one head in a browser: each number that it shows is torch's, step by step."""

import re
from urllib.parse import urlencode

import pytest
import torch
from playwright.sync_api import expect

from bertlab.masking import fill_mask

pytestmark = pytest.mark.browser

FOLLOWED = [  # sentence, layer, head, the token that looks, the one looked at, number of the head's, of the token's
    ("The cat sat on the mat.", 1, 5, 5, 6, 0, 160),
    ("Sinan loves the naïve café.", 0, 0, 0, 9, 7, 255),
    ("No.", 3, 0, 1, 1, 3, 3),
    ("She opened the [MASK] and went into the house.", 3, 6, 4, 3, 31, 128),
    ("In 1995, the last survey, those numbers weren't equal!", 2, 7, 11, 2, 16, 17),
]
STEPS = 13  # the last one in the last layer alone


def torch_numbers(bert, text, layer, head, looks, looked, feature, column):
    """Return what the view's numbers should be by their names, from transformers' own modules: each is listened to."""
    block, heads = bert.model.bert.encoder.layer[layer], bert.model.config.num_attention_heads
    size = bert.model.config.hidden_size // heads
    listened = {
        "query": block.attention.self.query, "key": block.attention.self.key, "value": block.attention.self.value,
        "projected": block.attention.output.dense, "attended": block.attention.output.LayerNorm,
        "wider": block.intermediate.dense, "bent": block.intermediate, "back": block.output.dense,
        "out": block.output.LayerNorm, "turned": bert.model.cls.predictions.transform,
    }  # fmt: skip
    seen = {}
    hooks = [
        module.register_forward_hook(lambda _, __, out, name=name: seen.__setitem__(name, out[0].double()))
        for name, module in listened.items()
    ]
    hooks.append(block.attention.output.dense.register_forward_pre_hook(
        lambda _, taken: seen.__setitem__("joined", taken[0][0].double())))  # fmt: skip
    ids = bert.tokenizer(text, return_tensors="pt")
    with torch.no_grad():
        run = bert.model(**ids, output_hidden_states=True, output_attentions=True)
    for hook in hooks:
        hook.remove()
    mine = slice(head * size, (head + 1) * size)
    for name in ("query", "key", "value"):
        seen[name] = seen[name][:, mine]
    seen |= {"hidden": run.hidden_states[layer][0].double(), "weights": run.attentions[layer][0, head].double()}
    seen["made"] = seen["joined"][:, mine]
    seen["scores"] = seen["query"] @ seen["key"].T / size**0.5
    seen["exp"] = (seen["scores"] - seen["scores"].max(-1, keepdim=True).values).exp()
    seen["given"] = seen["weights"][looks, :, None] * seen["value"]
    seen["product"] = seen["query"][looks] * seen["key"][looked]
    projection, back = block.attention.output.dense, block.output.dense
    seen["byHead"] = (projection.weight[column].double() * seen["joined"][looks]).view(heads, size).sum(-1).detach()
    seen["byUnit"] = (back.weight.double() * seen["bent"][looks]).detach()
    seen["backWeight"], seen["backBias"] = back.weight.detach(), back.bias.detach()
    seen["logits"] = run.prediction_logits[0, looks].double()
    seen["probability"] = seen["logits"].softmax(-1)
    seen["pieceBias"] = bert.model.cls.predictions.bias.detach()
    seen["match"] = seen["logits"] - seen["pieceBias"]
    alone = {
        "product[sum]": seen["product"].sum(),
        "root": size**0.5,
        "exp[sum]": seen["exp"][looks].sum(),
        "projectionBias": projection.bias[column].item(),
    }
    alone["otherUnits"] = seen["byUnit"][column].sum() - seen["byUnit"][column][top_units(seen, column)].sum()
    for name, norm, both in (
        ("attended", block.attention.output.LayerNorm, seen["projected"] + seen["hidden"]),
        ("out", block.output.LayerNorm, seen["back"] + seen["attended"]),
    ):
        row, spot = both[looks], f"{name}.norm"
        alone |= {f"{spot}[sum]": row[column], f"{spot}[mean]": row.mean(), f"{spot}[root]": row.std(correction=0)}
        alone |= {f"{spot}[weight]": norm.weight[column].item(), f"{spot}[bias]": norm.bias[column].item()}
    return seen, alone


def top_units(seen, column):
    return seen["byUnit"][column].abs().topk(5).indices


def wanted(bert, seen, alone, name):
    if name in alone:
        return float(alone[name])
    table, places = re.fullmatch(r"(\w+)\[(.+)\]", name).groups()
    if table in ("match", "pieceBias", "logits", "probability"):
        return seen[table][bert.tokenizer.convert_tokens_to_ids(places)].item()
    return seen[table][tuple(map(int, places.split(", ")))].item()


def test_each_number_of_one_head_is_torchs(live_page, bert):
    view, compared, names = live_page.locator("#head"), 0, set()
    for text, layer, head, looks, looked, feature, column in FOLLOWED:
        seen, alone = torch_numbers(bert, text, layer, head, looks, looked, feature, column)
        last = layer == bert.model.config.num_hidden_layers - 1
        for step in range(STEPS if last else STEPS - 1):
            asked = {"view": "head", "text": text, "layer": layer, "head": head, "token": looks, "at": looked}
            asked |= {"feature": feature, "number": column, "step": step}
            live_page.evaluate("hash => { location.hash = hash; }", urlencode(asked))
            place = f"Layer {layer}, head {head}: step {step + 1} of {STEPS}"
            view.locator(".place").get_by_text(place, exact=True).wait_for()
            shown = view.locator(".number").evaluate_all("all => all.map(one => [one.title, one.innerText])")
            for name, written in shown:
                number, value = float(written.replace("−", "-")), wanted(bert, seen, alone, name)
                assert number == pytest.approx(value, abs=0.0051, rel=1e-4), (text, step, name)
            compared += len(shown)
            names |= {name.partition("[")[0] for name, _ in shown}
            rest = view.locator(".shows").evaluate(
                "shows => { const copy = shows.cloneNode(true);"
                "for (const one of copy.querySelectorAll('.number')) one.remove(); return copy.textContent; }"
            )
            assert not re.search(r"\d[.]\d", rest), "a number without a name"
            if step == 9:
                view.locator(".attended canvas").hover()  # in its middle
                name, written = view.locator(".attended canvas").get_attribute("title").split(" = ")
                value = wanted(bert, seen, alone, name)
                assert float(written.replace("−", "-")) == pytest.approx(value, abs=0.0051), name
            if step == 10:
                assert f"({int((seen['bent'][looks] > 0).sum())} are positive)" in view.locator(".says").inner_text()
                units = view.locator(".sums tbody th").all_inner_texts()[:5]
                assert list(map(int, units)) == top_units(seen, column).tolist()
            if step == 12:
                best = bert.tokenizer.convert_ids_to_tokens(seen["logits"].topk(5).indices.tolist())
                assert view.locator(".sums tbody th").all_inner_texts() == best
    print(f"{compared} numbers compared, of {len(names)} kinds")
    assert {"query", "key", "product", "scores", "root", "weights", "value", "given", "made", "byHead"} <= names
    assert {"projected", "attended", "wider", "bent", "back", "out", "match", "logits", "probability"} <= names


def test_one_goes_on_from_layer_to_layer_to_the_guess_and_back_and_the_map_says_where_one_is(live_page):
    view = live_page.locator("#head")
    live_page.goto(live_page.url.partition("#")[0] + "#view=head&layer=2&head=1&step=11&token=2")
    for button, title, part in (
        ("Forward", "What enters the layer", "layer 3"),
        ("Back", "Add & LayerNorm, after feed-forward", "layer 2"),
        ("query", "Query", "layer 2, head"),  # the one that mixes
        ("guess", "The guess", "guess for opened: opened .+"),
        ("Forward", "The guess", "guess for opened: opened .+"),  # nothing comes after it
        ("layer 0", "What enters the layer", "layer 0"),
        ("layer 2, head 5", "Query", "layer 2, head 5"),
    ):
        view.get_by_role("button", name=button, exact=True).or_(
            view.get_by_role("radio", name=button, exact=True)
        ).click()
        expect(view.locator("h3")).to_have_text(title)
        expect(view.locator(".map .whole [aria-checked=true]")).to_have_attribute("aria-label", re.compile(part))
    live_page.focus("#head .play")
    for key, title in (("ArrowRight", "Key"), ("ArrowLeft", "Query"), ("ArrowLeft", "What enters the layer")):
        live_page.keyboard.press(key)
        expect(view.locator("h3")).to_have_text(title)


def attention(bert, text):
    with torch.no_grad():
        run = bert.model(**bert.tokenizer(text, return_tensors="pt"), output_attentions=True)
    return torch.stack(run.attentions)[:, 0]


@pytest.mark.parametrize("text", ["She shut the [MASK] and went into the house.", "My old [MASK] sat."])
def test_it_begins_at_a_hidden_word_with_a_head_that_mixes(live_page, bert, text):
    live_page.click("#tab-head")
    view = live_page.locator("#head")
    view.locator(".who .token", has_text="house").click()
    live_page.fill("#sentence", text)
    expect(view.locator(".who [aria-checked=true]")).to_have_text("[MASK]")
    tokens = ["[CLS]", *bert.tokenizer.tokenize(text), "[SEP]"]
    place, weights = tokens.index("[MASK]"), attention(bert, text)
    others = [i for i, token in enumerate(tokens) if token.isalpha() and i != place]
    most = weights[0, :, place, others].max(-1)
    head = torch.where(most.values > 0.75, 1, (most.values - 0.5).abs()).argmin().item()
    at = others[most.indices[head]]
    expect(view.locator(".place")).to_have_text(f"Layer 0, head {head}: step 1 of 13")
    said = f"Head {head} mixes: its largest weight on another word is {most.values[head]:.2f}, on {tokens[at]}."
    expect(view.locator(".because")).to_have_text(said)
    first = fill_mask(bert, text, top_k=1).iloc[0]
    guess = f"guess for [MASK]: {first['piece']} {percent(first['probability'])}"
    expect(view.locator(".guessed")).to_have_attribute("aria-label", guess)
    for shown_layer, shown_head in ((0, head), (2, 5), (0, head)):  # followed, pointed at, and left
        if shown_layer:
            view.get_by_role("radio", name="layer 2, head 5", exact=True).hover()
        else:
            view.locator("h3").hover()
        lines = view.locator(".map title").all_text_contents()
        for layer in range(len(weights)):
            one = layer == shown_layer
            whose = f"layer {layer}, " + (f"head {shown_head}" if one else "mean of its heads")
            row = weights[layer, shown_head, place] if one else weights[layer, :, place].mean(0)
            expected = [f"{whose}: {token} {row[i]:.2f}" for i, token in enumerate(tokens) if i != place]
            assert [line for line in lines if line.startswith(f"layer {layer}")] == expected


def percent(share):
    return f"{share:.0%}".replace("%", " %") if share >= 0.0995 else f"{share:.1%}".replace("%", " %")


def test_a_word_that_was_not_hidden_can_be_hidden_at_the_guess(live_page):
    live_page.click("#tab-head")
    view = live_page.locator("#head")
    live_page.fill("#sentence", "She opened the bakery and went home.")
    view.locator(".who .token").nth(5).click()  # ##y
    view.get_by_role("radio", name="guess", exact=True).click()
    view.locator(".hide").click()
    expect(view.locator(".guessed")).to_have_attribute("aria-label", re.compile(r"guess for \[MASK\]"))
    assert live_page.input_value("#sentence") == "She opened the [MASK] and went home."


MOVING = "document.querySelector('#head .result').getAnimations({ subtree: true }).length"


def test_play_goes_on_to_the_end_pauses_and_moves_nothing_where_that_is_not_wanted(live_page):
    live_page.goto(live_page.url.partition("#")[0] + "#view=head&layer=2&step=6")
    view = live_page.locator("#head")
    play, place = view.locator(".play"), view.locator(".place")
    expect(place).to_contain_text("Layer 2")
    play.click()
    expect(place).to_contain_text("step 8 of 13")
    assert live_page.evaluate(MOVING) > 0
    play.click()
    expect(play).to_have_text("Play")
    live_page.emulate_media(reduced_motion="reduce")
    live_page.goto(live_page.url.partition("#")[0] + "#view=head&layer=2&step=11")
    expect(place).to_contain_text("step 12 of 13")
    play.click()
    expect(play).to_have_text("Pause")
    expect(place).to_contain_text("Layer 3")
    expect(place).to_contain_text("step 8 of 13")  # of layers further on only the gist
    assert live_page.evaluate(MOVING) == 0
    view.get_by_role("radio", name="add & norm 2", exact=True).click()
    expect(play).to_have_text("Play")  # who presses something else looks for himself
    play.click()
    expect(place).to_contain_text("step 13 of 13")
    expect(play).to_have_text("Play")


def test_a_head_of_the_heads_view_is_followed_where_it_looks(live_page):
    live_page.goto(live_page.url.partition("#")[0] + "#view=heads&text=The dog saw a cat.&layer=1&head=3&token=3")
    live_page.locator("#heads .said", has_text="saw looks at: dog").wait_for()
    live_page.click("#heads .numbers")
    view = live_page.locator("#head")
    expect(view.locator(".token[aria-checked=true]")).to_have_text(["saw", "saw"])
    expect(view.locator(".place")).to_have_text("Layer 1, head 3: step 2 of 13")
    assert live_page.input_value("#sentence") == "The dog saw a cat."
    link = live_page.locator("#link").get_attribute("href")
    assert {"view=head", "layer=1", "head=3", "token=3", "at=2"} <= set(link.lstrip("#").split("&"))
    live_page.goto(live_page.url.partition("#")[0] + "#view=heads&text=The dog saw a [MASK].&layer=1&head=3")
    expect(live_page.locator("#heads .from [aria-checked=true]")).to_have_text("[MASK]")
    live_page.click("#heads .numbers")
    expect(view.locator(".who [aria-checked=true]")).to_have_text("[MASK]")


LONG = (
    "the old man and the young woman walked slowly along the river, because the bridge near their house was closed "
    "and the [MASK] was late again."
)


def test_layers_and_heads_stay_in_sight_and_one_screen_holds_the_picture(live_page):
    live_page.set_viewport_size({"width": 1280, "height": 800})
    live_page.click("#tab-head")
    view = live_page.locator("#head")
    live_page.fill("#sentence", "She opened the [MASK] and went into the house.")
    guessed = view.locator(".guessed")
    expect(guessed).to_have_attribute("aria-label", re.compile(r"guess for \[MASK\]"))
    for part in (guessed, view.locator(".shows .line")):
        box = part.bounding_box()
        assert box["y"] + box["height"] < 800
    for text in (LONG, f"{LONG} {LONG.replace('[MASK]', 'bus')}"):  # the page scrolls, and then the map itself
        live_page.fill("#sentence", text)
        expect(view.locator(".who .token").last).to_be_attached()
        expect(view.locator(".map")).to_have_class("map long" if len(text) > 200 else "map")
        rows = [view.locator(f"{of} > :nth-child(3)").bounding_box()["y"] for of in (".who", ".shows .names")]
        assert rows[0] == pytest.approx(rows[1], abs=3) or len(text) > 200
        view.locator(".who .token").nth(20).scroll_into_view_if_needed()
        live_page.mouse.wheel(0, 300)
        expect(view.locator(".layer .head").first).to_be_in_viewport()


def test_with_a_finger_heads_of_the_followed_layer_are_large_and_a_frame_keeps_its_height(live_page):
    view, address = (
        live_page.locator("#head"),
        live_page.url.partition("#")[0] + "#view=head&text=The dog [MASK].&layer=3",
    )
    live_page.set_viewport_size({"width": 390, "height": 844})
    live_page.goto(address)
    box = view.locator(".layer.here .head").first.bounding_box()
    assert min(box["width"], box["height"]) >= 28
    assert view.locator(".map").bounding_box()["y"] < view.locator(".shows").bounding_box()["y"]
    live_page.set_viewport_size({"width": 640, "height": 800})
    live_page.goto(f"{address}&inline")
    heights = set()
    for step in view.locator(".track button").all():
        step.click()
        expect(step).to_have_attribute("aria-checked", "true")
        heights.add(live_page.evaluate("document.body.scrollHeight"))
    assert len(heights) == 1
    assert view.locator(".map").bounding_box()["y"] == view.locator(".shows").bounding_box()["y"]
