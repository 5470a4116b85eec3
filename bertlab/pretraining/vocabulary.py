"""The vocabulary: a lower-cased WordPiece tokenizer with BERT's ids for the special tokens.

WordPiece (Schuster & Nakajima 2012; Devlin et al. 2019) keeps frequent words whole and builds the others
from pieces. In BERT's own vocabulary [PAD] has id 0, then come 99 unused rows, then [UNK] 100, [CLS] 101,
[SEP] 102 and [MASK] 103; the same ids here mean that what a lesson says of them holds for both models.
"""

from collections.abc import Iterable
from pathlib import Path

from tokenizers import BertWordPieceTokenizer
from transformers import BertTokenizer

from bertlab.pretraining.recipe import Preparation

SPECIAL_TOKENS = ["[PAD]", *(f"[unused{i}]" for i in range(99)), "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PAD, UNK, CLS, SEP, MASK = 0, 100, 101, 102, 103
FIRST_WORD = len(SPECIAL_TOKENS)


def train_vocabulary(texts: Iterable[str], preparation: Preparation) -> BertTokenizer:
    """Train a lower-cased WordPiece vocabulary and return its tokenizer.

    Parameters
    ----------
    texts
        Paragraphs or sentences.
    preparation
        Its size and what may be in it; `positions` is stored as the tokenizer's ``model_max_length``.

    Raises
    ------
    ValueError
        If the text is too small for a vocabulary of that size.
    """
    trainer = BertWordPieceTokenizer(lowercase=True)
    trainer.train_from_iterator(
        texts,
        vocab_size=preparation.vocabulary,
        min_frequency=preparation.rarest,
        limit_alphabet=preparation.alphabet,
        special_tokens=SPECIAL_TOKENS,
        show_progress=False,
    )
    if (found := trainer.get_vocab_size()) != preparation.vocabulary:
        raise ValueError(
            f"the text gives a vocabulary of {found} pieces, not {preparation.vocabulary}: use more text or a smaller "
            "size"
        )
    return BertTokenizer(vocab=trainer.get_vocab(), do_lower_case=True, model_max_length=preparation.positions)


def save_vocabulary(tokenizer: BertTokenizer, folder: str | Path) -> None:
    """Write ``tokenizer.json``, ``tokenizer_config.json`` and a readable ``vocab.txt``."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save_pretrained(folder)
    pieces = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece, _ in pieces), encoding="utf-8")
