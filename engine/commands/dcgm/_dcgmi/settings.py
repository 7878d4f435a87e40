"""`dcgmi set`: the host engine's logging severity. Texts: dcgmi/DcgmiSettings.cpp of DCGM 4.4.2.

It logs no more for it.
"""

from __future__ import annotations

from engine.commands.dcgm._dcgmi.arguments import HOST, JSON, Argument, Parsed, Subsystem, failure
from engine.commands.dcgm._dcgmi.client import OK, Client, Return

SUBSYSTEM = Subsystem(
    "set",
    "sets what the host engine logs.",
    (
        HOST,
        JSON,
        Argument("", "logging-severity", "targetSeverity", "NONE, FATAL, ERROR, WARN, INFO, DEBUG or VERB"),
        Argument("", "target-logger", "targetLogger", "BASE or SYSLOG [default = BASE]"),
    ),
)
_SEVERITIES = frozenset({"NONE", "FATAL", "ERROR", "WARN", "WARNING", "INFO", "DEBUG", "VERB", "VERBOSE"})


def check(parsed: Parsed) -> None:
    """Raises Ended for options that do not fit."""
    if "logging-severity" not in parsed:
        raise failure(SUBSYSTEM, "Required argument missing: logging-severity", None)


def run(client: Client, parsed: Parsed) -> int:
    """Take the severity."""
    if parsed.text("logging-severity").upper() not in _SEVERITIES:
        raise Return.BAD_PARAMETER.ends("Error: Invalid severity string\n")
    if parsed.text("target-logger", "BASE").upper() not in ("BASE", "SYSLOG"):
        raise Return.BAD_PARAMETER.ends("Error: Invalid logger string\n")
    return OK
