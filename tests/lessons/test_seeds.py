"""What the notebooks from which this course grew have shown is still shown: each of their topics has its cell."""

import pytest

from bertlab import lessons

TOPICS = {
    "an id is a row": ("01", "embedding-33", "table[reading.ids]"),
    "WordPiece": ("01", "embedding-16", "MachineLearning"),
    "special tokens": ("01", "embedding-21", '["[CLS]", *pieces, "[SEP]"]'),
    "padding and attention mask": ("01", "embedding-23", 'batch["attention_mask"]'),
    "shapes with padding": ("01", "embedding-75", "(2, 14, 256)"),
    "padding gets vectors": ("01", "embedding-26", "of_padding"),
    "the embedding layer and its three tables": ("01", "embedding-37", "token_type_embeddings"),
    "[CLS] and [SEP] in two sentences": ("01", "embedding-45", "same_cls, same_sep"),
    "position rows": ("01", "embedding-63", "position_embeddings"),
    "segment rows": ("01", "embedding-40", 'tables["segment"]'),
    "sum and LayerNorm are the embeddings": ("01", "embedding-50", "assert_close(ours, reading.hidden[0]"),
    "parameters by part": ("02", "pooler-16", "199"),
    "last_hidden_state": ("02", "pooler-19", "output.last_hidden_state"),
    "pooler_output": ("02", "pooler-19", "output.pooler_output"),
    "dense and tanh": ("02", "pooler-22d", "tanh(W · h + b)"),
    "the pooler of [CLS]": ("02", "pooler-22", "assert_close(pooled, output.pooler_output"),
    "the trap of unsqueeze": ("02", "pooler-24", ".unsqueeze(0)"),
    "BertForPreTraining, tokenizer, config": ("03", "l03-17", "BertForPreTraining.from_pretrained"),
    "bank and vault": ("03", "l03-30b", '"last layer, river"'),
    "one sentence on a plane": ("03", "l03-48c", "PCA"),
    "outliers, and who is near [CLS]": ("03", "l03-48d", "closest_to_cls"),
    "attentions from AutoModel": ("04", "l04-69", "AutoModel"),
    "heat map of one head": ("04", "l04-08", "figures.square("),
    "head_view": ("04", "l04-35", "head_view"),
    "model_view": ("04", "l04-37", "model_view"),
    "who looks at itself": ("04", "l04-48", "itself"),
    "who looks at a neighbour": ("04", "l04-45", "previous"),
    "who looks at [CLS]": ("04", "l04-51", "[CLS]"),
    "dependency distance and attention": ("04", "l04-65d", "distance"),
    "[MASK] in the view": ("04", "l04-53v", "[MASK]"),
    "cosine by hand": ("01", "embedding-59a", "def cosine"),
    "a text's vector, its shape tested": ("05", "l05-05c", "assert"),
    "[CLS], mean and maximum": ("05", "l05-15", "max"),
    "both sentences on a plane": ("05", "l05-26", "PCA"),
    "STS-B from a file": ("05", "l05-61", "sts"),
    "from the scale to yes and no": ("05", "l05-43", "accuracy"),
    "what the cut does": ("05", "l05-44", "cut"),
    "downsampling that keeps the distribution": ("05", "l05-61s", "value_counts(normalize=True)"),
    "a registry of models": ("05", "l05-56", "embed = {"),
    "embed and compare": ("05", "l05-58g", "in embed.items()"),
    "edge cases": ("05", "l05-74", "sort"),
    "dependency distance as a cause": ("05", "l05-80", "dependency distance"),
    "static against contextual": ("05", "l05-62", "GloVe"),
    "pipeline": ("06", "l06-07a", 'pipeline("fill-mask"'),
    "with and without the full stop": ("06", "l06-11", "without"),
}


@pytest.mark.parametrize("topic", TOPICS)
def test_each_topic_of_the_first_notebooks_has_its_cell(topic):
    number, cell_id, shown = TOPICS[topic]
    (path,) = [path for path in lessons.paths() if path.stem.startswith(number)]
    (cell,) = [cell for cell in lessons.read(path).cells if cell.id == cell_id]
    assert shown in cell.source + str(cell.get("outputs", ""))
