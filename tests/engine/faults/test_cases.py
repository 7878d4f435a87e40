"""Incidents that operators of GPU nodes have told of, and the fault that makes each here: the first look at which its
hallmark stands. A case is known by its short name; B200's subnet manager of NVLinks needs that board.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from engine.control.boot import Reboot
from engine.faults.fault import catalogue, parse_fault
from engine.kernel.units import HOUR, MINUTE
from engine.simulation import open_site
from tests.support.run import run_command

NODE, OTHER = "dgx-02", "dgx-04"


@dataclass(frozen=True, slots=True)
class Case:
    """An incident: its fault, who looks where with what and when, and the hallmark there."""

    fault: str
    line: str
    hallmark: str
    host: str = OTHER
    after: int = 2 * MINUTE
    settings: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    restart: bool = False


CASES = {
    "G01 a GPU off the bus": Case(f"gpu.fell_off_bus target={OTHER}/gpu3", "dmesg", "fallen off the bus"),
    "G02 missing at boot": Case(
        f"gpu.missing_at_boot target={OTHER}/gpu3", "dmesg", "is not responding", after=12 * MINUTE, restart=True
    ),
    "G03 a bank of HBM dies": Case(
        f"gpu.memory_uncorrectable target={NODE}/gpu3 every=20m", "dmesg", ": 48,", NODE, 3 * HOUR
    ),
    "G05 the GSP does not answer": Case(f"gpu.gsp_timeout target={NODE}/gpu3", "dmesg", ": 119,", NODE, 10 * MINUTE),
    "G07 passes checks, wants a reset": Case(
        f"gpu.uncontained_error target={OTHER}/gpu3",
        "nvidia-smi --query-gpu=gpu_recovery_action --format=csv",
        "Reset",
    ),
    "G08 Xid 31 by a tuning variable": Case(f"nccl.chunks_unsafe target={OTHER}", "tail /etc/nccl.conf", "CHUNK"),
    "G10 a remapping waits for a reset": Case(
        f"gpu.memory_uncorrectable target={NODE}/gpu3", "nvidia-smi -q -d ROW_REMAPPER -i 3", ": Yes", NODE
    ),
    "G11 remapping fails": Case(f"gpu.row_remap_failure target={NODE}/gpu3", "dmesg", ": 64,", NODE, HOUR),
    "G12 SRAM beyond its threshold": Case(
        f"gpu.sram_errors target={NODE}/gpu3 every=2m", "nvidia-smi -q -d ECC -i 3", "Threshold", NODE, HOUR
    ),
    "G13 a context switch times out": Case(f"gpu.context_timeout target={NODE}/gpu3", "dmesg", ": 109,", NODE, HOUR),
    "G15 what came before the Xids 45": Case(f"nvlink.link_down target={NODE}/gpu3", "dmesg", ": 74,", NODE, HOUR),
    "F01 fabric manager of another version": Case(
        f"fabric_manager.version_mismatch target={OTHER}",
        "journalctl -u nvidia-fabricmanager",
        "don't match with driver version",
    ),
    "F03 registered without a place": Case(
        f"nvlink.fabric_refused target={OTHER}/gpu3", "nvidia-smi -q -i 3", "Insufficient Resources"
    ),
    "F04 NVLS after a restart": Case(
        f"fabric_manager.restarted target={OTHER}",
        "all_reduce_perf -b 64M -e 64M -g 8",
        "unhandled cuda error",
        variables={"NCCL_NVLS_ENABLE": "1"},
    ),
    "F05 no subnet manager of NVLinks": Case(
        f"fabric_manager.nvlsm_missing target={OTHER}",
        "systemctl status nvidia-fabricmanager",
        "failed",
        settings={"hardware.gpu": "b200-sxm6-180gb"},
    ),
    "F06 NVLinks down": Case(
        f"nvlink.untrained target={OTHER}/gpu3 links=5", "nvidia-smi nvlink -s -i 3", "<inactive>"
    ),
    "F08 a stale partition": Case(
        f"nvlink.partition_stale target={OTHER}", "nvidia-smi topo -p2p r", "NS", after=MINUTE
    ),
    "D01 library of another version": Case(
        f"driver.library_mismatch target={OTHER}", "nvidia-smi", "Driver/library version mismatch"
    ),
    "D02 nouveau": Case(f"driver.nouveau_bound target={OTHER}", "lsmod", "nouveau", after=12 * MINUTE),
    "D03 Secure Boot": Case(
        f"driver.secure_boot target={OTHER}", "modprobe nvidia", "Key was rejected by service", after=12 * MINUTE
    ),
    "D04 a reload takes GPUs": Case(
        f"container.gpus_lost target={OTHER}", "docker exec notebook nvidia-smi", "Unknown Error"
    ),
    "D05 persistence mode off": Case(
        f"driver.persistence_off target={OTHER}", "nvidia-smi --query-gpu=persistence_mode --format=csv", "Disabled"
    ),
    "P01 ACS redirects": Case(f"pcie.acs_redirect target={OTHER}", "lspci -vvv", "ReqRedir+"),
    "P02 no iommu=pt": Case(
        f"os.boot_options_missing target={OTHER}", "dmesg", "Default domain type: Translated", after=12 * MINUTE
    ),
    "P03 a bottleneck above the adapter": Case(f"pcie.uplink_slow target={OTHER}/mlx5_3", "lspci -vv", "downgraded"),
    "P04 an adapter at x8": Case(f"pcie.link_degraded target={OTHER}/mlx5_3 width=8", "lspci -vv", "x8 (downgraded)"),
    "P05 a GPU held at a low generation": Case(
        f"pcie.speed_pinned target={OTHER}/gpu3",
        "nvidia-smi --query-gpu=pcie.link.gen.current --format=csv,noheader -i 3",
        "2",
    ),
    "P06 no GPUDirect": Case(f"rdma.peermem_missing target={OTHER}", "tail /etc/nccl.conf", "NCCL_DMABUF_ENABLE=0"),
    "T01 two hot nodes": Case(
        f"cooling.fans_manual target={NODE} percent=20",
        "nvidia-smi -q -d PERFORMANCE",
        "SW Thermal Slowdown                            : Active",
        NODE,
        HOUR,
    ),
    "T03 a strip's fuse": Case(
        "power.strip_fuse target=R01/pdu-a/1", "ipmitool sel list", "Power Supply AC lost", NODE
    ),
    "T04 a GPU at a low clock": Case(
        f"gpu.cooler_loose target={NODE}/gpu3", "nvidia-smi -q -d PERFORMANCE -i 3", "Active", NODE, HOUR
    ),
    "T05 a leak": Case("cooling.leak target=R01", "journalctl -t r01-door", "ALARM leak detector", "head-01"),
    "DC1 no profiling metrics": Case(f"dcgm.profiling_unavailable target={OTHER}", "dcgmi dmon -e 1001 -c 1", "N/A"),
    "DC2 profiling reads zero": Case(
        f"dcgm.profiling_broken target={NODE}/gpu3", "dcgmi dmon -e 1002 -c 1", "0.000", NODE
    ),
}

WITHOUT = {
    "G09 a plugin that forgets nothing": "the device plugin's own state: tests of Kubernetes",
    "DC3 false results of diagnostics": "a release of DCGM, not a fault: tests/engine/commands/dcgm/test_diag.py",
    "B01 modes of a DPU": "no site has a DPU",
}
"""Cases that no fault makes, and why."""


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_case_shows_its_hallmark(name: str) -> None:
    case = CASES[name]
    site = open_site("dgx-h100-4", overrides=case.settings)
    before = run_command(site, case.host, "root", case.line, environment=case.variables)
    site.apply(parse_fault(case.fault))
    if case.restart:
        site.apply(Reboot(case.host, "root"))
    site.advance(case.after)
    after = run_command(site, case.host, "root", case.line, environment=case.variables)
    assert case.hallmark in after.stdout + after.stderr, (after.stdout + after.stderr)[-600:]
    assert case.hallmark not in before.stdout + before.stderr or after.stdout != before.stdout


def test_every_case_names_a_fault() -> None:
    assert {case.fault.partition(" ")[0] for case in CASES.values()} <= set(catalogue())
    assert not CASES.keys() & WITHOUT.keys()
