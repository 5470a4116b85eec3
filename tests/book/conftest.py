"""The book, built once for all tests that look at it."""

import pytest

from bertlab_teaching.book.build import build


@pytest.fixture(scope="session")
def book(tmp_path_factory):
    """The folder that `make site` writes, of a repository that has no address."""
    folder = tmp_path_factory.mktemp("book")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("BERTLAB_REPOSITORY", raising=False)
        build(folder)
    return folder
