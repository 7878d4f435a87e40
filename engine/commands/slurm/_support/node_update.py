"""`scontrol update nodename=`, `reboot` and `cancel_reboot`.

Source: SchedMD/slurm 24.11 src/scontrol/update_node.c, reboot_node.c; texts compared with 22.05.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands.slurm._support.session import Session, split, stands_for
from engine.control.slurm.administration import RebootNodes, UpdateNode
from engine.control.slurm.configuration import in_force
from engine.control.slurm.errors import SlurmError
from engine.control.slurm.power_saving import STATES

# Tags in the order in which scontrol tries them: (name, letters it takes, what it sets; "" for what is not modelled).
_TAGS = (
    ("NodeAddr", 5, ""), ("NodeHostName", 5, ""), ("NodeName", 1, "nodes"), ("ActiveFeatures", 3, ""),
    ("CertToken", 1, ""), ("CpuBind", 7, ""), ("Extra", 1, ""), ("Features", 1, ""), ("AvailableFeatures", 3, ""),
    ("Gres", 1, ""), ("InstanceId", 9, ""), ("InstanceType", 9, ""), ("Weight", 1, ""), ("Comment", 2, "comment"),
    ("Reason", 1, "reason"), ("ResumeAfter", 1, ""), ("State", 1, "state"),
)  # fmt: skip

# States in that order: (name, letters, what the controller is asked for).
_STATES = (
    ("NoResp", 3, "NORESP"), ("CANCEL_REBOOT", 3, "CANCEL_REBOOT"), ("DRAIN", 3, "DRAIN"), ("FAIL", 3, "FAIL"),
    ("FUTURE", 3, "FUTURE"), ("RESUME", 3, "RESUME"), ("POWER_DOWN_ASAP", 12, "POWER_DOWN_ASAP"),
    ("POWER_DOWN_FORCE", 12, "POWER_DOWN_FORCE"), ("POWER_DOWN", 7, "POWER_DOWN"), ("POWER_UP", 7, "POWER_UP"),
    ("UNDRAIN", 3, "UNDRAIN"), ("UNKNOWN", 3, "UNKNOWN"), ("DOWN", 3, "DOWN"), ("IDLE", 3, "IDLE"),
    ("ALLOCATED", 3, "ALLOCATED"), ("ERROR", 3, "ERROR"), ("MIXED", 3, "MIXED"),
)  # fmt: skip
_ASKED_FOR = ("NORESP", "CANCEL_REBOOT", "DRAIN", "FAIL", "RESUME", "UNDRAIN", "DOWN", "IDLE", *STATES)
_NEED_REASON = ("DOWN", "DRAIN", "FAIL")


def update_node(session: Session, arguments: Sequence[str]) -> None:
    """Change nodes as `tag=value` arguments say."""
    given: dict[str, str] = {}
    for argument in arguments:
        tag, value = split(argument)
        if value is None:
            session.error(f"Invalid input: {argument}  Request aborted")
            return
        entry = next((entry for entry in _TAGS if stands_for(tag, entry[0], entry[1])), None)
        if entry is None:
            session.refuse(f"Update of this parameter is not supported: {argument}\nRequest aborted")
            return
        if not entry[2]:
            session.gap(f"scontrol update {entry[0]} of a node")
            return
        if entry[2] == "state" and _state(value) is None:
            session.refuse(_bad_state(argument))
            return
        given[entry[2]] = _state(value) or "" if entry[2] == "state" else value
    _send(session, given)


def _send(session: Session, given: dict[str, str]) -> None:
    state, reason = given.get("state", ""), _unquoted(given.get("reason", ""))
    if state in _NEED_REASON and not reason:
        session.refuse("You must specify a reason when DOWNING or DRAINING a node. Request denied")
    elif not given.keys() - {"nodes"}:
        session.refuse("No changes specified")
    elif state == "FUTURE":
        session.gap("scontrol update state=future")
    elif session.reached("slurm_update error"):
        by = session.ctx.identity.name
        refused: SlurmError | None = SlurmError.INVALID_NODE_STATE
        if not state or state in _ASKED_FOR:
            action = UpdateNode(given.get("nodes", ""), by, state, reason, given.get("comment"))
            refused = session.ctx.simulation.apply(action)
        if refused:
            session.failed("slurm_update error", refused)


def _state(text: str) -> str | None:
    return next((asked for name, least, asked in _STATES if stands_for(text, name, least)), None)


def _bad_state(argument: str) -> str:
    return (
        f"Invalid input: {argument}\nRequest aborted\n"
        "Valid states are: NoResp DRAIN FAIL FUTURE RESUME POWER_DOWN POWER_UP UNDRAIN\n"
        "Not all states are valid given a node's prior state"
    )


def _unquoted(text: str) -> str:
    return text.removeprefix('"').removesuffix('"')


def reboot(session: Session, arguments: Sequence[str]) -> None:
    """`reboot [ASAP] [nextstate=RESUME|DOWN] [reason=TEXT] NODES`."""
    words = list(arguments)
    asap, reason, following = False, "", ""
    while words and len(arguments) - len(words) < 3:
        tag, value = split(words[0])
        if tag.lower() == "asap" and value is None:
            asap = True
        elif tag.lower() == "reason" and value is not None:
            reason = value
        elif tag.lower() == "nextstate" and value is not None:
            following = next((name for name in ("DOWN", "RESUME") if value and stands_for(value, name, 1)), "")
            if not following:
                session.refuse(f"Invalid state: {value}\nValid states: DOWN, RESUME" if value else "missing state")
                return
        else:
            break
        if value == "":
            session.refuse("missing reason")
            return
        words.pop(0)
    _send_reboot(session, words, asap, following, reason)


def _send_reboot(session: Session, words: Sequence[str], asap: bool, following: str, reason: str) -> None:
    ctx = session.ctx
    if len(words) != 1:
        many = "too many arguments for keyword:reboot"
        session.refuse(many if words else "Missing node list. Specify ALL|<NodeList>")
        return
    if not in_force(ctx.world).text("RebootProgram"):
        session.error("RebootProgram isn't defined")
        session.failed("scontrol_reboot_nodes error", "Unspecified error")
    elif session.reached("scontrol_reboot_nodes error"):
        refused, skipped = ctx.simulation.apply(RebootNodes(words[0], ctx.identity.name, asap, following, reason))
        if skipped:
            ctx.error(f"Skipping reboot of nodes {','.join(skipped)} due to current node state.")
        if refused:
            session.failed("scontrol_reboot_nodes error", refused)


def cancel_reboot(session: Session, arguments: Sequence[str]) -> None:
    """`cancel_reboot NODES`."""
    if session.reached("slurm_update error"):
        action = UpdateNode(arguments[0], session.ctx.identity.name, "CANCEL_REBOOT")
        if refused := session.ctx.simulation.apply(action):
            session.failed("slurm_update error", refused)
