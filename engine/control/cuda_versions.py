"""Which CUDA version a release of the driver speaks (CUDA's release notes, table of driver versions; captures)."""

from __future__ import annotations

_BY_BRANCH = {
    525: "12.0", 530: "12.1", 535: "12.2", 545: "12.3", 550: "12.4", 555: "12.5", 560: "12.6", 565: "12.7", 570: "12.8",
    575: "12.9", 580: "13.0", 590: "13.1", 595: "13.2", 610: "13.3",
}  # fmt: skip


def spoken_by(driver: str) -> str | None:
    """The CUDA version (`13.1`) of a driver (`590.48.01`) or, in between, of the branch below it; None if unknown."""
    branch = driver.partition(".")[0]
    if not branch.isdecimal():
        return None
    return next((_BY_BRANCH[known] for known in sorted(_BY_BRANCH, reverse=True) if known <= int(branch)), None)
