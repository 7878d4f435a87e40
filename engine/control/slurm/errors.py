"""What slurmctld answers when it refuses, in the words of slurm_strerror.

Source: SchedMD/slurm 24.11 src/common/slurm_errno.c. Numbers matter to scancel alone, whose exit status is the number
modulo 256.
"""

from __future__ import annotations

from enum import Enum


class SlurmError(Enum):
    """An error of the controller: its number and its text."""

    CONNECTION = (1800, "Unable to contact slurm controller (connect failure)")
    AUTHENTICATION = (1007, "Protocol authentication error")
    INVALID_PARTITION = (2000, "Invalid partition name specified")
    NO_DEFAULT_PARTITION = (2001, "No partition specified or system default partition")
    ACCESS_DENIED = (2002, "Access/permission denied")
    NODES_NOT_IN_PARTITION = (2004, "Requested nodes not in this partition")
    TOO_MANY_CPUS = (2005, "More processors requested than permitted")
    NODE_COUNT = (2006, "Node count specification invalid")
    USER_ID = (2010, "Invalid user id")
    NODE_CONFIGURATION = (2014, "Requested node configuration is not available")
    PARTITION_CONFIGURATION = (2015, "Requested partition configuration not available now")
    NODES_BUSY = (2016, "Requested nodes are busy")
    INVALID_JOB = (2017, "Invalid job id specified")
    INVALID_NODE = (2018, "Invalid node name specified")
    ALREADY_DONE = (2021, "Job/step already completing or completed")
    JOB_PENDING = (2024, "Job is pending execution")
    INVALID_NODE_STATE = (2028, "Invalid node state specified")
    INVALID_FEATURE = (2029, "Invalid feature specification")
    BATCH_ONLY = (2039, "Only batch jobs are accepted or processed")
    JOB_HELD = (2042, "Job is in held state, pending scheduler release")
    DEPENDENCY = (2038, "Job dependency problem")
    DISABLED = (2037, "Requested operation is presently disabled")
    INVALID_ACCOUNT = (2045, "Invalid account or account/partition combination specified")
    POLICY = (2050, "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)")
    TIME_LIMIT = (2051, "Requested time limit is invalid (missing or exceeds some limit)")
    RESERVATION_ACCESS = (2052, "Access denied to requested reservation")
    RESERVATION = (2053, "Requested reservation is invalid")
    TIME = (2054, "Invalid time specified")
    RESERVATION_BUSY = (2055, "Requested reservation is in use")
    RESERVATION_OVERLAP = (2058, "Requested reservation overlaps with another reservation")
    INVALID_QOS = (2066, "Invalid qos specification")
    NODE_NOT_AVAILABLE = (2068, "Required node not available (down, drained or reserved)")
    INVALID_GRES = (2072, "Invalid generic resource (gres) specification")
    NOT_PENDING = (2073, "Job is no longer pending execution")
    RESERVATION_EMPTY = (2080, "Reservation request lacks users, groups or accounts")
    INVALID_ARRAY = (2081, "Invalid job array specification")
    RESERVATION_NAME = (2082, "Duplicate reservation name")
    NOT_PENDING_NOR_RUNNING = (2086, "Job is not pending nor running")
    REBOOT_IN_PROGRESS = (2120, "Reboot already in progress")

    @property
    def number(self) -> int:
        return self.value[0]

    @property
    def text(self) -> str:
        return self.value[1]


class Refused(Exception):
    """A request is refused; actions turn it into their result. `notes` are the lines that the client prints before the
    error.
    """

    def __init__(self, error: SlurmError, *notes: str) -> None:
        super().__init__(error.text)
        self.error = error
        self.notes = notes
