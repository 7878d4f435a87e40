"""Faults: how they are written, that they change causes only, and what each does to its target."""

from __future__ import annotations

import importlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.control import driver, packages
from engine.faults.fault import InjectFault, catalogue, parse_fault
from engine.kernel.actions import decode, encode
from engine.kernel.errors import BreakfixError
from engine.kernel.shapes import Constant
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics import air, gpu_bus, pcie
from engine.simulation import new_simulation
from engine.sites.build import load_site
from engine.world.records import BusState
from engine.world.world import World
from tests.engine.control.node_scene import ADDRESS, GPU, NODE, kernel_log, node_simulation, run_training

EXAMPLES = {
    "bmc.clock_wrong": "dgx-02",
    "bmc.hung": "dgx-02",
    "bmc.log_full": "dgx-02",
    "bond.member_down": "dgx-02",
    "clock.skewed": "dgx-02",
    "container.daemon_misconfigured": "dgx-04",
    "container.gpus_lost": "dgx-04",
    "container.image_too_new": "dgx-04",
    "container.runtime_not_configured": "dgx-04",
    "container.shared_memory_small": "dgx-04",
    "container.toolkit_missing": "dgx-04",
    "container.without_infiniband": "dgx-04",
    "cooling.fan_failed": "dgx-02/fan3",
    "cooling.fans_manual": "dgx-02",
    "cooling.filter_clogged": "dgx-02",
    "cooling.inlet_hot": "R01",
    "cooling.leak": "R01",
    "cpu.sessions_pinned": "dgx-02",
    "dcgm.profiling_broken": "dgx-02/gpu5",
    "dcgm.profiling_unavailable": "dgx-02",
    "driver.library_mismatch": "dgx-02",
    "driver.module_blocked": "dgx-02",
    "driver.module_not_built": "dgx-02",
    "driver.nouveau_bound": "dgx-02",
    "driver.persistence_off": "dgx-02",
    "driver.secure_boot": "dgx-02",
    "fabric.cable_bad": "leaf-01/2",
    "fabric.cable_loose": "leaf-01/2",
    "fabric.cable_slow": "dgx-02/mlx5_3/1",
    "fabric.cable_wrong_kind": "leaf-01/2",
    "fabric.connector_dirty": "dgx-02/mlx5_3/1",
    "fabric.module_dead": "leaf-01/2",
    "fabric.module_hot": "leaf-01/2",
    "fabric.pair_swapped": "leaf-01/3",
    "fabric.port_disabled": "leaf-01/2",
    "fabric.port_flapping": "leaf-01/2",
    "fabric.port_hung": "dgx-02/mlx5_3",
    "fabric.rail_miscabled": "dgx-02/mlx5_3",
    "fabric.switch_failed": "spine-01",
    "fabric.uplink_unplugged": "leaf-01/33",
    "fabric.width_degraded": "leaf-01/2",
    "fabric_manager.nvlsm_missing": "dgx-02",
    "fabric_manager.restarted": "dgx-02",
    "fabric_manager.stopped": "dgx-02",
    "fabric_manager.version_mismatch": "dgx-02",
    "firmware.mismatch": "dgx-02",
    "gpu.clocks_locked": "dgx-02/gpu5",
    "gpu.context_timeout": "dgx-02/gpu5",
    "gpu.cooler_loose": "dgx-02/gpu5",
    "gpu.fell_off_bus": "dgx-02/gpu5",
    "gpu.gsp_timeout": "dgx-02/gpu5",
    "gpu.hung": "dgx-02/gpu5",
    "gpu.memory_slow": "dgx-02/gpu5",
    "gpu.memory_uncorrectable": "dgx-02/gpu5",
    "gpu.missing_at_boot": "dgx-02/gpu5",
    "gpu.power_capped": "dgx-02/gpu5",
    "gpu.program_errors": "dgx-02/gpu5",
    "gpu.reports_xid": "dgx-02/gpu5",
    "gpu.row_remap_failure": "dgx-02/gpu5",
    "gpu.sram_errors": "dgx-02/gpu5",
    "gpu.uncontained_error": "dgx-02/gpu5",
    "hca.agent_silent": "dgx-02/mlx5_3",
    "hca.ethernet_mode": "dgx-02/mlx5_3",
    "hca.firmware_old": "dgx-02/mlx5_3",
    "hca.guid_copied": "dgx-02/mlx5_3",
    "host.neighbour_table_small": "hgx-02",
    "job.rank_stopped": "dgx-02/gpu5",
    "kubernetes.attachment_missing": "cp-01",
    "kubernetes.features_unlabelled": "cp-01",
    "kubernetes.gpu_held_unhealthy": "gpu-02/gpu5",
    "kubernetes.gpus_hoarded": "cp-01",
    "kubernetes.plugin_unregistered": "cp-01",
    "kubernetes.claim_pending": "cp-01",
    "kubernetes.dns_broken": "cp-01",
    "kubernetes.kubelet_down": "gpu-02",
    "kubernetes.mig_change_refused": "gpu-02",
    "kubernetes.mig_geometry_mixed": "gpu-02",
    "kubernetes.mig_manager_wedged": "gpu-02",
    "kubernetes.network_missing": "gpu-02",
    "kubernetes.operands_disabled": "gpu-02",
    "kubernetes.rdma_selector_wrong": "cp-01",
    "kubernetes.registry_untrusted": "gpu-02",
    "kubernetes.runtime_unconfigured": "gpu-02",
    "kubernetes.taint_forgotten": "gpu-02",
    "limits.memory_lock_low": "dgx-02",
    "munge.key_changed": "dgx-02",
    "nccl.chunks_unsafe": "dgx-02",
    "nccl.ib_disabled": "dgx-02",
    "nccl.p2p_disabled": "dgx-02",
    "nccl.wrong_gid_index": "dgx-02",
    "nccl.wrong_hca": "dgx-02",
    "nccl.wrong_interface": "dgx-02",
    "nvlink.errors": "dgx-02/gpu5",
    "nvlink.fabric_refused": "dgx-02/gpu5",
    "nvlink.link_down": "dgx-02/gpu5",
    "nvlink.partition_stale": "dgx-02",
    "nvlink.untrained": "dgx-02/gpu5",
    "nvswitch.fatal": "dgx-02/nvswitch1",
    "os.boot_options_missing": "dgx-02",
    "os.fstab_wrong": "dgx-04",
    "os.upgrade_broken_off": "dgx-02",
    "partition.member_missing": "dgx-02",
    "partition.second_index": "head-01",
    "pcie.acs_redirect": "dgx-02",
    "pcie.corrected_errors": "dgx-02/gpu5",
    "pcie.function_removed": "dgx-02/gpu5",
    "pcie.link_degraded": "dgx-02/mlx5_3",
    "pcie.read_request_small": "dgx-02/mlx5_3",
    "pcie.speed_pinned": "dgx-02/gpu5",
    "pcie.uplink_slow": "dgx-02/mlx5_3",
    "power.brake_stuck": "dgx-02",
    "power.cord_loose": "dgx-02/psu1",
    "power.feed_lost": "R01/pdu-b",
    "power.strip_fuse": "R01/pdu-b/1",
    "power.supply_failed": "dgx-02/psu1",
    "rdma.modules_missing": "dgx-02",
    "rdma.peermem_missing": "dgx-02",
    "roce.address_duplicate": "hgx-02/mlx5_3",
    "roce.bundle_one_leg": "leaf-07",
    "roce.dscp_not_lossless": "leaf-01",
    "roce.ecn_thresholds": "leaf-01",
    "roce.fec_mismatch": "leaf-01/5",
    "roce.gid_order_changed": "hgx-02/mlx5_3",
    "roce.headroom_small": "leaf-01/65",
    "roce.host_class_unset": "hgx-02",
    "roce.host_cnp_priority": "hgx-02",
    "roce.host_ecn_off": "hgx-02",
    "roce.host_mtu_small": "hgx-02/mlx5_3",
    "roce.host_pfc_off": "hgx-02",
    "roce.host_pfc_priority": "hgx-02",
    "roce.host_settings_lost": "hgx-02",
    "roce.host_trust_pcp": "hgx-02",
    "roce.pause_storm": "hgx-02/mlx5_3",
    "roce.pfc_one_end": "leaf-01/5",
    "roce.receiver_slow": "hgx-02/mlx5_3",
    "roce.routing_loop": "hgx-02/mlx5_3",
    "roce.switch_cnp_class": "leaf-01",
    "roce.switch_ecn_off": "leaf-01",
    "roce.switch_port_mtu": "leaf-01/5",
    "roce.watchdog_eager": "leaf-07",
    "roce.ways_polarised": "leaf-01",
    "slurm.controller_down": "head-01",
    "slurm.devices_unconstrained": "dgx-02",
    "slurm.epilog_hanging": "dgx-02",
    "slurm.gres_misconfigured": "dgx-02",
    "slurm.health_check_wrong": "dgx-02",
    "slurm.partition_changed": "head-01",
    "slurm.prolog_failing": "dgx-02",
    "slurm.reservation_left": "dgx-02",
    "slurm.slurmd_stopped": "dgx-02",
    "slurm.wrong_address": "dgx-02",
    "subnet_manager.crossed_tables": "head-01",
    "subnet_manager.deaf_standby": "dgx-02",
    "subnet_manager.flapping": "dgx-02",
    "subnet_manager.foreign_file": "head-01",
    "subnet_manager.foreign_key": "dgx-02",
    "subnet_manager.lids_exhausted": "head-01",
    "subnet_manager.merged_lids": "head-01",
    "subnet_manager.old_lids": "dgx-02",
    "subnet_manager.old_tables": "head-01",
    "subnet_manager.second": "leaf-01",
    "subnet_manager.stopped": "head-01",
    "subnet_manager.wrong_roots": "head-01",
}

NEEDS_GPU = {"fabric_manager.nvlsm_missing": "b200-sxm6-180gb"}
"""Faults that befall only nodes with another GPU than the first site's."""

NEEDS_SITE = {"subnet_manager.crossed_tables": "dgx-h100-su"}
"""Faults that befall only larger fabrics."""


def scene(identifier: str) -> Simulation[World]:
    """A site that has the fault's example: the first one with a job, or that with RoCE or Kubernetes."""
    if EXAMPLES[identifier].startswith("hgx-") or identifier.startswith("roce."):
        return new_simulation(load_site("hgx-h200-roce"), 1)
    if identifier.startswith("kubernetes."):
        return new_simulation(load_site("k8s-ib-3"), 1)
    if identifier in NEEDS_SITE:
        return new_simulation(load_site(NEEDS_SITE[identifier]), 1)
    simulation = node_simulation(gpu=NEEDS_GPU.get(identifier))
    run_training(simulation)
    return simulation


def without_truth(world: World) -> dict[str, list[str]]:
    """All tables but the one that keeps which faults were injected."""
    return {name: table.lines() for name, table in world.tables().items() if name != "faults"}


def test_every_fault_is_a_file_of_its_name_and_says_what_it_is() -> None:
    assert sorted(catalogue()) == sorted(EXAMPLES)
    for identifier, each in catalogue().items():
        assert importlib.import_module(f"engine.faults.{identifier.replace('.', '_')}").FAULT is each
        assert each.title and each.doc and each.targets
        assert all(parameter.doc for parameter in each.parameters)


@pytest.mark.parametrize("identifier", sorted(EXAMPLES))
def test_every_fault_changes_the_world_and_is_remembered(identifier: str) -> None:
    simulation = scene(identifier)
    before = without_truth(simulation.world)
    simulation.apply(parse_fault(f"{identifier} target={EXAMPLES[identifier]}"))
    assert without_truth(simulation.world) != before
    (active,) = simulation.world.faults[""].active
    assert (active.id, active.target, active.since) == (identifier, EXAMPLES[identifier], 0)


@pytest.mark.parametrize("identifier", sorted(EXAMPLES))
def test_nothing_depends_on_what_a_fault_is_called(identifier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    worlds = []
    for name in (identifier, "renamed.fault"):
        module = importlib.import_module(f"engine.faults.{identifier.replace('.', '_')}")
        monkeypatch.setattr(module, "FAULT", replace(module.FAULT, id=name))
        simulation = scene(identifier)
        simulation.apply(parse_fault(f"{name} target={EXAMPLES[identifier]}"))
        simulation.advance(30 * MINUTE)
        worlds.append(without_truth(simulation.world))
    assert worlds[0] == worlds[1]


def test_an_onset_is_waited_for() -> None:
    simulation = node_simulation()
    simulation.apply(parse_fault(f"gpu.fell_off_bus target={GPU} onset=3m"))
    simulation.advance(3 * MINUTE - 1)
    assert simulation.world.gpus[GPU].bus is BusState.PRESENT
    assert simulation.world.faults[""].active == ()
    simulation.advance(1)
    assert simulation.world.gpus[GPU].bus is BusState.LOST
    assert simulation.world.faults[""].active[0].since == 3 * MINUTE


def test_an_injection_survives_the_journal() -> None:
    action = parse_fault("cooling.inlet_hot target=R01 degrees=9 ramp=3m onset=1m")
    assert action == InjectFault("cooling.inlet_hot", "R01", (("degrees", "9"), ("ramp", "3m")), MINUTE)
    assert decode(encode(action)) == action


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("", "an empty fault"),
        ("gpu.fell_of_bus target=x", 'unknown fault "gpu.fell_of_bus"; did you mean "gpu.fell_off_bus"?'),
        ("gpu.fell_off_bus", "needs a target, such as target=dgx-02/gpu5"),
        ("gpu.fell_off_bus dgx-02/gpu5", "not of the form name=value"),
        (
            "gpu.fell_off_bus target=dgx-02/gpu5 couse=board",
            'unknown parameter of gpu.fell_off_bus "couse"; did you mean "cause"',
        ),
        ("gpu.fell_off_bus target=dgx-02/gpu5 cause=bord", 'did you mean "board"'),
        ("gpu.fell_off_bus target=dgx-02/gpu5 onset=soon", "'soon' is not a duration"),
        ("cooling.inlet_hot target=R01 degrees=warm", '"warm" is not a whole number'),
        ("cooling.inlet_hot target=R01 degrees=99", "degrees must be at least 1 and at most 40"),
        ("cooling.inlet_hot target=R01 ramp=1ms", "ramp must be at least 1s and at most 1d"),
    ],
)
def test_what_is_wrong_with_a_line_is_said(line: str, sentence: str) -> None:
    with pytest.raises(BreakfixError) as caught:
        parse_fault(line)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "gpu.fell_off_bus target=dgx-02/gpu9",
            'befalls a GPU: unknown target "dgx-02/gpu9"; did you mean "dgx-02/gpu0"',
        ),
        ("gpu.fell_off_bus target=dgx-20/gpu1", "unknown target"),
        ("gpu.fell_off_bus target=head-01/gpu0", "unknown target"),
        ("cooling.fan_failed target=dgx-02", "befalls a fan module"),
        ("driver.library_mismatch target=head-01", "befalls a node with GPUs"),
        ("cooling.inlet_hot target=R1", 'befalls a node or a rack: unknown target "R1"'),
    ],
)
def test_a_target_that_the_site_lacks_is_refused_and_changes_nothing(line: str, sentence: str) -> None:
    simulation = node_simulation()
    digest = simulation.world.digest()
    with pytest.raises(BreakfixError) as caught:
        simulation.apply(parse_fault(line))
    assert sentence in str(caught.value)
    assert simulation.world.digest() == digest


@given(st.text(max_size=60))
def test_no_line_raises_anything_but_a_sentence(text: str) -> None:
    try:
        parse_fault(text)
    except BreakfixError as error:
        assert error.message


def test_boards_differ_in_what_is_wrong_with_them() -> None:
    defects = set()
    for seed in range(60):
        simulation = node_simulation(seed)
        simulation.apply(parse_fault(f"gpu.fell_off_bus target={GPU}"))
        defect = simulation.world.gpus[GPU].defect
        defects.add((defect.seating, defect.holds_after_cold_start is None))
        if defect.holds_after_cold_start is not None:
            assert 20 * MINUTE <= defect.holds_after_cold_start <= 90 * MINUTE
    assert defects == {(True, True), (True, False), (False, True), (False, False)}


def test_what_is_wrong_with_a_board_can_be_chosen() -> None:
    simulation = node_simulation()
    simulation.apply(parse_fault(f"gpu.fell_off_bus target={GPU} cause=seating holds=45m"))
    simulation.apply(parse_fault("gpu.fell_off_bus target=dgx-02/gpu6 cause=board holds=0"))
    chosen = simulation.world.gpus[GPU].defect, simulation.world.gpus["dgx-02/gpu6"].defect
    assert [(defect.seating, defect.holds_after_cold_start) for defect in chosen] == [
        (True, 45 * MINUTE),
        (False, None),
    ]


def test_one_device_is_named_the_same_everywhere() -> None:
    for seed, node, index in ((1, "dgx-01", 0), (2, "dgx-03", 7), (3, "dgx-02", 3)):
        simulation = node_simulation(seed)
        run_training(simulation, node)
        simulation.apply(parse_fault(f"gpu.fell_off_bus target={node}/gpu{index}"))
        address = simulation.world.inventory.gpu(f"{node}/gpu{index}").address
        (line,) = [text for text in kernel_log(simulation, node) if "): 79," in text]
        silent = [
            device for device in simulation.world.node(node).devices if not pcie.answers(simulation.world, node, device)
        ]
        lost = [
            gpu.address for gpu in driver.bound_gpus(simulation.world, node) if driver.is_lost(simulation.world, gpu.id)
        ]
        assert silent == lost == [address]
        assert f"(PCI:{address.rpartition('.')[0]})" in line
        assert all(
            kernel_log(simulation, other) == [] for other in simulation.world.inventory.node_names if other != node
        )


def test_a_warm_start_does_not_mend_it_and_the_driver_then_sees_seven() -> None:
    simulation = node_simulation()
    simulation.apply(parse_fault(f"gpu.fell_off_bus target={GPU} holds=30m"))
    gpu_bus.enumerate_gpus(simulation, NODE, cold=False)
    driver.attach(simulation, NODE)
    assert len(driver.bound_gpus(simulation.world, NODE)) == 7
    assert not pcie.answers(simulation.world, NODE, ADDRESS)
    gpu_bus.enumerate_gpus(simulation, NODE, cold=True)
    driver.attach(simulation, NODE)
    assert len(driver.bound_gpus(simulation.world, NODE)) == 8
    simulation.advance(30 * MINUTE)
    assert driver.is_lost(simulation.world, GPU)


def test_an_upgrade_leaves_the_module_and_is_in_the_history_of_apt() -> None:
    simulation = node_simulation()
    simulation.apply(parse_fault(f"driver.library_mismatch target={NODE}"))
    state = driver.nvml(simulation.world, NODE)
    assert (state.status, state.kernel_version) == (driver.NvmlStatus.MISMATCH, "590.48.01")
    (change,) = [change for change in packages.history(simulation.world, NODE) if change.time >= 0]
    assert change.command == "/usr/bin/unattended-upgrade"
    assert all(new.startswith(state.library_version) for _, _, new in change.upgrades)
    assert packages.fabric_manager_version(simulation.world, NODE) == state.library_version
    assert packages.module_file_version(simulation.world, NODE) == state.library_version
    assert driver.nvml(simulation.world, "dgx-01").status is driver.NvmlStatus.OK


def test_the_version_and_the_fabric_manager_can_be_chosen() -> None:
    simulation = node_simulation()
    simulation.apply(parse_fault(f"driver.library_mismatch target={NODE} version=590.60.02 fabric_manager=left"))
    assert driver.nvml(simulation.world, NODE).library_version == "590.60.02"
    assert packages.fabric_manager_version(simulation.world, NODE) == "590.48.01"


def test_held_packages_stay() -> None:
    simulation = node_simulation()
    family = packages.driver_family(simulation.world, NODE)
    simulation.apply(packages.Hold(NODE, (*family, "nvidia-fabricmanager-590")))
    simulation.apply(parse_fault(f"driver.library_mismatch target={NODE}"))
    assert driver.nvml(simulation.world, NODE).status is driver.NvmlStatus.OK


def test_hot_air_reaches_the_nodes_of_the_rack_and_no_others() -> None:
    simulation = node_simulation()
    before = {name: air.inlet(simulation.world, name, 0) for name in simulation.world.inventory.node_names}
    simulation.apply(parse_fault("cooling.inlet_hot target=R01 degrees=10 ramp=5m"))
    simulation.advance(10 * MINUTE)
    after = {name: air.inlet(simulation.world, name, simulation.now) - then for name, then in before.items()}
    assert after == {"head-01": 10_000, "dgx-01": 10_000, "dgx-02": 10_000, "dgx-03": 0, "dgx-04": 0}
    assert isinstance(simulation.world.cooling["dgx-02"].inlet, Constant)


def test_one_node_alone_can_get_hot_air() -> None:
    simulation = node_simulation()
    simulation.apply(parse_fault("cooling.inlet_hot target=dgx-03"))
    simulation.advance(20 * MINUTE)
    assert simulation.world.cooling.changed() == ["dgx-03"]


def test_a_clogged_filter_lets_less_air_through() -> None:
    simulation = node_simulation()
    clean = air.airflow_permille(simulation.world, NODE)
    simulation.apply(parse_fault(f"cooling.filter_clogged target={NODE} percent=60"))
    assert air.airflow_permille(simulation.world, NODE) < clean
