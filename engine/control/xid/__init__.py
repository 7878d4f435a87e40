"""What the NVIDIA kernel modules say of GPUs and NVSwitches in the kernel log: Xids, SXids, the loss of a GPU, a dead
one at probe time. The catalogue is data; `report` writes an Xid and does what follows from it.
"""

from __future__ import annotations

from engine.control.xid import catalogue, lines
from engine.control.xid.lines import (
    identification,
    loaded_release,
    release,
    short_name,
    xid,
    xid_line,
)
from engine.control.xid.loss import (
    FALLEN_OFF_BUS,
    report_dead_at_probe,
    report_loss,
    report_mismatch,
    tell_all_channels,
)
from engine.control.xid.recovery import (
    HAS_RECOVERY_ACTION,
    RECOVERY_ACTION_CHANGED,
    change_recovery,
    demand_recovery,
)
from engine.control.xid.report import (
    ENDED,
    PREEMPTIVE_REMOVAL,
    end_work,
    main_process,
    report,
    watches,
)
from engine.control.xid.switches import (
    LTSSM_FAULT_UP,
    report_link_fault,
    report_sxid,
    switch_ports,
)

__all__ = [
    "ENDED",
    "FALLEN_OFF_BUS",
    "HAS_RECOVERY_ACTION",
    "LTSSM_FAULT_UP",
    "PREEMPTIVE_REMOVAL",
    "RECOVERY_ACTION_CHANGED",
    "catalogue",
    "change_recovery",
    "demand_recovery",
    "end_work",
    "identification",
    "lines",
    "loaded_release",
    "main_process",
    "release",
    "report",
    "report_dead_at_probe",
    "report_link_fault",
    "report_loss",
    "report_mismatch",
    "report_sxid",
    "short_name",
    "switch_ports",
    "tell_all_channels",
    "watches",
    "xid",
    "xid_line",
]
