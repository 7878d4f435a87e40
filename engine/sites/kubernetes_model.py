"""The part of a site file that describes its Kubernetes cluster."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from engine.kernel.validation import StrictModel
from engine.sites.values import HostList

Network = Annotated[str, Field(pattern=r"^\d+\.\d+\.\d+\.\d+/\d+$")]


class WorkloadModel(StrictModel):
    """An object that was applied to the cluster before the site opens, so long ago (`90m`, `12d`)."""

    created_before: str
    manifest: dict[str, Any]


class KubernetesModel(StrictModel):
    """The Kubernetes cluster of the site: its nodes' parts, its networks and what people have applied.

    `admins` have the administrators' kubeconfig, `users` one of their own, with the namespace that is meant by default;
    what they may do there is bound by objects among the workloads.

    `registry` is the host whose images are pulled by its name; it also mirrors what the site needs of the public ones.
    """

    control_plane: HostList
    workers: HostList
    registry: str
    pod_network: Network = "10.244.0.0/16"
    service_network: Network = "10.96.0.0/12"
    admins: list[str] = Field(default_factory=list)
    users: dict[str, str] = Field(default_factory=dict)
    workloads: list[WorkloadModel] = Field(default_factory=list)
