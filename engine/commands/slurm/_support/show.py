"""`scontrol show ENTITY [ID]`: what each entity prints.

Source: SchedMD/slurm 24.11 src/scontrol/scontrol.c (_show_it), info_node.c, info_part.c, info_job.c; compared with
22.05.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.commands.slurm._support.client import reach
from engine.commands.slurm._support.config_text import config_text
from engine.commands.slurm._support.job_facts import JobFacts
from engine.commands.slurm._support.job_text import job_text, step_text
from engine.commands.slurm._support.node_facts import NodeFacts
from engine.commands.slurm._support.records_text import node_text, partition_text
from engine.commands.slurm._support.reservation_text import reservation_text
from engine.commands.slurm._support.session import QUIET, Session, split, stands_for
from engine.control import service_state
from engine.control.slurm import arrays, charge, contact, jobs, topology
from engine.control.slurm.configuration import in_force
from engine.control.slurm.errors import SlurmError
from engine.control.slurm.jobs import is_operator
from engine.control.slurm.nodes import survey
from engine.control.slurm.numbers import whole
from engine.control.slurm.times import full_time
from engine.kernel.errors import BreakfixError
from engine.kernel.hostlist import expand, fold
from engine.kernel.units import SECOND
from engine.world.records import Job, JobStep

Show = Callable[[Session, str | None], None]


def show(session: Session, arguments: Sequence[str]) -> None:
    """`show` with the words that follow it."""
    if not arguments or len(arguments) > 2:
        session.complain(f"too {'many' if arguments else 'few'} arguments for keyword:show")
        return
    tag, value = split(arguments[0])
    if value is None and len(arguments) == 2:
        value = arguments[1]
    for name, least, function in _ENTITIES:
        if stands_for(tag, name, least):
            function(session, value)
            return
    session.complain(f"invalid entity:{arguments[0]} for keyword:show ")


def ping(session: Session) -> None:
    """Which slurmctld answers; root is reminded of what to do where one does not."""
    ctx = session.ctx
    reached = reach(ctx) in (None, SlurmError.CONNECTION) and contact.listens_there(ctx.world, ctx.host)
    controllers = charge.hosts(ctx.world) or (charge.primary(ctx.world),)
    up = [reached and service_state.is_active(ctx.world, host, charge.SLURMCTLD) for host in controllers]
    session.status = 0 if any(up) else 1
    for number, (host, answers) in enumerate(zip(controllers, up, strict=True)):
        word = "primary" if not number else "backup" if len(controllers) == 2 else f"backup{number}"
        ctx.line(f"Slurmctld({word}) at {host} is {'UP' if answers else 'DOWN'}")
    if not all(up) and ctx.is_root:
        frame = "*" * 41
        ctx.write(f"{frame}\n** RESTORE SLURMCTLD DAEMON TO SERVICE **\n{frame}\n")


def print_hosts(session: Session, text: str | None) -> None:
    """`show hostnames`: one name a line."""
    listed = text or session.ctx.environment.get("SLURM_NODELIST")
    if not listed:
        session.ctx.error("scontrol: error: host list is empty")
        return
    names = _expanded(session, listed)
    for name in names or ():
        session.ctx.line(name)


def _hostlist(session: Session, text: str | None, in_order: bool = False) -> None:
    if text is None:
        session.refuse("invalid encode argument")
        return
    names = _expanded(session, text)
    if names is None:
        session.status = 1
    else:
        session.ctx.line(fold(names) if in_order else _folded(names))


def _folded(names: Sequence[str]) -> str:
    """Names in brackets in the order in which they came: `dgx-[03,01-02]`."""
    groups: list[tuple[str, int, list[list[int]]]] = []
    for name in names:
        prefix = name.rstrip("0123456789")
        digits = name[len(prefix) :]
        if not digits:
            groups.append((name, 0, []))
            continue
        if not groups or groups[-1][:2] != (prefix, len(digits)):
            groups.append((prefix, len(digits), []))
        runs, number = groups[-1][2], int(digits)
        if runs and runs[-1][1] + 1 == number:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(_bracketed(*group) for group in groups)


def _bracketed(prefix: str, width: int, runs: list[list[int]]) -> str:
    texts = [f"{low:0{width}d}" if low == high else f"{low:0{width}d}-{high:0{width}d}" for low, high in runs]
    single = len(runs) == 1 and runs[0][0] == runs[0][1]
    return prefix + ("".join(texts) if single or not runs else f"[{','.join(texts)}]")


def _expanded(session: Session, text: str) -> list[str] | None:
    try:
        return expand(text)
    except BreakfixError:
        session.ctx.error(f"Invalid hostlist: {text}")
        return None


def _nodes(session: Session, text: str | None) -> None:
    ctx = session.ctx
    if not session.reached("slurm_load_node error"):
        return
    cluster = survey(ctx.world)
    names = list(cluster.configuration.nodes)
    if text is not None:
        try:
            names = expand(text)
        except BreakfixError:
            session.complain(f"unable to parse node list {text}")
            return
    for name in names:
        if name in cluster.configuration.nodes:
            facts = NodeFacts(cluster, name, ctx.now)
            ctx.write(node_text(facts, detail=session.detail, one_line=session.one_line))
        else:
            _missing(session, f"Node {name} not found")
    if not names and session.quiet != QUIET:
        ctx.line("No nodes in the system")


def _partitions(session: Session, name: str | None) -> None:
    ctx = session.ctx
    if not session.reached("slurm_load_partitions error"):
        return
    cluster = survey(ctx.world)
    every = session.every or is_operator(ctx.inventory, ctx.identity.name)
    chosen = [
        partition
        for partition in cluster.configuration.partitions
        if name in (None, partition.name) and (every or not partition.hidden)
    ]
    for partition in chosen:
        ctx.write(partition_text(cluster, partition, one_line=session.one_line))
    if not chosen and name is not None:
        _missing(session, f"Partition {name} not found")
    elif not chosen and session.quiet != QUIET:
        ctx.line("No partitions in the system")


def _missing(session: Session, text: str) -> None:
    session.status = 1
    if session.quiet != QUIET:
        session.ctx.line(text)


def _jobs(session: Session, text: str | None) -> None:
    ctx = session.ctx
    if text is not None and not set(text) <= set("0123456789_+[],-*"):
        session.failed("scontrol_print_job error", SlurmError.INVALID_JOB)
        return
    if not session.reached("slurm_load_jobs error"):
        return
    known = arrays.as_listed(ctx.world, jobs.remembered(ctx.world, ctx.now))
    if text is not None:
        number, tail = _leading_number(text)
        meant = arrays.parse_id(text)
        ids = {job.id for job in (arrays.addressed(ctx.world, *meant) if meant else ())}
        if not any(number in (job.id, job.array_job) for job in known):
            session.failed("slurm_load_jobs error", SlurmError.INVALID_JOB)
            return
        known = [job for job in known if job.id in ids]
        if tail and not known:
            _missing(session, f"Job {text} not found")
            return
    for job in known:
        ctx.write(job_text(JobFacts(job, ctx.world, ctx.now), detail=session.detail, one_line=session.one_line))
    if not known and session.quiet != QUIET:
        ctx.line("No jobs in the system")


def _leading_number(text: str) -> tuple[int, str]:
    digits = text[: len(text) - len(text.lstrip("0123456789"))]
    return whole(digits) or 0, text[len(digits) :]


def _steps(session: Session, text: str | None) -> None:
    ctx = session.ctx
    job_text, _, step_name = (text or "").partition(".")
    refused = reach(ctx)
    known = [] if refused else jobs.remembered(ctx.world, ctx.now)
    if text and not refused:
        known = [job for job in known if str(job.id) == job_text]
        refused = None if known else SlurmError.INVALID_JOB
    if refused:
        session.error(f"scontrol_print_step: slurm_get_job_steps({text or '(null)'}) failed: {refused.text}")
        return
    found = [(job, step) for job in known for step in job.steps if _is_shown(step, step_name)]
    for job, step in found:
        ctx.write(step_text(JobFacts(job, ctx.world, ctx.now), step, one_line=session.one_line))
    if not found and text:
        _missing(session, f"Job step {job_text}.{step_name or 'TBD'} not found")
    elif not found and session.quiet != QUIET:
        ctx.line("No job steps in the system")


def _is_shown(step: JobStep, name: str) -> bool:
    return step.ended is None and name in ("", step.id)


def _configuration(session: Session, value: str | None) -> None:
    ctx = session.ctx
    del value
    if session.reached("slurm_load_ctl_conf error"):
        ctx.line(config_text(ctx.world, ctx.host, ctx.now))
        ping(session)


def _daemons(session: Session, value: str | None) -> None:
    ctx = session.ctx
    if value is not None:
        session.complain("too many arguments for keyword:show")
        return
    controls, computes = ctx.host in charge.hosts(ctx.world), ctx.host in in_force(ctx.world).nodes
    ctx.line(("slurmctld " if controls else "") + ("slurmd" if computes else "") or "(null)")


def _aliases(session: Session, value: str | None) -> None:
    name = value or session.ctx.host
    if name in in_force(session.ctx.world).nodes:
        session.ctx.line(name)


def _slurmd(session: Session, value: str | None) -> None:
    del value
    ctx = session.ctx
    if ctx.host in in_force(ctx.world).nodes:
        session.gap("scontrol show slurmd")
        return
    session.error("slurm_slurmd_info: Connection refused")
    session.failed("slurm_load_slurmd_status", "Connection refused")


def _line(text: str) -> Show:
    return lambda session, value: session.ctx.line(text)


def _reservations(session: Session, name: str | None) -> None:
    if not session.reached("slurm_load_reservations error"):
        return
    ctx = session.ctx
    known = [each for each in ctx.world.slurm[""].reservations if name in (None, each.name)]
    for each in known:
        ctx.write(reservation_text(ctx.world, each, ctx.now, one_line=session.one_line))
    if not known and name is not None:
        _missing(session, f"Reservation {name} not found")
    elif not known and session.quiet != QUIET:
        ctx.line("No reservations in the system")


def _licenses(session: Session, name: str | None) -> None:
    if session.reached("scontrol_print_licenses error"):
        if name is None:
            session.ctx.line("No licenses configured in Slurm.")
        else:
            session.ctx.line(f'License name "{name}" not found.')


def _topology(session: Session, value: str | None) -> None:
    """The switches of topology.conf, leaves and those above them, or the one that `value` names (or has that node)."""
    if not session.reached("slurm_load_topo error"):
        return
    ctx = session.ctx
    switches = topology.of(ctx.world)
    if not switches:
        ctx.error("scontrol: error: No topology information available")
        return
    found = [each for each in switches.values() if value in (None, each.name) or value in each.nodes]
    for each in sorted(found, key=lambda switch: switch.level):
        below = f" Switches={fold(each.switches)}" if each.switches else ""
        ctx.line(f"SwitchName={each.name} Level={each.level} LinkSpeed=1 Nodes={fold(each.nodes)}{below}")
    if not found:
        session.error(f"Topology information contains no switch or node named {value}")


def _gap(name: str) -> Show:
    return lambda session, value: session.gap(f"scontrol show {name}")


def _nothing(session: Session, value: str | None) -> None:
    """What the cluster has none of prints nothing."""


_ENTITIES: tuple[tuple[str, int, Show], ...] = (
    ("aliases", 1, _aliases),
    ("bbstat", 2, _gap("bbstat")),
    ("dwstat", 2, _gap("dwstat")),
    ("burstbuffer", 2, _nothing),
    ("assoc_mgr", 2, _gap("assoc_mgr")),
    ("cache", 2, _gap("assoc_mgr")),
    ("config", 1, _configuration),
    ("daemons", 1, _daemons),
    ("federations", 1, _nothing),
    ("hostnames", 5, print_hosts),
    ("hostlist", 5, _hostlist),
    ("hostlistsorted", 9, lambda session, text: _hostlist(session, text, in_order=True)),
    ("jobs", 1, _jobs),
    ("jobid", 1, _jobs),
    ("licenses", 2, _licenses),
    ("nodes", 1, _nodes),
    ("partitions", 2, _partitions),
    ("partitionname", 2, _partitions),
    ("reservations", 1, _reservations),
    ("reservationname", 1, _reservations),
    ("slurmd", 2, _slurmd),
    ("steps", 2, _steps),
    ("topology", 1, _topology),
)


def entities() -> list[str]:
    """What can be shown."""
    return [name for name, _, _ in _ENTITIES]


def completing(session: Session) -> None:
    """`completing`: jobs whose nodes are still being cleaned up."""
    if session.reached("slurm_load_jobs error"):
        for job in jobs.active(session.ctx.world):
            if job.completing:
                session.ctx.write(_completing_line(session, job))


def _completing_line(session: Session, job: Job) -> str:
    world, now = session.ctx.world, session.ctx.now
    ended = job.ended if job.ended is not None else job.earlier_runs[-1].ended
    cluster = survey(world)
    down = [name for name in job.nodes if cluster.record(name).down]
    parts = [f"JobId={job.id}", f"EndTime={JobFacts(job, world, now).when(ended)}"]
    parts.append(f"CompletingTime={full_time((now - ended) // SECOND)}")
    for word, names in (("COMPLETING", [name for name in job.nodes if name not in down]), ("DOWN", down)):
        parts += [f"Nodes({word})={fold(sorted(names))}"] if names else []
    return f"{' '.join(parts)} \n"
