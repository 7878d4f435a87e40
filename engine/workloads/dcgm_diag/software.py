"""The diagnostics' software checks: what is wrong with a node before any load is put on it.

Checks, their order and texts: nvvs/src/Software.cpp. Drivers on the denylist, libraries, environment, graphics
processes and the InfoROM are always in order here; /dev lists what the driver holds. That values of a GPU which does
not answer cannot be queried is told by the first check that asks for one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.control import nvlink_fabric
from engine.control.dcgm.errors import DcgmError, Fault, error
from engine.control.dcgm.readings import Reading
from engine.workloads.dcgm_diag.outcome import Result, TestRun
from engine.workloads.dcgm_diag.plan import SOFTWARE, Parameters

PERSISTENCE, MEMORY, SRAM, FABRIC = (
    "Persistence Mode", "Page Retirement/Row Remap", "SRAM Threshold Count", "Fabric Manager",
)  # fmt: skip
_CLUSTER = "00000000-0000-0000-0000-000000000000"


def run(gpus: Sequence[Reading], parameters: Parameters, release: tuple[int, int]) -> TestRun:
    """Check the node and its GPUs. Wear of SRAM and the fabric are checked from DCGM 4 on."""
    found = TestRun(SOFTWARE, {gpu.index: Result.PASS for gpu in gpus})
    if parameters.yes("software", "require_persistence", True):
        for gpu in gpus:
            if not gpu.lost and not gpu.state.persistence:
                found.part[PERSISTENCE] = Result.WARN
                found.add(_error(PERSISTENCE, Fault.PERSISTENCE, gpu, gpu.index), Result.WARN)
    for gpu in gpus:
        for problem in _memory(gpu):
            found.part[MEMORY] = Result.FAIL
            found.add(problem)
    if release < (4, 0):
        return found
    for gpu in gpus:
        if not gpu.lost and _worn_out(gpu):
            found.add(_error(SRAM, Fault.SRAM_THRESHOLD, gpu, gpu.index, 1))
    for gpu in gpus:
        if nvlink_fabric.refused(gpu.world, gpu.gpu.id):
            found.add(_error(FABRIC, Fault.FABRIC, gpu, _CLUSTER, 0, 0, "training failed"))  # text: a guess
    if gpus and _fabric_is_down(gpus[0]):
        for gpu in gpus:
            found.add(_error(FABRIC, Fault.FABRIC, gpu, _CLUSTER, 0, 0, "training in progress"))
    return found


def _fabric_is_down(gpu: Reading) -> bool:
    node = gpu.gpu.node
    return bool(gpu.world.node(node).nvswitches) and not nvlink_fabric.registered(gpu.world, node)


def _error(check: str, fault: Fault, gpu: Reading, *values: object) -> DcgmError:
    return error(fault, *values, gpu=gpu.index, before=f"{check}: ")


def _memory(gpu: Reading) -> Iterator[DcgmError]:
    if gpu.lost:
        yield _error(MEMORY, Fault.FIELD_QUERY, gpu, "row_remap_failure", gpu.index)
        return
    remap = gpu.state.remap
    if remap.failure:
        yield _error(MEMORY, Fault.REMAP_FAILURE, gpu, gpu.index)
    elif remap.pending and remap.uncorrectable:
        yield _error(MEMORY, Fault.REMAPPED_ROWS, gpu, gpu.index, remap.uncorrectable)
    elif remap.pending:
        yield _error(MEMORY, Fault.PENDING_REMAP, gpu, gpu.index)


def _worn_out(gpu: Reading) -> bool:
    counts = gpu.ecc("aggregate")
    return counts.sram_uncorrected_parity > 4 or counts.sram_uncorrected_secded > 2
