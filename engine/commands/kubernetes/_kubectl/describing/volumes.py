"""Volumes of pods, and what persistent volumes stand on, in descriptions.

Source: kubectl pkg/describe/describe.go (describeVolumes and the print... functions of the sources).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.commands.kubernetes._kubectl import release
from engine.commands.kubernetes._kubectl.describing.writer import Writer

Plain = Mapping[str, Any]


def volumes(out: Writer, found: Sequence[Plain], indent: str = "") -> None:
    """The volumes of a pod."""
    if not found:
        out.parts.append(f"{indent}Volumes:\t<none>\n")
        return
    out.parts.append(f"{indent}Volumes:\n")
    for each in found:
        out.line(1, f"{' ' if indent else ''}{each['name']}:")
        source(out, each)


def source(out: Writer, each: Plain) -> None:
    """What a volume stands on."""
    for kind, show in _SOURCES.items():
        if each.get(kind) is not None:
            show(out, each[kind])
            return
    out.line(1, "<unknown>")


def _rows(out: Writer, kind: str, rows: Sequence[tuple[str, object]]) -> None:
    out.pair("Type", kind, 2)
    for name, value in rows:
        out.parts.append(f"    {name}:\t{_text(value)}\n")


def _text(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value


def _host_path(out: Writer, it: Plain) -> None:
    rows = [("Path", it.get("path", "")), ("HostPathType", "<none>" if it.get("type") is None else it["type"])]
    _rows(out, "HostPath (bare host directory volume)", rows)


def _empty_dir(out: Writer, it: Plain) -> None:
    rows = [("Medium", it.get("medium", "")), ("SizeLimit", it.get("sizeLimit") or "<unset>")]
    _rows(out, "EmptyDir (a temporary directory that shares a pod's lifetime)", rows)


def _secret(out: Writer, it: Plain) -> None:
    rows = [("SecretName", it.get("secretName", "")), ("Optional", bool(it.get("optional")))]
    _rows(out, "Secret (a volume populated by a Secret)", rows)


def _config_map(out: Writer, it: Plain) -> None:
    rows = [("Name", it.get("name", "")), ("Optional", bool(it.get("optional")))]
    _rows(out, "ConfigMap (a volume populated by a ConfigMap)", rows)


def _nfs(out: Writer, it: Plain) -> None:
    rows = [("Server", it.get("server", "")), ("Path", it.get("path", "")), ("ReadOnly", bool(it.get("readOnly")))]
    _rows(out, "NFS (an NFS mount that lasts the lifetime of a pod)", rows)


def _claim(out: Writer, it: Plain) -> None:
    rows = [("ClaimName", it.get("claimName", "")), ("ReadOnly", bool(it.get("readOnly")))]
    _rows(out, "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)", rows)


def _local(out: Writer, it: Plain) -> None:
    _rows(out, "LocalVolume (a persistent volume backed by local storage on a node)", [("Path", it.get("path", ""))])


def _csi(out: Writer, it: Plain) -> None:
    rows = [("Driver", it.get("driver", "")), ("FSType", it.get("fsType", ""))]
    rows += [("VolumeHandle", it["volumeHandle"])] if it.get("volumeHandle") else []
    rows.append(("ReadOnly", bool(it.get("readOnly"))))
    _rows(out, "CSI (a Container Storage Interface (CSI) volume source)", rows)
    attributes = it.get("volumeAttributes") or {}
    if not attributes:
        out.pair("VolumeAttributes", "<none>", 2)
    for place, key in enumerate(sorted(attributes)):
        out.parts.append(f"    {'VolumeAttributes:' if not place else '    '}\t{key}={attributes[key]}\n")


def _projected(out: Writer, it: Plain) -> None:
    out.pair("Type", "Projected (a volume that contains injected data from multiple sources)", 2)
    for part in it.get("sources") or ():
        if part.get("secret"):
            out.pair("SecretName", part["secret"].get("name", ""), 2)
            _optional(out, "SecretOptionalName", part["secret"])
        elif part.get("downwardAPI") is not None:
            out.pair("DownwardAPI", "true", 2)
        elif part.get("configMap"):
            out.pair("ConfigMapName", part["configMap"].get("name", ""), 2)
            _optional(out, "ConfigMapOptional", part["configMap"])
        elif part.get("serviceAccountToken") is not None:
            out.pair("TokenExpirationSeconds", part["serviceAccountToken"].get("expirationSeconds", 3600), 2)


def _optional(out: Writer, title: str, part: Plain) -> None:
    """Older clients print the pointer to the value."""
    if out.minor >= release.PROJECTED_OPTIONAL:
        out.parts.append(f"    Optional:\t{str(bool(part.get('optional'))).lower()}\n")
    else:
        out.parts.append(f"    {title}:\t{'<nil>' if part.get('optional') is None else '0xc0007a2b1f'}\n")


_SOURCES: dict[str, Callable[[Writer, Plain], None]] = {
    "hostPath": _host_path, "emptyDir": _empty_dir, "secret": _secret, "configMap": _config_map, "nfs": _nfs,
    "persistentVolumeClaim": _claim, "local": _local, "csi": _csi, "projected": _projected,
}  # fmt: skip
