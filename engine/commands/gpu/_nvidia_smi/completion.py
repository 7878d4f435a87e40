"""What Tab offers behind nvidia-smi: subcommands and their options, fields, sections, GPUs, profiles of instances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType

from engine.commands.context import Context
from engine.commands.gpu._nvidia_smi.csv_query import QUERIES
from engine.commands.gpu._nvidia_smi.fields import by_name
from engine.commands.gpu._nvidia_smi.library import look
from engine.commands.gpu._nvidia_smi.report_tree import DISPLAYS
from engine.control.mig.profiles import profiles

_EVERY_RELEASE = 10_000


def complete(
    context: Context, words: Sequence[str], subcommands: Sequence[str], module_of: Callable[[str], ModuleType]
) -> list[str]:
    """What may stand in the place of the last of `words`."""
    last = words[-1] if words else ""
    previous = words[-2] if len(words) > 1 else ""
    name, equals, text = last.partition("=")
    if equals and name.removeprefix("--") in QUERIES:
        fields = by_name(QUERIES[name.removeprefix("--")].fields, _EVERY_RELEASE)
        return _listed(f"{name}=", text, list(fields))
    if previous in ("-d", "--display"):
        return sorted(DISPLAYS)
    if previous in ("-i", "--id"):
        return [str(index) for index, _ in enumerate(look(context))]
    if previous in ("-cgi", "--create-gpu-instance"):
        kinds = {kind.name: kind for gpu in context.node.gpus for kind in profiles(gpu.product)}
        return _listed("", last, list(kinds))
    if len(words) == 1:
        return list(subcommands)
    return _options(module_of(words[0])) if words and words[0] in subcommands else []


def _listed(head: str, text: str, names: Sequence[str]) -> list[str]:
    """Names behind those of a list with commas that are there."""
    before, comma, _ = text.rpartition(",")
    return [f"{head}{before}{comma}{name}" for name in names]


def _options(module: ModuleType) -> list[str]:
    """The names of a subcommand's options that are modelled."""
    switches = getattr(module, "SWITCHES", ())
    return [name for switch in switches if switch.modelled for name in switch.names]
