"""How lspci names vendors, devices and classes: by the database, by numbers (-n) or both (-nn)."""

from __future__ import annotations

from dataclasses import dataclass

from engine.physics import pci_ids

TEXT, NUMBERS, BOTH = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Names:
    """Names in one of the three styles."""

    style: int = TEXT

    def class_of(self, code: str) -> str:
        """Of a class such as 0302."""
        name, exact = pci_ids.class_name(code)
        if name and not exact and self.style != NUMBERS:
            return f"{name} [{code}]"
        return self._single(name, code, "Class")

    def vendor(self, vendor: str) -> str:
        """Of a vendor such as 10de."""
        return self._single(pci_ids.VENDORS.get(vendor), vendor, "Vendor")

    def device(self, ids: str) -> str:
        """Of a device such as 10de:2330, without its vendor."""
        return self._single(pci_ids.device_name(ids), ids.partition(":")[2], "Device")

    def vendor_and_device(self, ids: str) -> str:
        """Of a device with its vendor."""
        return self._pair(pci_ids.device_name(ids), ids)

    def subsystem_vendor(self, subsystem: str) -> str:
        """Of a subsystem's vendor."""
        vendor = subsystem.partition(":")[0]
        return self._single(pci_ids.VENDORS.get(vendor), vendor, "Unknown vendor")

    def subsystem_device(self, ids: str, subsystem: str) -> str:
        """Of a subsystem, without its vendor."""
        return self._single(pci_ids.subsystem_name(ids, subsystem), subsystem.partition(":")[2], "Device")

    def subsystem(self, ids: str, subsystem: str) -> str:
        """Of a subsystem with its vendor."""
        return self._pair(pci_ids.subsystem_name(ids, subsystem), subsystem)

    def _single(self, name: str | None, number: str, unknown: str) -> str:
        if self.style == NUMBERS:
            return number
        if name is None:
            return f"{unknown} [{number}]" if self.style == BOTH else f"{unknown} {number}"
        return f"{name} [{number}]" if self.style == BOTH else name

    def _pair(self, name: str | None, ids: str) -> str:
        if self.style == NUMBERS:
            return ids
        vendor_id, _, number = ids.partition(":")
        vendor = pci_ids.VENDORS.get(vendor_id)
        known = f"{vendor} {name or 'Device'}" if vendor else "Device"
        if self.style == BOTH:
            return f"{known} [{ids}]"
        return known if vendor and name else f"{known} {number if vendor else ids}"
