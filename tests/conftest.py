"""What every test has: a user's home of its own, Hypothesis without a clock, and where the project lies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

PROJECT = Path(__file__).resolve().parent.parent

# A loaded machine must not fail a test, so there is no deadline. `make test` draws the same examples in every run; to
# look for new ones: HYPOTHESIS_PROFILE=explore make test ARGS=tests/engine
settings.register_profile(
    "repeatable", deadline=None, derandomize=True, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", settings.get_profile("repeatable"), derandomize=False, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

# Variables by which a person's own settings would reach into a test.
PERSONAL = ("PYTHONPATH", "PYTHONSTARTUP", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR")


@pytest.fixture(scope="session", autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Points home and the user's folders to an empty one, so that no test reads or writes a person's sessions."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        for kind in ("DATA", "STATE", "CONFIG", "CACHE"):
            patch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
        for name in PERSONAL:
            patch.delenv(name, raising=False)
        yield home


@pytest.fixture(scope="session")
def project() -> Path:
    """The folder that holds pyproject.toml."""
    return PROJECT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference material beside the checkout; tests that read it are skipped where it is absent."""
    folder = PROJECT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("the reference material in ../shared is not here")
    return folder
