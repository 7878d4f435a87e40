"""What happens in a Kubernetes cluster: objects that change, and moments that kubelets and controllers wait for."""

from __future__ import annotations

from engine.kernel.events import Event
from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class KubeObjectChanged(Event):
    """An API object was created, changed, or (`gone`) removed; `store` is its resource, `key` namespace/name. A change
    of a pod's status counts as one, and so does a change of a node's.
    """

    store: str
    key: str
    gone: bool = False


@dataclass(frozen=True, slots=True)
class PodStepDue(Event):
    """Scheduled: the kubelet goes on with a pod, unless the pod is another one (`uid`) or has moved on since
    (`due`).
    """

    key: str
    uid: str
    container: str
    due: int


@dataclass(frozen=True, slots=True)
class PodDeletionDue(Event):
    """Scheduled: a pod's grace period is over, or its toleration of a node's taint."""

    key: str
    uid: str
    why: str
    since: int


@dataclass(frozen=True, slots=True)
class NodeStatusDue(Event):
    """Scheduled: a kubelet looks at its node (`what` is kubelet), or the node controller does (controller), unless
    something newer is on its way (`due`).
    """

    node: str
    what: str
    due: int


@dataclass(frozen=True, slots=True)
class DevicePluginDue(Event):
    """Scheduled: a device plugin on a node enumerates its devices and registers (`pod` is its pod's uid)."""

    node: str
    pod: str


@dataclass(frozen=True, slots=True)
class MigChangeDue(Event):
    """Scheduled: the operands of a node that hold GPUs have gone, and its MIG manager (`manager`: its container's id)
    makes the change to the configuration `config`.
    """

    node: str
    config: str
    manager: str


@dataclass(frozen=True, slots=True)
class KubeJobDue(Event):
    """Scheduled: a Job makes its next pod after a failed one, or its time is over; or a CronJob is due (`since` is then
    the generation of its spec).
    """

    key: str
    uid: str
    why: str
    since: int


@dataclass(frozen=True, slots=True)
class ReplicasDue(Event):
    """Scheduled: a ReplicaSet makes pods in place of some that a kubelet rejected."""

    key: str
    uid: str
