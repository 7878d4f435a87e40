"""Lines that can be run as they are, at a terminal of a session: the examples, filled in for a host."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from engine.commands.command import command_modules, commands_of, installed
from tui.live.command_examples import (
    SHELL_SUMMARIES,
    Example,
    examples,
    is_from_here,
    on_host,
    reason_text,
    topics,
)
from tui.live.hosts_in_use import briefed_host, first_host, named_hosts, recent_hosts, remember_host
from tui.live.live import Live
from tui.live.seat import Seat

_MOST_VALUES = 3
_USUAL_REASON = "under investigation"
_QUOTED = re.compile(r'"[^"]*"')
_PLACEHOLDER = re.compile(r"\{\w+\}")


@dataclass(frozen=True, slots=True)
class ReadyLine:
    """A line that can be run as it is, and the example that it was made of."""

    line: str
    example: Example

    @property
    def about(self) -> str:
        """What it shows or does."""
        return self.example.about

    @property
    def changes(self) -> bool:
        """Whether it changes something."""
        return self.example.changes

    def is_like(self, text: str) -> bool:
        """Whether a line does the same, perhaps to something else."""
        if text == self.line:
            return True
        parts = _PLACEHOLDER.split(self.example.line)
        return len(parts) > 1 and re.fullmatch(".+".join(map(re.escape, parts)), text) is not None

    def begins_like(self, text: str) -> bool:
        """Whether a line begins as this one does, as far as nothing was filled in."""
        before, placeholder, _ = self.example.line.partition("{")
        return text.startswith(before if placeholder else self.line)


class ReadyLines:
    """What can be run from a seat. `target` is the host that the lines are meant for, where they can be."""

    def __init__(self, live: Live, seat: Seat) -> None:
        self.live, self.seat = live, seat
        self.inventory = live.simulation.world.inventory
        self.here = seat.host
        self.target = first_host(live, self.here)
        briefed = briefed_host(live)
        likely = [self.here, *([briefed] if briefed else []), *recent_hosts(live), *self._kinds()]
        self._likely = list(dict.fromkeys(likely))

    def _kinds(self) -> Iterator[str]:
        """One host of each kind that the site has."""
        seen = set()
        for host in self.inventory.host_names:
            pattern = self.inventory.pattern(host)
            if pattern not in seen:
                seen.add(pattern)
                yield host

    # Which host

    def choose(self, host: str) -> None:
        """The lines are for this host, also the next time."""
        self.target = host
        remember_host(self.live, host, self.here)

    def used(self, name: str) -> None:
        """A line of this command was taken: the next ones are likely for the same host."""
        host = self.host_for(name)
        self.choose(host if host != self.here else self.target)

    def host_for(self, name: str) -> str:
        """The host that a command's lines are for: the target, or the likeliest one that has the command."""
        return next((host for host in (self.target, *self._likely) if self._suits(name, host)), self.target)

    def _suits(self, name: str, host: str) -> bool:
        if _family(name) == "slurm":
            return host in self._slurm_nodes
        if is_from_here(name, _family(name)):
            return host != self.here
        return name in SHELL_SUMMARIES or installed(self.inventory, host, name)

    @cached_property
    def _slurm_nodes(self) -> frozenset[str]:
        return frozenset(node for partition in self.inventory.partitions for node in partition.nodes)

    def misfit(self, name: str) -> str:
        """Why a command's lines are for another host than the target; empty where they are for it, or for none."""
        host, family = self.host_for(name), _family(name)
        if host == self.target:
            return ""
        if not is_from_here(name, family):
            why = f"{self.target} has no {name}"
        elif not any(host in one.line for one in self.lines(name)):
            return ""
        else:
            why = f"{self.target} is no Slurm node" if family == "slurm" else f"You are on {self.target}"
        return f"{why}: these lines are for {host}."

    # What there is

    @cached_property
    def topics(self) -> dict[str, list[str]]:
        """Commands that some host of the site has, by topic."""
        known = set(SHELL_SUMMARIES).union(*(commands_of(self.inventory, host) for host in self._kinds()))
        kept = {topic: [name for name in commands if name in known] for topic, commands in topics().items()}
        return {topic: names for topic, names in kept.items() if names}

    def lines(self, name: str) -> list[ReadyLine]:
        """The ready lines of a command, each once, its manual page last."""
        host = self.host_for(name)
        has_gpus = bool(self.inventory.node(host).gpus)
        found = [one for one in examples()[name] if has_gpus or not one.needs_gpus]
        ready = [ReadyLine(line, one) for one in found for line in self._filled(name, one, host)]
        if name not in SHELL_SUMMARIES:
            manual = Example(f"man {name}", "the manual")
            ready.append(ReadyLine(self._placed(name, manual.line, host), manual))
        return list({one.line: one for one in ready}.values())

    def change(self, name: str, text: str) -> str:
        """What a line of a command changes, and where; empty if that is nothing that is known of it."""
        changing = [one for one in self.lines(name) if one.changes]
        alike = [one for one in changing if one.is_like(text)]
        found = next(iter([*alike, *(one for one in changing if one.begins_like(text))]), None)
        if found is None:
            return ""
        said = " ".join(filter(None, ("changes", self._changed(found.example, text))))
        return f"{said}: {found.about}" if alike else said

    def _changed(self, example: Example, text: str) -> str:
        """What a line is done to; empty if it does not name that."""
        named = _QUOTED.sub("", text)
        if "{job}" in example.line:
            return " ".join(f"job {number}" for number in re.findall(r"\b\d+\b", named))
        hosts = ", ".join(named_hosts(named, self.inventory.node_index))
        return hosts or ("" if "{host}" in example.line else self.here)

    def _filled(self, name: str, example: Example, host: str) -> list[str]:
        values: dict[str, Sequence[str]] = {
            "host": [host],
            "job": self._jobs if "{job}" in example.line else [],
            "reason": self._reasons,
            "interface": [address.interface for address in self.inventory.node(host).addresses[:_MOST_VALUES]],
        }
        return [self._placed(name, line, host) for line in example.filled(values)]

    def _placed(self, name: str, line: str, host: str) -> str:
        """The line as it is typed here."""
        if host == self.here or is_from_here(name, _family(name)):
            return line
        return on_host(line, host)

    @cached_property
    def _jobs(self) -> list[str]:
        """Numbers of jobs, as Tab gives them."""
        before = "scancel "
        candidates = self.seat.complete(before, len(before)).candidates
        return [candidate.strip() for candidate in candidates[:_MOST_VALUES]] or ["JOBID"]

    @cached_property
    def _reasons(self) -> list[str]:
        """The latest pins, as they can stand in a line, and words that fit always."""
        pins = [reason_text(pin.text) for pin in reversed(getattr(self.live, "pins", []))]
        return [*dict.fromkeys(pin for pin in pins[:_MOST_VALUES] if pin), _USUAL_REASON]


def _family(name: str) -> str:
    module = command_modules().get(name)
    return module.split(".")[-2] if module else ""
