"""dcgm-exporter 4.4.2-4.7.1: the text that it serves under /metrics, in the text format of Prometheus.

Counters: the file that it is started with (exporter_counters.py), its etc/default-counters.csv, which holds profiling
metrics as dcp-metrics-included.csv does. Form and order of labels: render_metrics.go (metrics in the order of field
numbers, labels and attributes by name) and gpu_collector.go (blank values are left out; an Xid brings its number and
its text). It reads through DCGM (here: the node's host engine), so it has nothing to tell while that is down. What it
logs where profiling cannot be had: NVIDIA/dcgm-exporter#22; the form of its log lines since 4.0 is a guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from engine.control import journald, service_state
from engine.control.dcgm import exporter_counters, fields, host_engine, modules, profilers
from engine.control.dcgm.exporter_counters import Counter
from engine.control.dcgm.readings import Reading, read
from engine.control.tables import rows
from engine.kernel.calendar import local
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.world.events import ServiceChanged
from engine.world.inventory import Inventory
from engine.world.world import World

UNIT = "nvidia-dcgm-exporter.service"
PORT = 9400
LABEL = "label"
_XID = 230
_UNKNOWN = "Unknown Error"
_NOT_LOADED = "This request is serviced by a module of DCGM that is not currently loaded"
_HELD = "The third-party Profiling module returned an unrecoverable error"


def counters(world: World, host: str) -> tuple[Counter, ...]:
    """Every metric that the exporter took from its file when it started, by field number."""
    return exporter_counters.counters(world.exporters[host].counters)


@cache
def xid_texts() -> Mapping[int, str]:
    """What the exporter calls each Xid."""
    return {int(number): text for number, text in rows("dcgm_exporter_xids")}


def is_serving(world: World, host: str) -> bool:
    """Whether the exporter's port answers."""
    return service_state.is_active(world, host, UNIT)


def metrics(world: World, host: str, now: int) -> str:
    """The body of /metrics; empty while the host engine does not answer."""
    engine = world.host_engines[host]
    if not host_engine.is_running(world, host) or not engine.responsive:
        return ""
    gpus, known = read(world, host, now), counters(world, host)
    labels = [counter for counter in known if counter.kind == LABEL]
    return "".join(f"{line}\n" for counter in known if counter.kind != LABEL for line in _lines(counter, gpus, labels))


def _lines(counter: Counter, gpus: Sequence[Reading], labels: Sequence[Counter]) -> Iterator[str]:
    samples = [(gpu, found) for gpu in gpus if (found := fields.value(gpu, counter.field)) is not None]
    if not samples:
        return
    yield f"# HELP {counter.field.name} {counter.help}"
    yield f"# TYPE {counter.field.name} {counter.kind}"
    for gpu, found in samples:
        text = f"{found:f}" if counter.field.kind == "double" else str(found)
        yield f"{counter.field.name}{{{_labels(counter, gpu, found, labels)}}} {text}"


def _labels(counter: Counter, gpu: Reading, found: fields.Value, labels: Sequence[Counter]) -> str:
    pairs = [
        ("gpu", gpu.index),
        ("UUID", gpu.state.uuid),
        ("pci_bus_id", gpu.bus_id),
        ("device", f"nvidia{gpu.index}"),
        ("modelName", gpu.product.name),
        ("Hostname", gpu.gpu.node),
        *((each.field.name, fields.value(gpu, each.field)) for each in labels),
    ]
    if counter.field.id == _XID and isinstance(found, int):
        pairs += [("err_code", found), ("err_msg", xid_texts().get(found, _UNKNOWN))]
    return ",".join(f'{name}="{text}"' for name, text in pairs)


def _starts(simulation: Simulation[World], event: ServiceChanged) -> None:
    """It reads its list of metrics, and says at its start if it will not have the profiling metrics, and why."""
    world, host = simulation.world, event.host
    if event.unit == UNIT and event.active:
        _take_counters(world, host)
    if event.unit != UNIT or not event.active or not host_engine.is_running(world, host):
        return
    held = profilers.holder(world, host)
    if held is None and modules.state(world, host, modules.PROFILING) is modules.State.LOADED:
        return
    stamp = shown_time(world.inventory, simulation.now)
    text = f'time={stamp} level=INFO msg="Not collecting DCP metrics: {_HELD if held else _NOT_LOADED}"'
    journald.log(
        simulation, host, text, source="dcgm-exporter", pid=service_state.service(world, host, UNIT).pid, unit=UNIT
    )


def _take_counters(world: World, host: str) -> None:
    text = exporter_counters.written(world, host)
    if text != world.exporters[host].counters:
        world.exporters.update(host, counters=text)


def shown_time(inventory: Inventory, now: int) -> str:
    """A moment as its log has it (Go's slog), in UTC."""
    return f"{local('UTC', inventory.start + now):%Y-%m-%dT%H:%M:%S.000Z}"


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((ServiceChanged, _starts),)
