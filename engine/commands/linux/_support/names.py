"""Host names and addresses as a host resolves them: its /etc/hosts first, then the site's names."""

from __future__ import annotations

import re
from functools import cached_property

from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.control import network


class Resolver:
    """Name look-ups of one command; /etc/hosts is read once."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx

    @cached_property
    def _text(self) -> str:
        return paths.read_or(self.ctx, "/etc/hosts")

    @cached_property
    def lines(self) -> list[list[str]]:
        """/etc/hosts as words: address, canonical name, aliases."""
        return [words for line in self._text.splitlines() if len(words := _words(line)) > 1]

    @cached_property
    def _addresses(self) -> dict[str, str]:
        return {name.lower(): words[0] for words in reversed(self.lines) for name in words[1:]}

    @cached_property
    def _names(self) -> dict[str, str]:
        return {words[0]: words[1] for words in reversed(self.lines)}

    def address_of(self, name: str) -> str | None:
        """The address of a name or address, or None."""
        if name.replace(".", "").isdigit() and name.count(".") == 3:
            return name
        world = self.ctx.world
        if name.lower() == self.ctx.host:
            return network.resolve(world, name)
        return self._addresses.get(name.lower()) or network.resolve(world, name)

    def name_of(self, address: str) -> str | None:
        """The canonical name of an address, or None."""
        known = self._names.get(address)
        if known:
            return known
        return next(
            (entry.names[0] for entry in network.host_entries(self.ctx.world) if entry.address == address), None
        )

    def canonical(self, name: str) -> str:
        """The full name of a host name: the first one in its line."""
        words = self.line_of(name)
        return words[1] if words else name

    def line_of(self, name: str) -> list[str]:
        """The first line with a name, as words; none where there is none. Reads no further than that line."""
        for match in re.finditer(rf"^.*{re.escape(name)}.*$", self._text, re.MULTILINE):
            words = _words(match[0])
            if name in words[1:]:
                return words
        return []

    def owner_of(self, address: str) -> tuple[str, str] | None:
        """(node, bmc or switch; its name) that has an address; what is local is this host."""
        if address.startswith("127.") or address == "::1":
            return "node", self.ctx.host
        return network.owner(self.ctx.world, address)

    def own_address(self) -> str:
        """This host's address on the network that it is known by."""
        return network.resolve(self.ctx.world, self.ctx.host) or "127.0.0.1"


def _words(line: str) -> list[str]:
    return line.partition("#")[0].split()
