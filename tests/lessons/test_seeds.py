"""What the notebooks from which this course grew have shown is still shown: each of their topics has its cell."""

import pytest

from bertlab import lessons

# Of each lesson, by a cell, a piece of what the cell says or shows.
TOPICS = {
    "01": """
        embedding-33: table[reading.ids] | embedding-16: MachineLearning | embedding-21: ["[CLS]", *pieces, "[SEP]"]
        embedding-23: batch["attention_mask"] | embedding-75: (2, 14, 256) | embedding-26: of_padding
        embedding-37: token_type_embeddings | embedding-45: same_cls, same_sep | embedding-63: position_embeddings
        embedding-40: tables["segment"] | embedding-50: assert_close(ours, reading.hidden[0]
        embedding-59a: def cosine""",
    "02": """
        pooler-16: 199 | pooler-19: output.last_hidden_state | pooler-19: output.pooler_output
        pooler-22d: tanh(W · h + b) | pooler-22: assert_close(pooled, output.pooler_output
        pooler-24: .unsqueeze(0)""",
    "03": """
        l03-17: BertForPreTraining.from_pretrained | l03-30b: "last layer, river" | l03-48c: PCA
        l03-48d: closest_to_cls""",
    "04": """
        l04-69: AutoModel | l04-08: figures.one_head | l04-35: head_view | l04-37: model_view | l04-48: itself
        l04-45: previous | l04-51: [CLS] | l04-65d: distance | l04-53v: [MASK]""",
    "05": """
        l05-05c: assert | l05-15: max | l05-26: PCA | l05-61: sts | l05-43: accuracy | l05-44: cut
        l05-61s: value_counts(normalize=True) | l05-56: embed = { | l05-58g: in embed.items() | l05-74: sort
        l05-80: dependency distance | l05-62: GloVe""",
    "06": """
        l06-07: pipeline("fill-mask" | l06-11: without""",
}


@pytest.mark.parametrize("number", TOPICS)
def test_each_topic_of_the_first_notebooks_has_its_cell(number):
    (path,) = [path for path in lessons.paths() if path.stem.startswith(number)]
    said = {cell.id: cell.source + str(cell.get("outputs", "")) for cell in lessons.read(path).cells}
    topics = [
        topic.strip().split(": ", 1) for topic in TOPICS[number].replace("\n", " | ").split(" | ") if topic.strip()
    ]
    assert [topic for topic in topics if topic[1] not in said.get(topic[0], "")] == []
