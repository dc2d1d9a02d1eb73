"""The files of a release, as `scripts/release` wrote them into the folder $PLANSIFT_RELEASE."""

import os
from pathlib import Path

import pytest
from artefacts import PROCESSORS, Release


@pytest.fixture(scope="session")
def release():
    return Release(Path(os.environ["PLANSIFT_RELEASE"]))


def pytest_generate_tests(metafunc):
    """Runs a test that needs a processor for each one that the release has programs for."""
    if "processor" in metafunc.fixturenames:
        built = Release(Path(os.environ["PLANSIFT_RELEASE"])).processors()
        metafunc.parametrize("processor", [one for one in PROCESSORS if one in built])
