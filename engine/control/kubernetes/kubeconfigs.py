"""Kubeconfigs of people; the administrators' as `kubeadm init` writes it to /etc/kubernetes/admin.conf and people
copy it to ~/.kube/config. The certificates and the key in it stand for real ones: text of their size, which nothing
reads.
"""

from __future__ import annotations

import base64

from engine.control.kubernetes import control_plane
from engine.kernel.random import Stream
from engine.world.world import World

ADMINISTRATOR = "kubernetes-admin"
CLUSTER = "kubernetes"
CONTEXT = f"{ADMINISTRATOR}@{CLUSTER}"
_LINE = 64  # characters of a line of PEM
_SIZES = {"CERTIFICATE": 1472, "RSA PRIVATE KEY": 1592}  # characters of base64, as kubeadm's RSA of 2048 bits gives


def _pem(world: World, kind: str, name: str) -> str:
    stream = Stream(world.seed, f"kubernetes/pem/{name}/{kind}")
    size = _SIZES[kind]
    text = base64.b64encode(bytes.fromhex(stream.hexadecimal(size * 3 // 2))).decode()
    lines = [text[start : start + _LINE] for start in range(0, len(text), _LINE)]
    pem = "\n".join([f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----", ""])
    return base64.b64encode(pem.encode()).decode()


def administrator(world: World) -> str:
    """The file's text. The site must have a cluster."""
    return _text(world, ADMINISTRATOR, "admin", "")


def person(world: World, user: str) -> str:
    """The kubeconfig of somebody who works in one namespace."""
    cluster = world.inventory.kubernetes
    assert cluster is not None
    return _text(world, user, user, f"    namespace: {dict(cluster.users)[user]}\n")


def _text(world: World, user: str, key_of: str, more: str) -> str:
    authority = _pem(world, "CERTIFICATE", "authority")
    certificate, key = _pem(world, "CERTIFICATE", key_of), _pem(world, "RSA PRIVATE KEY", key_of)
    context = f"{user}@{CLUSTER}"
    return f"""apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: {authority}
    server: {control_plane.url(world)}
  name: {CLUSTER}
contexts:
- context:
    cluster: {CLUSTER}
{more}    user: {user}
  name: {context}
current-context: {context}
kind: Config
preferences: {{}}
users:
- name: {user}
  user:
    client-certificate-data: {certificate}
    client-key-data: {key}
"""
