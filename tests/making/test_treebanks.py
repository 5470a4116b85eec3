"""Sentences of a treebank are selected by length, once each, and not if they were read in training."""

from bertlab import data
from treebanks import plain, select

ROW = "{}\t{}\t_\t{}\t_\t_\t_\t_\t_\t_"
READ = "The old man by the sea mends a long net, and waits.\nWe say it again!\n"
TEXTS = {
    "kept": "I don't go there.",
    "twice": "I don't go there.",
    "short": "No!",
    "shares eight words": "Here the old man by the sea mends a net.",
    "shares seven words": "Old man by the sea mends a boat.",
    "read as a whole": "We say it again?",
    "part of what was read": "And waits for us.",
}


def test_what_stays_and_what_goes(tmp_path, monkeypatch, capsys):
    blocks = []
    for name, text in TEXTS.items():
        words = text.replace("n't", " n't").replace(".", " .").replace("!", " !").replace("?", " ?").split()
        rows = [ROW.format(number, word, "X") for number, word in enumerate(words, start=1)]
        rows = [ROW.format("1-2", "both", "_"), *rows, ROW.format("9.1", "", "X")]  # several words, an empty node
        blocks.append(
            "\n".join([f"# sent_id = {name}", "# newpar", f"# text = {text}", *rows, ROW.format("9.1", "", "X")])
        )
    (tmp_path / "bank.conllu").write_text("\n\n".join(blocks) + "\n\n", "utf-8")
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "books.txt").write_text(READ, "utf-8")
    select(tmp_path / "bank.conllu", tmp_path / "mine.csv", tmp_path / "corpus")
    assert capsys.readouterr().out == (
        "3 sentences, 20 words; {'stands there already': 1, 'too short or too long': 1, 'read in training': 2}\n"
    )
    monkeypatch.setattr(data, "__file__", str(tmp_path / "__init__.py"))
    table = data.read("mine")
    assert table["source"].tolist() == ["kept", "shares seven words", "part of what was read"]
    assert table.iloc[0].tolist() == ["kept", "I don't go there.", "I do n't go there .", "X X X X X X"]


def test_signs_case_and_apostrophes_do_not_count():
    assert plain("DON’T go_there, 2nd-hand!") == ["dont", "go", "there", "2nd", "hand"]
