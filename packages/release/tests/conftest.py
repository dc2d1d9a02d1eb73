"""The files of a release, as `scripts/release` wrote them into the folder $PLANSIFT_RELEASE."""

import os
from pathlib import Path

import pytest
from artefacts import PROCESSORS, Release


@pytest.fixture(scope="session")
def release():
    return Release(Path(os.environ["PLANSIFT_RELEASE"]))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    """On a runner, a test that is left out fails, unless it needs another processor."""
    report = yield
    if report.skipped and os.environ.get("CI") and "processor" not in str(report.longrepr):
        report.outcome = "failed"
    return report


def pytest_generate_tests(metafunc):
    """Runs a test that needs a processor for each one that the release has programs for."""
    if "processor" in metafunc.fixturenames:
        built = Release(Path(os.environ["PLANSIFT_RELEASE"])).processors()
        metafunc.parametrize("processor", [one for one in PROCESSORS if one in built])
