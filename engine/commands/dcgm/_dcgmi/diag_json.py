"""A run of the diagnostics as JSON. Keys: nvvs/include/NvvsJsonStrings.h and dcgmi/Diag.cpp of DCGM 4.4.2."""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands.dcgm._dcgmi.client import Client
from engine.control import driver
from engine.control.dcgm import host_engine
from engine.control.dcgm.readings import Reading
from engine.workloads.dcgm_diag.outcome import Result, TestRun

_NAME = "DCGM Diagnostic"
_GPU_GROUP = 1


def failure(version: str, text: str) -> dict[str, object]:
    """A run that could not be made."""
    return {_NAME: {"version": version, "runtime_error": text}}


def document(client: Client, runs: Sequence[TestRun], gpus: Sequence[Reading]) -> dict[str, object]:
    """The whole of a run."""
    categories = []
    for category in dict.fromkeys(run.test.category for run in runs):
        tests = [_test(run) for run in runs if run.test.category == category]
        categories.append({"category": category, "tests": tests})
    listed = [{"device_id": device_id(gpu), "entity_id": gpu.index, "serial_num": gpu.state.serial} for gpu in gpus]
    return {
        _NAME: {"test_categories": categories},
        "entity_groups": [{"entities": listed, "entity_group": host_engine.GPU, "entity_group_id": _GPU_GROUP}],
        "metadata": {"version": client.version, "Driver Version Detected": driver_version(client)},
    }


def device_id(gpu: Reading) -> str:
    """The PCI device id, as `2330`."""
    return gpu.product.pci_id.rpartition(":")[2].lower()


def driver_version(client: Client) -> str:
    """The driver that the run found."""
    return driver.nvml(client.world, client.host).kernel_version or ""


def _test(run: TestRun) -> dict[str, object]:
    results = []
    for gpu, result in run.results.items():
        entity = {"entity_group": host_engine.GPU, "entity_group_id": _GPU_GROUP, "entity_id": gpu}
        results.append(entity | _result(run, gpu, result))
    found: dict[str, object] = {"name": run.test.name, "test_summary": _result(run, None, run.result)}
    return found | ({"results": results} if results else {})


def _result(run: TestRun, gpu: int | None, result: Result) -> dict[str, object]:
    """A result with the errors and remarks of its entity. A warning reads `Fail`, as there."""
    found: dict[str, object] = {"status": "Fail" if result is Result.WARN else result.value}
    warnings = [
        {
            "warning": error.message,
            "error_id": error.kind.code,
            "error_category": error.kind.category,
            "error_severity": error.kind.severity,
        }
        for error in run.errors
        if error.gpu == gpu
    ]
    remarks = [text for where, text in run.remarks if where == gpu]
    return found | ({"warnings": warnings} if warnings else {}) | ({"info": remarks} if remarks else {})
