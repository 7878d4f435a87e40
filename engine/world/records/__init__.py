"""State records: what is configured, damaged or latched, by component. Everything else is worked out from these and the
time.

Times are ns since the site's start (negative before it), temperatures m°C, powers mW, clocks MHz, memory MiB.
"""

from __future__ import annotations

from engine.world.records.gpu import (
    BusDefect,
    BusState,
    EccCounts,
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
from engine.world.records.network import (
    CableState,
    LogicalState,
    PhysicalState,
    PortState,
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
from engine.world.records.thermal import (
    CoolingState,
    FanState,
    ThermalHistory,
    ThermalRegime,
)

__all__ = [
    "ActiveFault",
    "BlastRadius",
    "BootPhase",
    "BootRecord",
    "BusDefect",
    "BusState",
    "CableState",
    "CoolingState",
    "EccCounts",
    "FanState",
    "Faults",
    "GpuLoad",
    "GpuState",
    "Hands",
    "HandsOrder",
    "Harm",
    "Job",
    "JobRun",
    "JobStep",
    "Log",
    "LogEntry",
    "LogicalState",
    "Login",
    "NodeState",
    "OsState",
    "PackageChange",
    "PhysicalState",
    "PortState",
    "Power",
    "Priority",
    "Process",
    "PsuState",
    "RecoveryAction",
    "RowRemap",
    "Sel",
    "SelEntry",
    "Service",
    "SlurmController",
    "SlurmNode",
    "ThermalHistory",
    "ThermalRegime",
    "WrittenFile",
    "WrittenFiles",
]
