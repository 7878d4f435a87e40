"""What modprobe is told by /etc/modprobe.d/*.conf: blacklists, options and install commands (modprobe.d(5)).

`blacklist` keeps a module from being loaded for the device that asks for it, not from being loaded by its name or
because another module uses it; `install NAME /bin/false` (or /bin/true) keeps it out in every way. Read in the order of
the files' names. Not read: aliases, softdeps, remove commands and install commands that do anything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from engine.control import files
from engine.kernel.quick_dataclass import dataclass
from engine.world.inventory import Node
from engine.world.world import World

FOLDER = "/etc/modprobe.d/"
LOAD_FOLDER = "/etc/modules-load.d/"
NOUVEAU_FILE = f"{FOLDER}blacklist-nouveau.conf"
PEERMEM_FILE = f"{LOAD_FOLDER}nvidia-peermem.conf"
_DRIVER_FILES: Mapping[str, str] = MappingProxyType(
    {
        NOUVEAU_FILE: "blacklist nouveau\noptions nouveau modeset=0\n",
        f"{FOLDER}nvidia-graphics-drivers-kms.conf": (
            "options nvidia_drm modeset=1\noptions nvidia NVreg_PreserveVideoMemoryAllocations=0\n"
        ),
        PEERMEM_FILE: "nvidia-peermem\n",
    }
)
"""What the image of a GPU node has."""


def default_files(node: Node) -> Mapping[str, str]:
    """The settings that a node's image comes with, by path."""
    return _DRIVER_FILES if node.gpus else MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Settings:
    """`blacklisted` modules, `blocked` ones with the command that stands in their place, `options` by module."""

    blacklisted: tuple[str, ...]
    blocked: Mapping[str, str]
    options: Mapping[str, tuple[tuple[str, str], ...]]


def settings(world: World, host: str) -> Settings:
    """What the files say now."""
    return parse(text(world, host))


def text(world: World, host: str) -> str:
    """All settings that count, one file after the other, each below its path as a remark."""
    return _joined(files_below(world, host, FOLDER, ".conf"))


def default_text(node: Node) -> str:
    """The same for a node as its image came."""
    default = default_files(node)
    return _joined({path: default[path] for path in sorted(default) if path.startswith(FOLDER)})


def paths_in(content: str) -> list[str]:
    """The files from which such a text was made."""
    return [line.removeprefix("# ") for line in content.splitlines() if line.startswith("# /")]


def default_options(node: Node, module: str) -> dict[str, str]:
    """What a module is given by the files of the image."""
    return dict(parse(default_text(node)).options.get(module, ()))


def named_to_load(world: World, host: str) -> list[str]:
    """Modules that /etc/modules-load.d names."""
    return list(_lines(files_below(world, host, LOAD_FOLDER, ".conf").values()))


def files_below(
    world: World, host: str, folder: str, suffix: str, default: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The files of a folder (which ends with a slash) by path, as they stand, in the order of their names."""
    known = default_files(world.node(host)) if default is None else default
    written = world.files[host].files
    paths = {path for path in (*known, *written) if path.startswith(folder) and path.endswith(suffix)}
    found = {path: files.text(world, host, path, known.get(path, "")) for path in sorted(paths)}
    return {path: content for path, content in found.items() if content}


def parse(content: str) -> Settings:
    """Settings from the text of configuration files."""
    blacklisted: dict[str, None] = {}
    blocked: dict[str, str] = {}
    options: dict[str, dict[str, str]] = {}
    for line in _lines([content]):
        words = line.split()
        verb, name, rest = words[0], words[1].replace("-", "_") if len(words) > 1 else "", words[2:]
        if verb == "blacklist":
            blacklisted[name] = None
        elif verb == "install" and rest and rest[0] in ("/bin/false", "/bin/true", "/usr/bin/false", "/usr/bin/true"):
            blocked[name] = rest[0]
        elif verb == "options":
            pairs = (word.partition("=") for word in rest)
            options.setdefault(name, {}).update({key: value for key, _, value in pairs})
    given = {name: tuple(sorted(values.items())) for name, values in options.items()}
    return Settings(tuple(blacklisted), MappingProxyType(blocked), MappingProxyType(given))


def _joined(texts: Mapping[str, str]) -> str:
    return "".join(f"# {path}\n" + "".join(f"{line}\n" for line in _lines([texts[path]])) for path in texts)


def _lines(contents: Iterable[str]) -> Iterable[str]:
    for content in contents:
        for line in content.splitlines():
            if line.strip() and not line.lstrip().startswith("#"):
                yield line.strip()
