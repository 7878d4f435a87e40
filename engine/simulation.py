"""Puts the floors together: from a site and a seed to a simulation whose standing work is under way."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from engine.kernel.events import Event, Handler, LateBus
from engine.kernel.simulation import Simulation
from engine.sites.build import load_site
from engine.sites.model import StandingModel
from engine.world.inventory import Inventory
from engine.world.world import World

# Who hears what, in the order in which handlers of one event run: from the hardware up. A module is imported when the
# first event that it hears is published; its HANDLERS say the same again, with their functions.
_HEARERS = (
    ("physics.gpu_bus", "BusDefectStrikes"),
    ("physics.air", "AirChanged GpuLoadChanged GpuSettingsChanged NodePowered GpuLost InletDue"),
    (
        "physics.thermal",
        "GpuLoadChanged GpuSettingsChanged AirChanged NodePowered PowerInputChanged ThermalRegimeDue GpuLost",
    ),
    ("physics.port_counters", "LinkChanged LinkRateChanged SignalChanged NodeStopping NodeUp ModuleChanged"),
    ("physics.flapping", "CableFlaps"),
    ("physics.plugs", "ModuleHeats"),
    ("physics.board_defects", "BoardDefectStrikes GpuLoadChanged NodeUp"),
    ("physics.gpu_memory", "BoardDefectStruck"),
    ("physics.nvlink_errors", "GpuReset BoardDefectStruck"),
    (
        "physics.traffic.changes",
        "LinkChanged NodeStopping NodeUp ModuleChanged LinkRateChanged PcieLinkChanged SignalChanged SubnetSwept",
    ),
    ("physics.ethernet.watchdog", "QueueStuck QueueQuiet"),
    ("physics.ethernet.locks", "QueuesLock LinkChanged"),
    ("control.boot", "BootStep"),
    ("control.pci_setup", "NodeStopping BootStep"),
    ("control.pcie_errors", "PcieErrorsDue"),
    ("control.adapter_firmware", "NodeStopping PlugChanged"),
    ("control.interface_settings", "NodeStopping"),
    ("control.adapter_qos", "NodeStopping NodeUp ServiceChanged"),
    ("control.sysctl_files", "NodeUp"),
    ("control.bmc", "AirChanged PowerInputChanged SensorCheckDue NodePowered BiosClockDue NodeStopping"),
    ("control.power_loss", "PowerInputChanged PowerRestoreDue"),
    ("control.facility_log", "LeakAlarm"),
    ("control.driver", "GpuLost NvSwitchLinkFault ModuleChanged ServiceChanged"),
    ("control.persistence", "ProcessesEnded ServiceChanged GpuSettingsChanged"),
    ("control.gpu_errors", "GpuMemoryError NvLinkFailed BoardDefectStruck ContextTimesOut ProgramCrashes"),
    ("control.gsp", "GspCallDue"),
    ("control.nvlink_fabric", "GpuReset ServiceChanged NodeStopping ModuleChanged"),
    ("control.systemd", "ProcessesEnded ServiceRestartDue"),
    (
        "control.subnet_manager.sweep",
        "LinkChanged NodeStopping NodeUp ModuleChanged ServiceChanged SubnetSweepDue ManagerPollDue HungUp",
    ),
    ("control.subnet_manager.crashes", "ManagerCrashes"),
    ("control.subnet_manager.by_hand", "ProcessesEnded"),
    ("control.port_log", "LinkChanged SubnetSwept"),
    ("control.processes", "NodeStopping"),
    ("control.communicators", "ProcessesEnded"),
    ("control.containers.daemon", "ServiceChanged"),
    ("control.containers.lifecycle", "ProcessesEnded ServiceChanged NodeStopping NodeUp ContainerMemoryFills"),
    ("control.sockets", "ProcessesEnded"),
    ("control.host_clock", "ServiceChanged"),
    ("control.munge", "ServiceChanged"),
    ("control.dcgm.host_engine", "ServiceChanged NodeStopping ProcessesEnded BoardDefectStruck"),
    ("control.dcgm.exporter", "ServiceChanged"),
    ("workloads.streams", "ProcessesEnded"),
    ("control.logins", "NodeStopping"),
    ("control.files", "NodeStopping"),
    (
        "control.slurm.controller",
        "SchedulerDue JobEnds JobCleanedUp ProcessesEnded NodeStopping NodeSilent ServiceChanged "
        "HostClockStepped BackupDue ContactDue",
    ),
    ("control.slurm.power_saving", "PowerDue"),
    (
        "control.slurm.job_scripts",
        "NodeScriptDue NodeScriptFailed HealthCheckDue ConfigurationRead ProcessesEnded NodeStopping",
    ),
    (
        "workloads.training.runs",
        "JobLaunched JobRunOver TrainingGivesUp GpuLoadChanged GpuSettingsChanged AirChanged NodePowered "
        "PowerInputChanged ThermalRegimeDue GpuLost PcieLinkChanged NvLinksChanged ProcessesHeld LinkChanged "
        "TrafficChanged",
    ),
    (
        "control.kubernetes.watching",
        "ServiceChanged FileWritten NodeStopping NodeUp ProcessesEnded XidReported",
    ),
    ("control.kubernetes.kubelet.node", "NodeStatusDue"),
    ("control.kubernetes.kubelet.pods", "KubeObjectChanged PodStepDue PodDeletionDue"),
    ("control.kubernetes.static_pods", "KubeObjectChanged"),
    ("control.kubernetes.device_plugins.nvidia", "KubeObjectChanged DevicePluginDue"),
    ("control.kubernetes.gpu_operator.labels", "KubeObjectChanged"),
    ("control.kubernetes.gpu_operator.cluster_policy", "KubeObjectChanged"),
    ("control.kubernetes.gpu_operator.validation", "KubeObjectChanged"),
    ("control.kubernetes.gpu_operator.mig_manager", "KubeObjectChanged MigChangeDue"),
    ("control.kubernetes.network_operator.policy", "KubeObjectChanged"),
    ("control.kubernetes.network_operator.plugins", "KubeObjectChanged"),
    ("control.kubernetes.network_operator.networks", "KubeObjectChanged"),
    ("control.kubernetes.controllers.node_lifecycle", "NodeStatusDue KubeObjectChanged PodDeletionDue"),
    ("control.kubernetes.controllers.namespaces", "KubeObjectChanged"),
    ("control.kubernetes.controllers.deployments", "KubeObjectChanged"),
    ("control.kubernetes.controllers.replica_sets", "KubeObjectChanged ReplicasDue"),
    ("control.kubernetes.controllers.daemon_sets", "KubeObjectChanged"),
    ("control.kubernetes.controllers.stateful_sets", "KubeObjectChanged"),
    ("control.kubernetes.controllers.jobs", "KubeObjectChanged KubeJobDue"),
    ("control.kubernetes.controllers.cron_jobs", "KubeObjectChanged KubeJobDue"),
    ("control.kubernetes.controllers.claims", "KubeObjectChanged"),
    ("control.kubernetes.controllers.collector", "KubeObjectChanged"),
    ("control.kubernetes.batch.training_jobs", "KubeObjectChanged"),
    ("control.kubernetes.scheduler", "KubeObjectChanged"),
    ("control.kubernetes.batch.kai", "KubeObjectChanged"),
    ("faults.fault", "FaultOnset"),
    ("hands.order", "HandsBegin HandsDone"),
)


def handlers_of(kind: type[Event]) -> list[Handler]:
    """The handlers of a type of event, in order; imports the modules that they are in."""
    names = [name for name, heard in _HEARERS if kind.__name__ in heard.split()]
    modules = [importlib.import_module(f"engine.{name}") for name in names]
    return [handler for module in modules for event, handler in module.HANDLERS if event is kind]


def handlers() -> list[tuple[type[Event], Handler]]:
    """Every (event type, handler), in order."""
    return [pair for name, _ in _HEARERS for pair in importlib.import_module(f"engine.{name}").HANDLERS]


def new_simulation(inventory: Inventory, seed: int) -> Simulation[World]:
    """A simulation at time 0 of the site's world, with its standing jobs running."""
    from engine.control.slurm.controller import start_standing_jobs
    from engine.control.subnet_manager.tables import FIRST_SWEEP

    simulation = Simulation(World(inventory, seed, FIRST_SWEEP), seed, LateBus(handlers_of))
    start_standing_jobs(simulation)
    if inventory.kubernetes is not None:
        from engine.control.kubernetes import bootstrap

        bootstrap.start(simulation)
    return simulation


def open_document(text: bytes, name: str, seed: int, overrides: Mapping[str, str]) -> Simulation[World]:
    """A simulation of the site that a file describes, or of the fabric of a netlist; `name` is what its author calls
    it. Raises DocumentError.
    """
    from engine.kernel.documents import read_document
    from engine.sites.build import build_inventory
    from engine.sites.imported import is_netlist, site_text

    if is_netlist(text.decode("utf-8", "replace")):
        text = site_text(text.decode("utf-8", "replace"), name).encode()
    return new_simulation(build_inventory(read_document(text, name), overrides), seed)


def open_site(
    site: str, seed: int = 1, overrides: Mapping[str, str] | None = None, standing: StandingModel | None = None
) -> Simulation[World]:
    """A simulation of the packaged site `site`, with other work in its queue where `standing` says so.

    Raises BreakfixError for unknown names and settings.
    """
    return new_simulation(load_site(site, overrides, standing), seed)
