"""What a sandbox is opened with: site, seed, faults and settings, from the command line or from a journal's header."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.kernel.errors import BreakfixError
from engine.kernel.simulation import Simulation
from engine.shell.play import Play, Writer
from engine.shell.scheduler import Pace
from engine.world.inventory import Inventory
from engine.world.world import World

DEFAULT_SITE = "dgx-h100-4"
_SEED_LIMIT = 2**63
_FILES = (".yaml", ".yml", ".net", ".txt", ".topo")


@dataclass(frozen=True)
class Opening:
    """A sandbox before it is one. `faults` are `--fault` texts, `settings` `--set` values."""

    site: str
    seed: int
    faults: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    host: str | None = None
    user: str | None = None

    def play(self, pace: Pace | None = None, write: Writer | None = None) -> Play:
        """The site's simulation with the faults injected, ready for a terminal."""
        simulation = self._site()
        if self.faults:
            from engine.faults.fault import parse_fault

            for text in self.faults:
                simulation.apply(parse_fault(text))
        return Play(simulation, pace, write)

    def check(self) -> None:
        """Raises BreakfixError for a sandbox that cannot be opened."""
        self.login(self.play().simulation.world.inventory)

    def _site(self) -> Simulation[World]:
        """A packaged site by its name, or the one in a file, or the fabric of a netlist (`.net`, `.txt`, `.topo`)."""
        from engine.simulation import open_document, open_site

        if "/" not in self.site and not self.site.endswith(_FILES):
            return open_site(self.site, self.seed, dict(self.settings))
        return open_document(file_bytes(self.site), self.site, self.seed, dict(self.settings))

    def login(self, inventory: Inventory) -> tuple[str, str]:
        """Host and user of the first login. Raises BreakfixError for unknown ones."""
        from engine.control.accounts import identity

        host = self.host or inventory.login_host
        inventory.node(host)
        return host, identity(inventory, self.user or inventory.learner).name

    def header(self) -> dict[str, Any]:
        """As it stands in a journal."""
        return {
            "kind": "sandbox",
            "site": self.site,
            "seed": self.seed,
            "faults": list(self.faults),
            "settings": dict(self.settings),
            "host": self.host,
            "user": self.user,
        }

    @classmethod
    def of(cls, header: dict[str, Any]) -> Opening:
        """The sandbox that a journal's header describes. Raises BreakfixError for one that is damaged."""
        try:
            return cls(
                str(header["site"]),
                int(header["seed"]),
                tuple(map(str, header.get("faults", ()))),
                tuple((str(path), str(value)) for path, value in dict(header.get("settings", {})).items()),
                header.get("host"),
                header.get("user"),
            )
        except (KeyError, TypeError, ValueError):
            raise BreakfixError("the session's header is damaged", "Delete the file to begin a new one.") from None


def file_bytes(path: str) -> bytes:
    """What a file of the learner's holds. Raises BreakfixError where it can't be read."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise BreakfixError(f"the file {path} can't be read: {error.strerror}") from None


def add_opening_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that say which world to open."""
    parser.add_argument(
        "--site",
        default=DEFAULT_SITE,
        help=f"which site (default {DEFAULT_SITE}; `breakfix list sites`), a site file, or a netlist of ibnetdiscover",
    )
    parser.add_argument("--seed", default="1", help="the seed of everything that chance decides (default 1)")
    parser.add_argument("--host", help="log in on this host (default: the site's login host)")
    parser.add_argument("--user", help="log in as this user (default: the site's learner)")
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="'ID target=... param=...'",
        help="inject a fault (`breakfix list faults`); repeatable",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="PATH=VALUE",
        dest="settings",
        help="change a site fact, such as software.slurm=22.05",
    )


def opening_from(arguments: argparse.Namespace) -> Opening:
    """What the options say. Raises BreakfixError for values that can't be."""
    settings = []
    for text in arguments.settings:
        path, equals, value = text.partition("=")
        if not equals or not path:
            raise BreakfixError(f"--set {text}: not PATH=VALUE", "Write it like --set software.slurm=22.05.")
        settings.append((path, value))
    return Opening(
        arguments.site,
        parse_seed(arguments.seed),
        tuple(arguments.fault),
        tuple(settings),
        arguments.host,
        arguments.user,
    )


def parse_seed(text: str) -> int:
    """A seed from the command line. Raises BreakfixError for anything but a whole number from 0 on."""
    if not text.isascii() or not text.isdigit() or int(text[:30]) >= _SEED_LIMIT:
        raise BreakfixError(f"--seed {text[:40]}: not a whole number from 0 to {_SEED_LIMIT - 1}")
    return int(text)
