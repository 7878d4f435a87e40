"""Judges traced calls by the rules: what a process did that it must not, in words."""

from __future__ import annotations

import re
from pathlib import Path

from tests.hostile.strace_rules import FORBIDDEN, HARMLESS, LOOKING, OPENING, SIGNALS, Rules, leads_to, permits
from tests.hostile.strace_trace import Call, parse_call

WRITE_FLAGS = re.compile(r"\bO_(WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)\b")


def open_breach(call: Call, rules: Rules) -> str | None:
    target = call.opened or (call.paths[0] if call.paths else "?")
    if WRITE_FLAGS.search(call.text) and not permits(rules.writable, target):
        return f"opens for writing {target}"
    if not permits(rules.readable + rules.writable, target):
        return f"tries to open {target}" if call.failed else f"reads {target}"
    return None


def look_breach(call: Call, rules: Rules) -> str | None:
    everything = rules.readable + rules.writable + rules.looked_for
    for path in call.paths:
        if not permits(everything, path) and not leads_to(everything, path):
            return f"looks at {path}"
    return None


def process_breach(call: Call, own_pids: set[str]) -> str | None:
    """Breaches by calls that are fine with the right arguments: threads, local socket pairs, signals to oneself."""
    if call.name in ("clone", "clone3"):
        return None if "CLONE_THREAD" in call.text else "starts a process"
    if call.name == "socket":
        return None if "(AF_UNIX," in call.text else f"opens a socket: {call.text}"
    target = re.match(r"\w+\((-?\d+)", call.text)
    return None if target and target.group(1) in own_pids else f"signals another process: {call.text}"


def breach_of(call: Call, rules: Rules, own_pids: set[str]) -> str | None:
    """What is wrong with a call, or None. A call that no table knows and that names a path counts as a change."""
    if call.name in FORBIDDEN:
        return f"{FORBIDDEN[call.name]}: {call.text}"
    if call.name in SIGNALS or call.name in ("clone", "clone3", "socket"):
        return process_breach(call, own_pids)
    if call.name in OPENING:
        return open_breach(call, rules)
    if call.name in LOOKING:
        return look_breach(call, rules)
    if call.name not in HARMLESS:
        changed = [path for path in call.paths if not permits(rules.writable, path)]
        return f"changes {', '.join(changed)} ({call.name})" if changed else None
    return None


def own_start(call: Call, rules: Rules) -> bool:
    """The execve by which strace starts the program itself."""
    return call.name == "execve" and call.paths == (rules.program,)


def breaches_in(traces: list[Path], rules: Rules) -> list[str]:
    """What is wrong in the traces of a process and its threads, each thing once."""
    own_pids = {path.suffix[1:] for path in traces}
    found: dict[str, None] = {}
    started = False
    for path in traces:
        for line in path.read_text("latin-1").splitlines():
            call = parse_call(line, rules.folder, own_pids)
            if call is None:
                continue
            if own_start(call, rules) and not started:
                started = True
                continue
            breach = breach_of(call, rules, own_pids)
            if breach:
                found[breach] = None
    return list(found) if started else ["the program did not start", *found]
