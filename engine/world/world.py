"""The world: an inventory and the tables that hold the state of its parts."""

from __future__ import annotations

from types import MappingProxyType

from engine.kernel.errors import BreakfixError
from engine.kernel.random import hash64
from engine.kernel.shapes import Constant
from engine.kernel.state import State, Table
from engine.kernel.units import DAY, SECOND
from engine.world import records
from engine.world.adapters import as_it_runs, with_drivers
from engine.world.first_sweep import NO_MANAGER, FirstSweep
from engine.world.inventory import Inventory, Node


class World(State):
    """The live state of a site. `single` tables have the one id "".

    `inventory` is the site with its cables as they are plugged now (engine.physics.cabling), `plan` as it was built.
    `slurm_ledger` is no state: what engine.control.slurm.ledger worked out of the tables, for this world alone.
    """

    nodes: Table[records.NodeState]
    gpus: Table[records.GpuState]
    pcie_links: Table[records.PcieLinkState]
    pci_functions: Table[records.PciFunctionState]
    mig: Table[records.MigState]
    nvlinks: Table[records.NvLinkState]
    nvlink_fabric: Table[records.NvFabricState]
    thermal: Table[records.ThermalHistory]
    cooling: Table[records.CoolingState]
    fans: Table[records.FanState]
    psus: Table[records.PsuState]
    pdus: Table[records.PduState]
    platforms: Table[records.PlatformState]
    bmcs: Table[records.BmcState]
    firmware: Table[records.FirmwareState]
    leaks: Table[records.LeakState]
    interfaces: Table[records.InterfaceState]
    ports: Table[records.PortState]
    port_counters: Table[records.PortCounters]
    cables: Table[records.CableState]
    cabling: Table[records.CableEnds]
    switches: Table[records.SwitchState]
    port_qos: Table[records.PortQos]
    roce: Table[records.RoceSettings]
    ethernet_ports: Table[records.EthernetPort]
    ethernet_switches: Table[records.EthernetSwitch]
    optics: Table[records.ModuleState]
    connectors: Table[records.ConnectorState]
    adapters: Table[records.AdapterState]
    forwarding: Table[records.ForwardingTable]
    subnet_manager: Table[records.SubnetManagerState]
    managers: Table[records.ManagerMemory]
    partition_keys: Table[records.KeyTable]
    bundles: Table[records.Bundle]
    traffic: Table[records.PortTraffic]
    roce_traffic: Table[records.RoceTraffic]
    systems: Table[records.OsState]
    container_hosts: Table[records.ContainerHost]
    sockets: Table[records.Sockets]
    rdma: Table[records.RdmaState]
    communicators: Table[records.Meeting]
    host_engines: Table[records.HostEngine]
    host_clocks: Table[records.HostClock]
    munge: Table[records.MungeDaemon]
    exporters: Table[records.ExporterState]
    logs: Table[records.Log]
    sel: Table[records.Sel]
    files: Table[records.WrittenFiles]
    slurm_nodes: Table[records.SlurmNode]
    jobs: Table[records.Job]
    slurm: Table[records.SlurmController]
    slurm_database: Table[records.SlurmDatabase]
    kube: Table[records.KubeCluster]
    kube_objects: Table[records.KubeObject]
    kube_pods: Table[records.PodRun]
    kube_nodes: Table[records.KubeNode]
    kube_events: Table[records.KubeEvent]
    kube_logs: Table[records.ContainerLog]
    training: Table[records.TrainingRun]
    checkpoints: Table[records.Checkpoint]
    hands: Table[records.Hands]
    faults: Table[records.Faults]
    blast_radius: Table[records.BlastRadius]

    def __init__(self, inventory: Inventory, seed: int, first_sweep: FirstSweep = NO_MANAGER) -> None:
        super().__init__()
        self.inventory = inventory
        self.plan = inventory
        self.seed = seed
        self.first_sweep = first_sweep
        self.slurm_ledger: object = None
        self.nodes = self.table("nodes", self._new_node)
        self.gpus = self.table("gpus", self._new_gpu)
        self.pcie_links = self.table("pcie_links", lambda _: records.PcieLinkState())
        self.pci_functions = self.table("pci_functions", lambda _: records.PciFunctionState())
        self.mig = self.table("mig", lambda _: records.MigState())
        self.nvlinks = self.table("nvlinks", lambda _: records.NvLinkState())
        self.nvlink_fabric = self.table("nvlink_fabric", lambda _: records.NvFabricState())
        self.thermal = self.table("thermal", lambda _: records.ThermalHistory())
        self.cooling = self.table("cooling", self._new_cooling)
        self.fans = self.table("fans", lambda _: records.FanState())
        self.psus = self.table("psus", lambda _: records.PsuState())
        self._tables_around_nodes()
        self._tables_of_kubernetes()
        self.interfaces = self.table("interfaces", lambda _: records.InterfaceState())
        self.ports = self.table("ports", lambda _: records.PortState())
        self.port_counters = self.table("port_counters", lambda _: records.PortCounters())
        self.cables = self.table("cables", lambda _: records.CableState())
        self._tables_of_networks()
        self.optics = self.table("optics", lambda _: records.ModuleState())
        self.connectors = self.table("connectors", lambda _: records.ConnectorState())
        self.adapters = self.table("adapters", lambda _: records.AdapterState())
        self.systems = self.table("systems", lambda _: records.OsState())
        self.container_hosts = self.table("container_hosts", lambda _: records.ContainerHost())
        self.sockets = self.table("sockets", lambda _: records.Sockets())
        self.rdma = self.table("rdma", lambda _: records.RdmaState())
        self.communicators = self.table("communicators", lambda _: records.Meeting())
        self.host_engines = self.table("host_engines", lambda _: records.HostEngine())
        self.host_clocks = self.table("host_clocks", lambda _: records.HostClock())
        self.munge = self.table("munge", lambda _: records.MungeDaemon())
        self.exporters = self.table("exporters", lambda _: records.ExporterState())
        self.logs = self.table("logs", lambda _: records.Log())
        self.sel = self.table("sel", lambda _: records.Sel())
        self.files = self.table("files", lambda _: records.WrittenFiles())
        self.slurm_nodes = self.table("slurm_nodes", lambda _: records.SlurmNode())
        self.jobs = self.table("jobs", self._no_job)
        self.slurm = self.table("slurm", lambda _: records.SlurmController())
        self.slurm_database = self.table("slurm_database", lambda _: records.SlurmDatabase())
        self.training = self.table("training", self._no_training)
        self.checkpoints = self.table("checkpoints", lambda _: records.Checkpoint())
        self.hands = self.table("hands", lambda _: records.Hands())
        self.faults = self.table("faults", lambda _: records.Faults())
        self.blast_radius = self.table("blast_radius", lambda _: records.BlastRadius())

    def _tables_around_nodes(self) -> None:
        """What stands around the systems: power, BMCs, firmware, cooling doors."""
        self.pdus = self.table("pdus", lambda _: records.PduState())
        self.platforms = self.table("platforms", lambda _: records.PlatformState())
        self.bmcs = self.table("bmcs", lambda _: records.BmcState())
        self.firmware = self.table("firmware", lambda _: records.FirmwareState())
        self.leaks = self.table("leaks", lambda _: records.LeakState())

    def _tables_of_kubernetes(self) -> None:
        """What a Kubernetes cluster keeps."""
        self.kube = self.table("kube", lambda _: records.KubeCluster())
        self.kube_objects = self.table("kube_objects", lambda _: records.KubeObject())
        self.kube_pods = self.table("kube_pods", self._no_pod)
        self.kube_nodes = self.table("kube_nodes", lambda _: records.KubeNode())
        self.kube_events = self.table("kube_events", self._no_event)
        self.kube_logs = self.table("kube_logs", lambda _: records.ContainerLog())

    def _tables_of_networks(self) -> None:
        """How packets find their way, what is sent, quality of service, and what is latched in Ethernet ports."""
        self.cabling = self.table("cabling", lambda _: records.CableEnds())
        self.switches = self.table("switches", lambda _: records.SwitchState())
        self.forwarding = self.table("forwarding", self._first_table)
        self.subnet_manager = self.table("subnet_manager", lambda _: records.SubnetManagerState())
        self.managers = self.table("managers", lambda _: records.ManagerMemory())
        self.partition_keys = self.table("partition_keys", lambda _: records.KeyTable())
        self.bundles = self.table("bundles", lambda _: records.Bundle())
        self.traffic = self.table("traffic", lambda _: records.PortTraffic())
        self.roce_traffic = self.table("roce_traffic", lambda _: records.RoceTraffic())
        self.port_qos = self.table("port_qos", self.plan.first_qos)
        self.roce = self.table("roce", lambda _: self.plan.first_roce)
        self.ethernet_ports = self.table("ethernet_ports", lambda _: records.EthernetPort())
        self.ethernet_switches = self.table("ethernet_switches", self.plan.first_switch)

    @property
    def software(self) -> MappingProxyType[str, str]:
        """Software versions of the site, by name (`driver`, `slurm`, ...)."""
        return MappingProxyType(dict(self.inventory.software))

    def node(self, name: str) -> Node:
        """A node as it is: the inventory's record, with its network cards as their firmware runs, and without cards
        and drives whose driver has none of them.
        """
        found = self.inventory.node(name)
        if self.adapters.generation:
            found = as_it_runs(self.inventory, found, self.adapters)
        return with_drivers(self.inventory, found, self.pci_functions) if self.pci_functions.generation else found

    def _new_node(self, name: str) -> records.NodeState:
        """Weeks of uptime, different from node to node."""
        up = 9 * DAY + hash64(self.seed, "uptime", name) % (40 * DAY // SECOND) * SECOND
        return records.NodeState(booted_at=-up)

    def _new_gpu(self, identifier: str) -> records.GpuState:
        gpu = self.inventory.gpu(identifier)
        return records.GpuState(serial=gpu.serial, uuid=gpu.uuid, power_limit=gpu.product.power_limit)

    def usual_inlet(self, node: str) -> int:
        """The inlet temperature of a node (m°C) while nothing is wrong: places in the racks differ by up to a degree
        and a half.
        """
        return self.inventory.inlet_temperature + hash64(self.inventory.name, "inlet", node) % 3000 - 1500

    def _new_cooling(self, node: str) -> records.CoolingState:
        return records.CoolingState(inlet=Constant(self.usual_inlet(node)))

    def _first_table(self, switch: str) -> records.ForwardingTable:
        return records.ForwardingTable(self.first_sweep.tables(self.inventory).get(switch, b""))

    @staticmethod
    def _no_job(identifier: str) -> records.Job:
        raise BreakfixError(f"there is no job {identifier}")

    @staticmethod
    def _no_training(identifier: str) -> records.TrainingRun:
        raise BreakfixError(f"job {identifier} trains nothing")

    @staticmethod
    def _no_pod(identifier: str) -> records.PodRun:
        raise BreakfixError(f"no node runs the pod {identifier}")

    @staticmethod
    def _no_event(identifier: str) -> records.KubeEvent:
        raise BreakfixError(f"there is no event {identifier}")
