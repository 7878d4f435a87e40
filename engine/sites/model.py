"""The site format: what a site file and a board file may say. Validated with file:line errors on reading."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engine.kernel.validation import StrictModel
from engine.sites.kubernetes_model import KubernetesModel
from engine.sites.values import HostList, Name, Positive, VariableName, Version

BusNumber = Annotated[str, Field(pattern=r"^[0-9a-f]{2}$")]
BusAddress = Annotated[str, Field(pattern=r"^[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$")]
PciIds = Annotated[str, Field(pattern=r"^[0-9a-f]{4}:[0-9a-f]{4}$")]


class CpuModel(StrictModel):
    """Processors of a board; caches in KiB (L1 and L2 per core, L3 per socket). The flags, unless given, are those that
    Linux 6.8 shows of Sapphire Rapids (general knowledge, not a capture).
    """

    model: str
    vendor: str
    family: int
    model_number: int
    stepping: int
    sockets: Positive
    cores: Positive
    threads: Positive
    mhz_max: Positive
    mhz_min: Positive
    bogomips: str
    cache_l1d: Positive
    cache_l1i: Positive
    cache_l2: Positive
    cache_l3: Positive
    flags: str = (
        "fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush dts acpi mmx fxsr sse "
        "sse2 ss ht tm pbe syscall nx pdpe1gb rdtscp lm constant_tsc art arch_perfmon pebs bts rep_good nopl "
        "xtopology nonstop_tsc cpuid aperfmperf tsc_known_freq pni pclmulqdq dtes64 monitor ds_cpl vmx smx est tm2 "
        "ssse3 sdbg fma cx16 xtpr pdcm pcid dca sse4_1 sse4_2 x2apic movbe popcnt tsc_deadline_timer aes xsave avx "
        "f16c rdrand lahf_lm abm 3dnowprefetch cpuid_fault epb cat_l3 cat_l2 cdp_l3 cdp_l2 ssbd mba ibrs ibpb "
        "stibp ibrs_enhanced tpr_shadow flexpriority ept vpid ept_ad fsgsbase tsc_adjust bmi1 avx2 smep bmi2 erms "
        "invpcid cqm rdt_a avx512f avx512dq rdseed adx smap avx512ifma clflushopt clwb intel_pt avx512cd sha_ni "
        "avx512bw avx512vl xsaveopt xsavec xgetbv1 xsaves cqm_llc cqm_occup_llc cqm_mbm_total cqm_mbm_local "
        "split_lock_detect user_shstk avx_vnni avx512_bf16 wbnoinvd dtherm ida arat pln pts vnmi avx512vbmi umip "
        "pku ospke waitpkg avx512_vbmi2 gfni vaes vpclmulqdq avx512_vnni avx512_bitalg avx512_vpopcntdq la57 rdpid "
        "bus_lock_detect cldemote movdiri movdir64b enqcmd fsrm md_clear serialize tsxldtrk pconfig arch_lbr ibt "
        "amx_bf16 avx512_fp16 amx_tile amx_int8 flush_l1d arch_capabilities"
    )


class MemoryModel(StrictModel):
    """DIMMs of a board."""

    dimms: Positive
    gib_each: Positive


class FansModel(StrictModel):
    """Fan modules of a board."""

    count: Positive
    rotors: Positive = 1
    rpm_max: Positive = 16_000


class PsusModel(StrictModel):
    """Power supplies of a board."""

    count: Positive
    watts: Positive


class GpuSlot(StrictModel):
    """A GPU's place: bus number, the bridge port above it, NUMA node, SXM module number and the HCA of its rail."""

    bus: BusNumber
    under: BusAddress
    numa: int
    module: int
    hca: str | None = None


class NvSwitchSlot(StrictModel):
    """An NVSwitch's place."""

    bus: BusNumber
    under: BusAddress


class HcaSlot(StrictModel):
    """One RDMA device of a board."""

    name: Annotated[str, Field(pattern=r"^mlx5_\d+$")]
    bus: BusNumber
    function: int = 0
    netdev: str
    under: BusAddress
    numa: int
    purpose: Literal["compute", "storage", "inband", "management"]
    ethernet: bool = False
    dual: bool = False
    rate: Positive = 400
    cage: str | None = None


class DriveSlot(StrictModel):
    """An NVMe drive's place."""

    name: str
    bus: BusNumber
    under: BusAddress
    model: str
    firmware: str
    gib: Positive
    purpose: Literal["boot", "data"]


class InterfaceSlot(StrictModel):
    """An Ethernet interface. A bond names its members (RDMA devices) instead of a bus; one that bears the name of an
    Ethernet RDMA device's netdev is that device's, with an address of its own.
    """

    name: str
    network: str
    bus: BusNumber | None = None
    under: BusAddress | None = None
    driver: str
    mtu: Positive = 1500
    members: list[str] = Field(default_factory=list)


class RootDevice(StrictModel):
    """A host bridge or root port."""

    at: BusAddress
    id: PciIds
    role: Literal["host_bridge", "root_port", "isa_bridge"]
    numa: int
    generation: int = 0
    width: int = 0


class PcieSwitch(StrictModel):
    """A PCIe switch: its upstream port and its downstream ports."""

    upstream: BusAddress
    under: BusAddress
    id: PciIds
    numa: int
    generation: Positive
    width: Positive
    downstream: list[BusAddress]


class BoardModel(StrictModel):
    """A board file."""

    format: Version
    name: Name
    product_name: str
    vendor: str
    bios: str
    bmc_firmware: str
    cpu: CpuModel
    memory: MemoryModel
    fans: FansModel
    psus: PsusModel
    gpu: str | None = None
    gpus: list[GpuSlot] = Field(default_factory=list)
    nvswitches: list[NvSwitchSlot] = Field(default_factory=list)
    hcas: list[HcaSlot] = Field(default_factory=list)
    drives: list[DriveSlot] = Field(default_factory=list)
    interfaces: list[InterfaceSlot] = Field(default_factory=list)
    roots: list[RootDevice] = Field(default_factory=list)
    switches: list[PcieSwitch] = Field(default_factory=list)


class NetworkModel(StrictModel):
    """An Ethernet network of the site."""

    subnet: Annotated[str, Field(pattern=r"^\d+\.\d+\.\d+\.\d+/\d+$")]


class NodeGroup(StrictModel):
    """Nodes alike.

    `first_address` is the host number of the first one in every network, counted from the subnet's base. With
    `per_rack` so many stand in `rack`, as many in the next one of the site's racks, and so on.
    """

    names: HostList
    board: str
    role: Literal["head", "compute", "service", "control", "registry"]
    rack: str
    unit: Positive
    unit_step: int = 0
    per_rack: Positive | None = None
    first_address: Positive


class SwitchGroup(StrictModel):
    """Switches alike, one above the other; with `per_rack` they go on in the next racks. `os`: whose quality of service
    they have; `split`: each cage is two ports of half its rate; `bundled`: parallel cables to a neighbour are one link;
    `aggregation`: each has an aggregation node (SHARP) behind one more port.
    """

    names: HostList
    model: str
    role: Literal["leaf", "spine", "core"]
    rack: str
    unit: Positive
    per_rack: Positive | None = None
    first_address: Positive
    os: Literal["", "cumulus", "sonic"] = ""
    split: bool = False
    bundled: bool = False
    aggregation: bool = False


class RoceModel(StrictModel):
    """RoCE at a site: priority that is lossless, the DSCP that hosts give RoCE packets, metres of cable that SONiC
    switches work out headroom for, and whether Cumulus switches send flows by the least loaded way.
    """

    priority: Annotated[int, Field(ge=0, le=7)] = 3
    dscp: Annotated[int, Field(ge=0, le=63)] = 26
    cable_m: Positive = 40
    adaptive_routing: bool = True


class NodeCabling(StrictModel):
    """HCAs of nodes to ports of a switch: node by node, HCA by HCA, from `first_port` on."""

    nodes: HostList
    hcas: list[str]
    to: str
    first_port: Positive
    kind: Literal["copper", "optical", "active"]
    length_m: Positive


class RailCabling(StrictModel):
    """HCAs of nodes to the rail switches of their scalable unit: `unit` nodes share as many switches as `hcas` are
    named, the first unit the first ones of `rails`; a node's first HCA goes to the first switch of its unit, and so on,
    from `first_port` on.
    """

    nodes: HostList
    unit: Positive
    hcas: list[str]
    rails: HostList
    first_port: Positive
    kind: Literal["copper", "optical", "active"]
    length_m: Positive


class SwitchCabling(StrictModel):
    """Each of `switches` to each of `to_switches` with `count` cables.

    With blocks only within pairs of them: `switches` are taken in blocks of `block`, `to_switches` in blocks of
    `to_block`, and the blocks of the first are dealt to those of the second in turn. Leaves and spines of a pod are
    blocks of the same number; a spine (a block of one) goes to the block of core switches that bears its number within
    its pod.
    """

    switches: HostList
    to_switches: HostList
    block: Positive | None = None
    to_block: Positive | None = None
    count: Positive
    first_port: Positive
    first_port_there: Positive
    kind: Literal["copper", "optical", "active"]
    length_m: Positive


class UserModel(StrictModel):
    """A person with an account."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,30}$")]
    uid: Annotated[int, Field(ge=1000, le=60000)]
    full_name: str
    groups: list[str] = Field(default_factory=list)


class PartitionModel(StrictModel):
    """A Slurm partition."""

    name: Name
    nodes: HostList
    default: bool = False
    max_time: str = "UNLIMITED"


class SlurmModel(StrictModel):
    """The scheduler of the site."""

    partitions: list[PartitionModel]
    operators: list[str] = Field(default_factory=list)


class TrainingModel(StrictModel):
    """What a training job trains and how; what is left out follows from the number of its GPUs
    (engine.workloads.training.configuration). `variables` are exported to its ranks.
    """

    layers: Positive | None = None
    hidden: Positive | None = None
    sequence: Positive | None = None
    tensor_parallel: Positive | None = None
    pipeline_parallel: Positive | None = None
    micro_batch: Positive | None = None
    global_batch: Positive | None = None
    checkpoint_interval: Positive | None = None
    log_interval: Positive | None = None
    variables: dict[VariableName, str] = Field(default_factory=dict)


class JobModel(StrictModel):
    """Work under way when the site opens."""

    name: str
    user: str
    partition: str
    nodes: HostList
    gpus_per_node: int
    workload: str
    started_before: str
    time_limit: str
    training: TrainingModel | None = None


class QueuedJobModel(StrictModel):
    """Work that waits in the queue when the site opens, for any `node_count` nodes of its partition."""

    name: str
    user: str
    partition: str
    node_count: Positive
    gpus_per_node: int
    workload: str
    submitted_before: str
    time_limit: str
    training: TrainingModel | None = None


class StandingModel(StrictModel):
    """What stands in Slurm when a site opens, in place of what its file says. Partitions that are not given stay."""

    partitions: list[PartitionModel] | None = None
    jobs: list[JobModel] = Field(default_factory=list)
    queue: list[QueuedJobModel] = Field(default_factory=list)


class SiteModel(StrictModel):
    """A site file. With a `netlist` (text as ibnetdiscover prints it) switches and cables are what that says."""

    format: Version
    name: Name
    title: str
    cluster: Name
    domain: str
    start: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$")]
    timezone: str
    login_host: str
    learner: str
    inlet_temperature: Annotated[int, Field(ge=5, le=45)]
    notes: str = ""
    software: dict[str, str]
    networks: dict[str, NetworkModel]
    racks: list[HostList]
    nodes: list[NodeGroup]
    switches: list[SwitchGroup] = Field(default_factory=list)
    cabling: list[NodeCabling | RailCabling | SwitchCabling] = Field(default_factory=list)
    netlist: str = ""
    roce: RoceModel | None = None
    users: list[UserModel]
    slurm: SlurmModel | None = None
    jobs: list[JobModel] = Field(default_factory=list)
    queue: list[QueuedJobModel] = Field(default_factory=list)
    kubernetes: KubernetesModel | None = None
