"""What a run's collectives take, which ports they use, and the traffic that they put on the fabric.

Tensor parallel groups lie within nodes: the slowest node paces them. Replicas exchange gradients over all nodes as one
collective (two all-gathers and a reduce-scatter where parameters are spread). What the collectives send in a step,
spread over its time, is the job's traffic.

Nodes to which nothing has happened are alike. A run on such nodes alone is as fast as one on the first nodes of their
kind, which is worked out once. Of another large run only the nodes are looked at of which something differs, and a few
others: a ring of many nodes is as fast as one of eight, but for microseconds of each step along it, which computing
hides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from types import MappingProxyType

from engine.control.accounts import identity
from engine.control.containers.inside import sees_infiniband
from engine.control.files import files_key
from engine.control.slurm import script
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links
from engine.physics.ethernet import connections, passing
from engine.physics.paths import receiving
from engine.physics.traffic import exchange as traffic
from engine.workloads.nccl import CollectiveFailed, Communicator, Rank, Result, communicator
from engine.workloads.training import inputs, model
from engine.world.records import WHOLE, Flow, Job, ServiceClass, TrainingRegime, TrainingRun
from engine.world.world import World

Variables = tuple[tuple[str, str], ...]

_ALIKE = 8
"""Nodes to which nothing has happened that are looked at."""

_NOTICED = 20  # part of a step by which its time must differ before what a run sends is changed

_LARGEST_SENDER = 256
"""Nodes of the largest run whose traffic is put on the fabric: routing more than some thousand flows takes seconds."""

_SCATTERED = ("all_gather", "all_gather", "reduce_scatter")
_REDUCED = ("all_reduce",)
_MICROSECOND = 1_000  # ns
_DEBUG, _FILE_VARIABLE, _OWN_FILE = "NCCL_DEBUG", "NCCL_CONF_FILE", ".nccl.conf"


@dataclass(frozen=True, slots=True)
class Collectives:
    """The collectives of a run.

    `tensor` is ns of one all-reduce in a tensor parallel group, `exchange` of what replicas exchange in a step; `ports`
    are those that they use, `sent` says who sends how many bits to whom in a step, over the partition key at
    `key_index`, asking for `dscp`.
    """

    tensor: int
    exchange: int
    ports: tuple[str, ...] = ()
    sent: tuple[tuple[str, str, int], ...] = ()
    key_index: int = 0
    dscp: int = 0


def owner(job: int) -> str:
    """Under which name a job's traffic goes."""
    return f"job/{job}"


def of_run(world: World, job: Job, run: TrainingRun, now: int) -> Collectives:
    """The collectives of a run as NCCL would make them now. Raises CollectiveFailed."""
    share = traffic.share(world, owner(job.id))
    touched = _touched(world, run)
    plain = not touched and share == WHOLE and not _configured(world, job)
    usual = _usual(world, job, run) if plain else None
    return usual or _measured(world, job, run, _looked_at(run, touched), touched, now)


def failed(run: TrainingRun, failure: CollectiveFailed) -> TrainingRun:
    """A run whose ranks got no communicator."""
    error = failure.result.text if failure.result else ""
    lines = tuple(failure.lines.get(rank, ()) for rank in range(run.ranks))
    patience = 0 if failure.hangs else max(1, failure.after)
    later = failure.result is Result.REMOTE_ERROR
    return replace(run, error=error, messages=lines, patience=patience, asynchronous=later)


def measured_again(world: World, job: Job, run: TrainingRun, regime: TrainingRegime, now: int) -> TrainingRegime:
    """The regime of a run under way on the machines as they stand: a communicator goes on where none could be made."""
    try:
        found = of_run(world, job, run, now)
    except CollectiveFailed:
        return regime
    return replace(regime, tensor=found.tensor, exchange=found.exchange)


def messages(world: World, job: Job, run: TrainingRun, now: int) -> tuple[tuple[str, ...], ...]:
    """What each rank's NCCL prints while it makes the communicator; nothing where no variable asks for it."""
    if _DEBUG not in dict(script.exports(job.script)):
        return ()
    found = communicator(world, ranks(world, job, run.nodes), time=now)
    return tuple(found.log(rank) for rank in range(run.ranks))


def cut_off(world: World, job: Job, run: TrainingRun, hosts: tuple[str, ...]) -> tuple[str, ...]:
    """The run's ports on some of its nodes whose link is gone; where all have one, those of the whole run from which no
    way leads to their peer.
    """
    wanted = set(hosts)
    down = tuple(port for port in run.ports if port.partition("/")[0] in wanted and not links.link_up(world, port))
    if down:
        return down
    flows = world.bundles[owner(job.id)].flows
    starved = bool(flows) and not traffic.share(world, owner(job.id))
    lost = {flow.source for flow in flows if not flow.links or (starved and passing.shut(world, flow))}
    return tuple(port for port in run.ports if port in lost) if lost else ()


def send(simulation: Simulation[World], job: Job, run: TrainingRun, found: Collectives) -> None:
    """Put the run's traffic on the fabric: the mean over a step, as coupled as the collective is."""
    step = run.regimes[-1].step
    if not 1 < len(run.nodes) <= _LARGEST_SENDER or not step:
        return
    rates = ((source, destination, bits * SECOND // step) for source, destination, bits in found.sent)
    key, service = found.key_index, ServiceClass(dscp=found.dscp)
    flows = [
        Flow(
            source,
            to,
            rate,
            service=service,
            key_index=key,
            held=receiving.held(simulation.world, source, to, rate),
        )
        for source, to, rate in rates
        if rate
    ]
    if flows:
        since = run.regimes[-1].since
        flows = [part for flow in flows for part in connections.queue_pairs(simulation.world, flow)]
        traffic.open_bundle(simulation, owner(job.id), flows, coupled=True, since=min(since, simulation.now))


def adjust(simulation: Simulation[World], job: Job, run: TrainingRun) -> None:
    """The run has another pace than before: what it sends changes with it. Ranks that wait for one send nothing."""
    before, now = run.regimes[-2:] if len(run.regimes) > 1 else (run.regimes[-1], run.regimes[-1])
    flows = simulation.world.bundles[owner(job.id)].flows
    if now.stall:
        if flows and now.stall.cause != "network":
            traffic.close_bundle(simulation, owner(job.id))
    elif not flows and run.ports:
        try:
            send(simulation, job, run, of_run(simulation.world, job, run, simulation.now))
        except CollectiveFailed:
            return
    elif flows and before.step and now.step and abs(now.step - before.step) * _NOTICED > before.step:
        slower = tuple(_paced(flow, before.step, now.step) for flow in flows)
        traffic.open_bundle(simulation, owner(job.id), slower, coupled=True)


def _paced(flow: Flow, before: int, now: int) -> Flow:
    """A flow of the same messages with steps of another duration."""
    return replace(flow, rate=flow.rate * before // now, held=flow.held * before // now)


def is_short(world: World, job: Job) -> bool:
    """Whether the run's traffic gets less than it asks for."""
    return traffic.share(world, owner(job.id)) < WHOLE


def silence(simulation: Simulation[World], job: Job) -> None:
    """The run sends no more."""
    if simulation.world.bundles[owner(job.id)].flows:
        traffic.close_bundle(simulation, owner(job.id))


def ranks(world: World, job: Job, hosts: tuple[str, ...]) -> list[Rank]:
    """The ranks of a job on some of its nodes, as NCCL meets them."""
    found = []
    for host in hosts:
        for place in inputs.places(world, job.id, host):
            process = place.process
            variables: Mapping[str, str] = MappingProxyType(dict(process.environment))
            limits = {"cpus": process.cpus, "memory_lock": process.memory_lock}
            sees = sees_infiniband(world, host, variables)
            found.append(Rank(host, place.gpu, process.pid, process.user, variables, verbs=sees, **limits))  # type: ignore[arg-type]
    return found


def _usual(world: World, job: Job, run: TrainingRun) -> Collectives | None:
    """The collectives of a run on nodes to which nothing has happened; None where it takes a closer look."""
    inventory = world.inventory
    kinds = {inventory.pattern(host) for host in run.nodes}
    count = min(len(run.nodes), _ALIKE)
    kind, gpus = min(kinds), job.gpu_indices[0] if job.gpu_indices else ()
    first = tuple(islice((name for name in inventory.node_names if inventory.pattern(name) == kind), count))
    if len(kinds) > 1 or len(first) < count or any(each != gpus for each in job.gpu_indices):
        return None
    variables = script.exports(job.script)
    key = ("collectives", world.seed, kind, count, gpus, run.configuration, run.ranks, variables, job.user)
    try:
        found = inventory.once(key, lambda: _on_new_nodes(world, run, first, gpus, (job.user, variables)))
    except CollectiveFailed:
        return None
    return _spread(run, found)


def _on_new_nodes(
    world: World, run: TrainingRun, hosts: tuple[str, ...], gpus: tuple[int, ...], what: tuple[str, Variables]
) -> Collectives:
    """The collectives of such a run on nodes of a new site. Raises CollectiveFailed."""
    fresh, (user, variables) = World(world.inventory, world.seed, world.first_sweep), what
    environment = MappingProxyType(dict(variables))
    known = {host: fresh.node(host).gpus for host in hosts}
    members = [Rank(host, known[host][index].id, 1, user, environment) for host in hosts for index in gpus]
    inside = [communicator(fresh, members[: len(gpus)], time=0)]
    between = communicator(fresh, members, time=0) if len(hosts) > 1 else inside[0]
    return _timed(run, between, inside)


def _configured(world: World, job: Job) -> bool:
    """Whether NCCL reads a file of the job's owner."""
    path = f"{identity(world.inventory, job.user).home}/{_OWN_FILE}"
    return _FILE_VARIABLE in dict(script.exports(job.script)) or path in world.files[files_key("", path)].files


def _spread(run: TrainingRun, found: Collectives) -> Collectives:
    """The same for all nodes of a run: each port talks to the same port of the next node."""
    names = tuple(dict.fromkeys(port.partition("/")[2] for port in found.ports))
    bits = max((bits for _, _, bits in found.sent), default=0)
    following = (*run.nodes[1:], run.nodes[0])
    pairs = [(f"{here}/{name}", f"{there}/{name}") for here, there in zip(run.nodes, following, strict=True)
             for name in names]  # fmt: skip
    sent = tuple((source, destination, bits) for source, destination in pairs) if bits else ()
    return replace(found, ports=tuple(source for source, _ in pairs), sent=sent)


def _looked_at(run: TrainingRun, touched: set[str]) -> tuple[str, ...]:
    """All nodes of a small run; of a large one those of which something differs, and a few others."""
    if len(run.nodes) <= _ALIKE:
        return run.nodes
    alike = [host for host in run.nodes if host not in touched][:_ALIKE]
    wanted = touched | set(alike)
    return tuple(host for host in run.nodes if host in wanted)


def _touched(world: World, run: TrainingRun) -> set[str]:
    """Nodes of a run of whose GPUs, buses, ports, cables, files or system something is not as it was at first."""
    tables = (
        world.gpus, world.pcie_links, world.pci_functions, world.nvlinks, world.nvlink_fabric, world.ports,
        world.cables, world.files, world.interfaces,
    )  # fmt: skip
    found = {part.partition("/")[0] for table in tables for name in table.changed() for part in name.split("--")}
    for host in run.nodes:
        system = world.systems[host]
        changed = system.modules or system.interfaces_down or system.packages or system.sysctl
        if changed or system.kernel_options is not None:
            found.add(host)
    hot = {run.nodes[rank // run.gpus] for regime in run.regimes[-1:] for rank, _ in regime.slow}
    return found & set(run.nodes) | hot


def _measured(
    world: World, job: Job, run: TrainingRun, hosts: tuple[str, ...], touched: set[str], now: int
) -> Collectives:
    """The collectives as measured on some of the run's nodes. Raises CollectiveFailed."""
    share = max(1, traffic.share(world, owner(job.id)))
    between = communicator(world, ranks(world, job, hosts), time=now, share=share)
    inside = [between]
    if run.configuration.tensor_parallel > 1 and len(hosts) > 1:
        alike = next((host for host in hosts if host not in touched), None)
        several = [host for host in hosts if host in touched] + ([alike] if alike else [])
        inside = [communicator(world, ranks(world, job, (host,)), time=now) for host in several]
    found = _timed(run, between, inside)
    if len(hosts) == len(run.nodes):
        return found
    spread = _spread(run, found)
    used = {port.partition("/")[0] for port in found.ports}
    kept = tuple(port for port in spread.ports if port.partition("/")[0] not in used or port in found.ports)
    return replace(spread, ports=kept, sent=tuple(each for each in spread.sent if {each[0], each[1]} <= set(kept)))


def _timed(run: TrainingRun, between: Communicator, inside: Sequence[Communicator]) -> Collectives:
    """The collectives of communicators: the one of all ranks, and those of nodes."""
    plan, sent, exchange = run.configuration, dict[tuple[str, str], int](), 0
    size = model.exchange_bytes(plan)
    for operation in (_SCATTERED if plan.sharded else _REDUCED) if model.replicas(plan, run.ranks) > 1 else ():
        lasts = round(between.timing(operation, size).microseconds * _MICROSECOND)
        exchange += lasts
        for demand in between.demands(operation, size):
            ends = demand.source, demand.destination
            sent[ends] = sent.get(ends, 0) + demand.rate * lasts // SECOND
    tensor = 0
    if plan.tensor_parallel > 1:
        size = model.tensor_bytes(plan)
        tensor = max(round(each.timing("all_reduce", size).microseconds * _MICROSECOND) for each in inside)
    if plan.tensor_parallel == 1 and not exchange:
        between.timing("all_reduce", 8)
    key, dscp = (between.rails.rails[0].key_index, between.rails.rails[0].dscp) if between.rails.rails else (0, 0)
    return Collectives(tensor, exchange, between.ports, tuple((*ends, bits) for ends, bits in sent.items()), key, dscp)
