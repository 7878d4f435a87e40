"""bash's `ulimit`, of which the shell's prologue keeps the state: `__ulimit STATE [option...] [value]`.

STATE is what the shell was given when it began, or what an earlier `ulimit` left. It is empty in a shell that is no
login's: then its own count, those of a job's processes below slurmd, else those of a login of its user (ssh and sudo
run pam_limits). What was set holds in the shell and its subshells, not in another bash that it starts. The answer
begins with `=` and the new state if something was set; else it is what to print. Texts and options of bash 5.2
(ulimit.def).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.commands.context import Context
from engine.control.containers.inside import container
from engine.control.limits import RESOURCES, Limit, Limits, Resource, of_login, of_unit
from engine.world.world import World

_USAGE = "ulimit: usage: ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]"
_KNOWN = {resource.letter: resource for resource in RESOURCES}
_UNKNOWN_HERE = "bkPT"  # options of systems other than Linux
_UNLIMITED = "unlimited"


def state_of_login(world: World, host: str, user: str) -> str:
    """The state of a shell that begins now."""
    return _text(of_login(world, host, user))


def run(ctx: Context) -> int:
    """Answer one `ulimit` of a shell that keeps its state."""
    state, *words = ctx.arguments
    return _answer(ctx, _read(state) if state else dict(_at_start(ctx)), words)


def run_without_state(ctx: Context) -> int:
    """`ulimit` of a bash that another bash runs (`bash -c`): it begins with the host's limits, and keeps nothing."""
    words = list(ctx.arguments)
    if _options(words)[1]:
        return ctx.not_modelled("setting a limit in a bash below another")
    return _answer(ctx, dict(_at_start(ctx)), words)


def _answer(ctx: Context, limits: dict[str, Limit], words: list[str]) -> int:
    letters, rest = _options(words)
    for letter in letters:
        if letter not in _KNOWN and letter not in "SHa":
            return _refuse(ctx, f"-{letter}: invalid option", 2, usage=letter not in _UNKNOWN_HERE)
    chosen = [_KNOWN[letter] for letter in letters if letter in _KNOWN] or [_KNOWN["f"]]
    if "a" in letters:
        ctx.line("\n".join(_rows(RESOURCES, limits, hard="H" in letters)))
    elif not rest:
        single = len(chosen) == 1
        ctx.line(
            _shown(limits, chosen[0], "H" in letters) if single else "\n".join(_rows(chosen, limits, "H" in letters))
        )
    else:
        return _set(ctx, limits, chosen[-1], rest[0], letters)
    return 0


def _at_start(ctx: Context) -> Limits:
    """The limits of a shell that is no login's; in a container of Docker those of dockerd, with its own of memory."""
    inside = container(ctx.world, ctx.host, ctx.environment)
    if inside is not None and inside.engine == "docker":
        return {**of_unit(ctx.world, ctx.host, "docker.service"), "l": Limit.both(inside.memory_lock)}
    if "SLURM_JOB_ID" in ctx.environment:
        return of_unit(ctx.world, ctx.host, "slurmd.service")
    return of_login(ctx.world, ctx.host, ctx.place.identity.name)


def _options(words: list[str]) -> tuple[str, list[str]]:
    """The letters of the options, and what follows them."""
    for index, word in enumerate(words):
        if word == "--":
            return "".join(words[:index]).replace("-", ""), words[index + 1 :]
        if not word.startswith("-") or word == "-":
            return "".join(words[:index]).replace("-", ""), words[index:]
    return "".join(words).replace("-", ""), []


def _set(ctx: Context, limits: dict[str, Limit], resource: Resource, word: str, letters: str) -> int:
    """Set a limit: both sides unless -S or -H says which. Only root raises a hard one."""
    now = limits[resource.letter]
    words = {"soft": now.soft, "hard": now.hard, _UNLIMITED: None}
    if word not in words and not word.isdigit():
        return _refuse(ctx, f"{word}: invalid number", 1)
    value = words[word] if word in words else int(word)
    if resource.letter == "p":
        return _refuse(ctx, f"{resource.name}: cannot modify limit: Invalid argument", 1)
    sides = [side for letter, side in (("S", "soft"), ("H", "hard")) if letter in letters] or ["soft", "hard"]
    wanted = replace(now, **dict.fromkeys(sides, value))
    if _above(wanted.soft, wanted.hard):
        return _refuse(ctx, f"{resource.name}: cannot modify limit: Invalid argument", 1)
    if _above(wanted.hard, now.hard) and ctx.place.identity.uid != 0:
        return _refuse(ctx, f"{resource.name}: cannot modify limit: Operation not permitted", 1)
    ctx.line(f"={_text({**limits, resource.letter: wanted})}")
    return 0


def _above(one: int | None, other: int | None) -> bool:
    """Whether a limit is higher than another."""
    return other is not None and (one is None or one > other)


def _refuse(ctx: Context, text: str, status: int, *, usage: bool = False) -> int:
    ctx.error(f"bash: line 0: ulimit: {text}")
    if usage:
        ctx.error(_USAGE)
    return status


def _rows(resources: tuple[Resource, ...] | list[Resource], limits: Limits, hard: bool) -> Iterator[str]:
    for resource in resources:
        about = f"({resource.unit}, -{resource.letter})" if resource.unit else f"(-{resource.letter})"
        yield f"{resource.name:<20}{about:>20} {_shown(limits, resource, hard)}"


def _shown(limits: Limits, resource: Resource, hard: bool) -> str:
    limit = limits[resource.letter]
    return _word(limit.hard if hard else limit.soft)


def _word(value: int | None) -> str:
    return _UNLIMITED if value is None else str(value)


def _text(limits: Limits) -> str:
    return ",".join(f"{letter}:{_word(limit.soft)}:{_word(limit.hard)}" for letter, limit in limits.items())


def _read(state: str) -> dict[str, Limit]:
    """The limits that a state tells."""
    fields = (entry.split(":") for entry in state.split(","))
    return {letter: Limit(*(None if word == _UNLIMITED else int(word) for word in sides)) for letter, *sides in fields}
