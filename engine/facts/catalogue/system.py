"""The operating system of a host: modules, packages, services and files."""

from __future__ import annotations

from engine.control import files, modules, packages, service_state
from engine.facts.fact import View, fact
from engine.facts.kinds import Host


@fact("module.loaded")
def module_loaded(view: View, host: Host, module: str) -> bool:
    """Whether a kernel module is loaded."""
    return modules.is_loaded(view.world, host, module)


@fact("package.version")
def package_version(view: View, host: Host, package: str) -> str | None:
    """The installed version of a package; no answer if it is not installed."""
    found = packages.installed(view.world, host).get(package)
    return found.version if found else None


@fact("package.held")
def package_held(view: View, host: Host, package: str) -> bool:
    """Whether a package is kept from being upgraded."""
    return package in packages.holds(view.world, host)


@fact("service.active")
def service_active(view: View, host: Host, service: str) -> bool:
    """Whether a systemd unit runs."""
    return service_state.service(view.world, host, service).active


@fact("service.enabled")
def service_enabled(view: View, host: Host, service: str) -> bool:
    """Whether a systemd unit starts at boot."""
    return service_state.service(view.world, host, service).enabled


@fact("service.failed")
def service_failed(view: View, host: Host, service: str) -> bool:
    """Whether a systemd unit has failed."""
    return service_state.service(view.world, host, service).failed


@fact("file.text_contains")
def file_contains(view: View, host: Host, path: str, text: str) -> bool:
    """Whether a file that somebody wrote or changed holds a text; false for files that nobody has touched."""
    return text in files.text(view.world, host, path, "")


@fact("file.removed")
def file_removed(view: View, host: Host, path: str) -> bool:
    """Whether somebody removed a file."""
    return files.removed(view.world, host, path)
