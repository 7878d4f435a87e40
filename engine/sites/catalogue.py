"""The packaged sites, boards and products: found by their place, read and validated once."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from engine.kernel.documents import Document, read_document
from engine.kernel.errors import BreakfixError
from engine.kernel.names import unknown
from engine.kernel.validation import validate
from engine.sites.model import BoardModel
from engine.sites.product_model import GpuModel, GpuProducts, SwitchModel, SwitchProducts


def site_names() -> list[str]:
    """Names of the packaged sites."""
    return _names("")


def site_document(name: str) -> Document:
    """The packaged site file `name`. Raises BreakfixError with the nearest names if there is none."""
    if name not in site_names():
        raise BreakfixError(unknown("site", name, site_names()), "`breakfix list sites` shows them all.")
    return _read("", name)


@cache
def board(name: str) -> BoardModel | None:
    """The board `name`, or None."""
    return validate(_read("boards", name), BoardModel) if name in board_names() else None


def board_names() -> list[str]:
    """Names of the packaged boards."""
    return _names("boards")


@cache
def gpu_products() -> dict[str, GpuModel]:
    """GPU models by their short name."""
    return validate(_read("products", "gpus"), GpuProducts).gpus


@cache
def switch_products() -> dict[str, SwitchModel]:
    """Switch models by their short name."""
    return validate(_read("products", "switches"), SwitchProducts).switches


def _names(folder: str) -> list[str]:
    place = files("engine.sites").joinpath(folder) if folder else files("engine.sites")
    return sorted(entry.name.removesuffix(".yaml") for entry in place.iterdir() if entry.name.endswith(".yaml"))


def _read(folder: str, name: str) -> Document:
    place = files("engine.sites").joinpath(folder) if folder else files("engine.sites")
    relative = f"engine/sites/{folder + '/' if folder else ''}{name}.yaml"
    return read_document(place.joinpath(f"{name}.yaml").read_text(encoding="utf-8"), relative)
