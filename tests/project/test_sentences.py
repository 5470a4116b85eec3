"""What the lessons can say stands in one file, as it is said today."""

from sentences import FILE, all_said


def test_the_file_of_sentences_is_what_the_code_says():
    assert FILE.read_text(encoding="utf-8") == all_said(), "cd tests && python -m sentences; then read the difference"
