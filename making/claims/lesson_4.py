"""The claims of lesson 4 once more, without bertlab: ``python making/claims/lesson_4.py MODEL``."""

import sys

import numpy as np
import pandas as pd
import torch
from base import DATA, lead, read
from transformers import BertForPreTraining

bert = read(sys.argv[1])
model, tokenizer = bert
layers, heads = model.config.num_hidden_layers, model.config.num_attention_heads
size = model.config.hidden_size // heads
texts = pd.read_csv(DATA / "short_texts.csv")
sentences = texts["sentence"].tolist()


def attention(text: str, of: BertForPreTraining = model) -> torch.Tensor:
    """Return the weights of all heads, (layers, heads, tokens, tokens)."""
    with torch.no_grad():
        return torch.cat(of.bert(**tokenizer(text, return_tensors="pt"), output_attentions=True).attentions)


def without(switched_off: list[tuple[int, int]]) -> list:
    """Set heads to zero until each of the returned hooks is removed."""

    def hook(_module: torch.nn.Module, given: tuple[torch.Tensor], head: int) -> tuple[torch.Tensor]:
        joined = given[0].clone()
        joined[..., head * size : (head + 1) * size] = 0
        return (joined,)

    return [
        model.bert.encoder.layer[layer].attention.output.dense.register_forward_pre_hook(
            lambda module, given, head=head: hook(module, given, head)
        )
        for layer, head in switched_off
    ]


def neighbours(of: BertForPreTraining = model) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the mean weight of each head on the previous piece and on the next, [CLS] and [SEP] left out."""
    before, after = [], []
    for weights in (attention(sentence, of) for sentence in sentences):
        at = torch.arange(2, weights.shape[-1] - 1)
        before.append(weights[:, :, at, at - 1])
        after.append(weights[:, :, at - 1, at])
    return torch.cat(before, dim=-1).mean(dim=-1), torch.cat(after, dim=-1).mean(dim=-1)


on_previous, on_next = neighbours()
next_door = [divmod(int(i), heads) for i in (torch.maximum(on_previous, on_next) > 0.5).flatten().nonzero()]
clear = divmod(int(on_previous.argmax()), heads)
print(f"previous piece: head {clear[1]} of layer {clear[0]} {on_previous.max():.3f}")
print("  twins", [round(neighbours(read(sys.argv[1], seed).model)[0].max().item(), 3) for seed in range(3)])
print("  heads with more than half of their weight on a neighbour:", next_door)

# Grammar: the word that a head looks at most, from an article to its noun, and from an object to its verb.
arcs, trees = [], (DATA / "trees.conllu").read_text("utf8").strip().split("\n\n")
for number, tree in enumerate(trees):
    lines = tree.splitlines()
    text = next(line.removeprefix("# text = ") for line in lines if line.startswith("# text = "))
    words = [line.split("\t") for line in lines if not line.startswith("#")]
    ends, end = [], 0
    for word in words:
        begin = text.index(word[1], end)
        end = begin + len(word[1])
        ends.append((begin, end))
    offsets = tokenizer(text, return_offsets_mapping=True)["offset_mapping"]
    onto = torch.tensor([[float(a <= x < y <= b) for a, b in ends] for x, y in offsets])  # (tokens, words)
    weights = (onto / onto.sum(dim=0)).T @ attention(text) @ onto
    looks = (weights - 2 * torch.eye(len(words))).argmax(dim=-1)
    for place, word in enumerate(words):
        if word[7] in ("det", "obj"):
            goal, classes = int(word[6]) - 1, [other[3] for other in words]
            side = range(place + 1, len(words)) if word[7] == "det" else range(place - 1, -1, -1)
            wanted = "NOUN" if word[7] == "det" else "VERB"
            nearest = next((other for other in side if classes[other] == wanted), None)
            right = (looks[:, :, place].flatten() == goal).numpy()
            arcs.append((word[7], number, right, goal - place, nearest == goal))
for relation in ("det", "obj"):
    groups, hits, offset, nearest = (np.array([arc[i] for arc in arcs if arc[0] == relation]) for i in range(1, 5))
    best = np.array([hits[groups % 2 != half].mean(axis=0).argmax() for half in (0, 1)])  # on the other half
    head = hits[np.arange(len(hits)), best[groups % 2]]
    common = np.bincount(offset - offset.min()).argmax() + offset.min()
    chosen = [divmod(int(i), heads) for i in best]
    print(f"{relation}: {head.sum()} of {len(head)}, {len(set(groups))} sentences, heads {chosen}")
    print(f"  offset {common}: {(offset == common).sum()}; {lead(head, offset == common, groups)}")
    print(f"  nearest noun or verb: {nearest.sum()}; {lead(head, nearest, groups)}")

# Without a head: the loss on each piece of every second sentence, hidden.
half = texts[::2]
copies = [
    (row.topic, ids, place)
    for row in half.itertuples()
    for ids in [tokenizer(row.sentence).input_ids]
    for place in range(1, len(ids) - 1)
]
of_topic = [topic for topic, _, _ in copies]


@torch.no_grad()
def losses() -> np.ndarray:
    """Return the loss on each hidden piece."""
    found = []
    for start in range(0, len(copies), 128):
        part = copies[start : start + 128]
        hidden = [
            [tokenizer.mask_token_id if i == place else one for i, one in enumerate(ids)] for _, ids, place in part
        ]
        given = tokenizer.pad({"input_ids": hidden}, return_tensors="pt")
        last = model.bert(**given).last_hidden_state[range(len(part)), [place for *_, place in part]]
        answers = torch.tensor([ids[place] for _, ids, place in part])
        found.append(torch.nn.functional.cross_entropy(model.cls.predictions(last), answers, reduction="none"))
    return torch.cat(found).numpy()


whole, rises = losses(), {}
for one in [(layer, number) for layer in range(layers) for number in range(heads)]:
    hooks = without([one])
    rises[one] = losses() - whole
    for hook in hooks:
        hook.remove()
first, second = sorted(rises, key=lambda one: -rises[one].mean())[:2]
print(
    f"loss {whole.mean():.2f}; without {first} +{rises[first].mean():.2f}, without {second} +{rises[second].mean():.2f}"
)
print("  above no change (nats, not of 100)", lead(rises[first], 0 * whole, of_topic))
print("  above the next (nats, not of 100)", lead(rises[first], rises[second], of_topic))

# Without a layer's heads: does the true follower win against those of every fifth other text?
stories = [sentences[i : i + 5] for i in range(0, len(sentences), 5)]
follow, unrelated, of_text = [], [], []
for number, story in enumerate(stories):
    far = [stories[number - back] for back in range(4, len(stories), 5)]
    for nth in range(4):
        follow.append((story[nth], story[nth + 1]))
        unrelated += [(story[nth], other[nth + 1]) for other in far]
        of_text += [number] * len(far)


@torch.no_grad()
def wins() -> np.ndarray:
    """Return in which choices the true follower has the higher probability of being next."""
    next_to = []
    for pairs in (follow, unrelated):
        given = tokenizer(*map(list, zip(*pairs, strict=True)), padding=True, return_tensors="pt")
        scores = model.cls.seq_relationship(model.bert(**given).pooler_output)
        next_to.append(scores.softmax(dim=-1)[:, 0].numpy())
    return np.repeat(next_to[0], len(unrelated) // len(follow)) > next_to[1]


with_all = wins()
print(f"true followers: {with_all.sum()} of {len(with_all)}")
every = [(layer, number) for layer in range(layers) for number in range(heads)]
sets = {f"layer {layer}": [one for one in every if one[0] == layer] for layer in range(layers)}
sets |= {"heads next door": next_door, "all others": [one for one in every if one not in next_door]}
for name, switched_off in sets.items():
    hooks = without(switched_off)
    off, loss = wins(), losses().mean()
    for hook in hooks:
        hook.remove()
    print(f"  without {name}: {off.sum()}, loss {loss:.2f}; all heads beside it: {lead(with_all, off, of_text)}")
