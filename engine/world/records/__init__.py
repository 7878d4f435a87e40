"""State records: what is configured, damaged or latched, by component. Everything else is worked out from these and the
time.

Times are ns since the site's start (negative before it), temperatures m°C, powers mW, clocks MHz, memory MiB.
"""

from __future__ import annotations

from engine.world.records.buses import (
    NvFabricState,
    NvLinkErrors,
    NvLinkState,
    PcieLinkState,
)
from engine.world.records.communicators import (
    Meeting,
    Member,
)
from engine.world.records.dcgm import (
    EntityGroup,
    FieldGroup,
    HealthWatch,
    HostEngine,
    LinkSample,
    RecordedJob,
    ViolationPolicy,
)
from engine.world.records.gpu import (
    AccountedProcess,
    BoardDefect,
    BusDefect,
    BusState,
    EccCounts,
    FatalXid,
    GpuLoad,
    GpuState,
    RecoveryAction,
    RowRemap,
)
from engine.world.records.logs import (
    BootRecord,
    Log,
    LogEntry,
    Priority,
    Sel,
    SelEntry,
)
from engine.world.records.mig import (
    ComputeInstance,
    GpuInstance,
    MigState,
)
from engine.world.records.network import (
    CableState,
    Flapping,
    ForwardingTable,
    LogicalState,
    PhysicalState,
    PortCounters,
    PortState,
    SubnetManagerState,
)
from engine.world.records.node import (
    BootPhase,
    NodeState,
    Power,
    PsuState,
)
from engine.world.records.operating_system import (
    Login,
    OsState,
    PackageChange,
    Process,
    Service,
    WrittenFile,
    WrittenFiles,
)
from engine.world.records.play import (
    ActiveFault,
    BlastRadius,
    Faults,
    Hands,
    HandsOrder,
    Harm,
)
from engine.world.records.slurm import (
    Job,
    JobRun,
    JobStep,
    SlurmController,
    SlurmNode,
)
from engine.world.records.sockets import (
    Connection,
    Listener,
    RdmaState,
    SocketEnd,
    Sockets,
)
from engine.world.records.thermal import (
    CoolingState,
    FanState,
    ThermalHistory,
    ThermalRegime,
)
from engine.world.records.traffic import (
    WHOLE,
    Bundle,
    Flow,
    PortTraffic,
    ServiceClass,
    Volume,
)
from engine.world.records.training import (
    Checkpoint,
    TrainingConfiguration,
    TrainingEnding,
    TrainingRegime,
    TrainingRun,
    TrainingStall,
)

__all__ = [
    "WHOLE",
    "AccountedProcess",
    "ActiveFault",
    "BlastRadius",
    "BoardDefect",
    "BootPhase",
    "BootRecord",
    "Bundle",
    "BusDefect",
    "BusState",
    "CableState",
    "Checkpoint",
    "ComputeInstance",
    "Connection",
    "CoolingState",
    "EccCounts",
    "EntityGroup",
    "FanState",
    "FatalXid",
    "Faults",
    "FieldGroup",
    "Flapping",
    "Flow",
    "ForwardingTable",
    "GpuInstance",
    "GpuLoad",
    "GpuState",
    "Hands",
    "HandsOrder",
    "Harm",
    "HealthWatch",
    "HostEngine",
    "Job",
    "JobRun",
    "JobStep",
    "LinkSample",
    "Listener",
    "Log",
    "LogEntry",
    "LogicalState",
    "Login",
    "Meeting",
    "Member",
    "MigState",
    "NodeState",
    "NvFabricState",
    "NvLinkErrors",
    "NvLinkState",
    "OsState",
    "PackageChange",
    "PcieLinkState",
    "PhysicalState",
    "PortCounters",
    "PortState",
    "PortTraffic",
    "Power",
    "Priority",
    "Process",
    "PsuState",
    "RdmaState",
    "RecordedJob",
    "RecoveryAction",
    "RowRemap",
    "Sel",
    "SelEntry",
    "Service",
    "ServiceClass",
    "SlurmController",
    "SlurmNode",
    "SocketEnd",
    "Sockets",
    "SubnetManagerState",
    "ThermalHistory",
    "ThermalRegime",
    "TrainingConfiguration",
    "TrainingEnding",
    "TrainingRegime",
    "TrainingRun",
    "TrainingStall",
    "ViolationPolicy",
    "Volume",
    "WrittenFile",
    "WrittenFiles",
]
