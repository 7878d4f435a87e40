"""`sinfo -t`: state names, also shortened, and which nodes they mean.

Source: SchedMD/slurm 24.11 src/sinfo/opts.c (_node_state_id) and sinfo.c (_filter_out).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.commands.context import Context
from engine.commands.options import UsageError
from engine.commands.slurm._support.node_facts import NodeFacts
from engine.control.slurm.states import Base, Flag

Test = Callable[[NodeFacts], bool]


def _base(base: Base) -> Test:
    return lambda facts: facts.condition.base is base


def _flag(flag: Flag) -> Test:
    return lambda facts: flag in facts.condition.flags


# (names, meaning), tried in this order; a name may be shortened, so `d` is DOWN and `dra` DRAIN.
_STATES: tuple[tuple[tuple[str, ...], Test], ...] = (
    (("unknown", "unk"), _base(Base.UNKNOWN)),
    (("down",), _base(Base.DOWN)),
    (("idle",), _base(Base.IDLE)),
    (("allocated", "alloc"), lambda facts: facts.cpus_allocated > 0),
    (("mixed", "mix"), _base(Base.MIXED)),
    (("future", "futr"), _base(Base.FUTURE)),
    (("blocked", "block"), lambda facts: False),
    (("planned", "plnd"), _flag(Flag.PLANNED)),
    (("drain",), _flag(Flag.DRAIN)),
    (("drained",), lambda facts: facts.condition.drained),
    (("resv", "reserved"), _flag(Flag.RESERVED)),
    (("draining", "drng"), lambda facts: facts.condition.draining),
    (("completing", "comp"), _flag(Flag.COMPLETING)),
    (("no_respond",), _flag(Flag.NOT_RESPONDING)),
    (("powering_down", "powring_dn"), _flag(Flag.POWERING_DOWN)),
    (("powered_down", "powered_dn"), _flag(Flag.POWERED_DOWN)),
    (("power_down", "pow_dn"), _flag(Flag.POWER_DOWN)),
    (("powering_up",), _flag(Flag.POWERING_UP)),
    (("fail",), _flag(Flag.FAIL)),
    (("maint",), _flag(Flag.MAINTENANCE)),
    (("reboot", "boot"), _flag(Flag.REBOOT_REQUESTED)),
    (("reboot^", "boot^"), _flag(Flag.REBOOT_ISSUED)),
    (("cloud",), lambda facts: False),
)
_VALID = (
    "unknown,down,idle,allocated,?,mixed,future,drain,drained,draining,no_respond,reserved,planned,blocked,cloud,completing,"
    "powering_down,powered_down,power_down,powering_up,fail,maint,reboot,reboot^"
)


@dataclass(frozen=True, slots=True)
class StateFilter:
    """Nodes in any of the states, or with `all_of` in all of them; no tests let every node pass."""

    tests: tuple[Test, ...] = ()
    all_of: bool = False

    @classmethod
    def of(cls, ctx: Context, text: str | None) -> StateFilter:
        """What -t asks for. Raises UsageError for a state that there is none of."""
        if text is None or text.lower() == "all":
            return cls()
        tests = []
        for name in text.replace("&", ",").split(","):
            if name:
                tests.append(_test(ctx, name))
        return cls(tuple(tests), "&" in text)

    def matches(self, facts: NodeFacts) -> bool:
        """Whether the node passes."""
        if not self.tests:
            return True
        results = (test(facts) for test in self.tests)
        return all(results) if self.all_of else any(results)


def _test(ctx: Context, name: str) -> Test:
    lowered = name.lower()
    for names, test in _STATES:
        if any(known.startswith(lowered) for known in names):
            return test
    raise UsageError(f'{ctx.name}: error: Bad state string: "{name}"\n{ctx.name}: error: valid states: {_VALID}\n')
