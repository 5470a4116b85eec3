"""The course as pages, written once for all tests that read or open them."""

import pytest


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder that `make site` writes."""
    from bertlab.course.web import site

    folder = tmp_path_factory.mktemp("site")
    site.build(folder)
    return folder
