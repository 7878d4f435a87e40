"""What the API server serves: its discovery, built-in resources and those of CustomResourceDefinitions.

The built-in ones stand in tables/kubernetes_resources.txt. A CustomResourceDefinition that lies in the cluster adds its
served versions after them, as discovery does.
"""

from __future__ import annotations

from functools import cache

from engine.control.kubernetes.objects import KubeDict, thaw
from engine.control.tables import rows
from engine.kernel.quick_dataclass import dataclass
from engine.world.world import World

_ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
_DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io/"


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource. `group` is "" for the core one; `definition` names the CustomResourceDefinition it comes from."""

    plural: str
    singular: str
    short_names: tuple[str, ...]
    group: str
    version: str
    namespaced: bool
    kind: str
    verbs: tuple[str, ...] = _ALL_VERBS
    categories: tuple[str, ...] = ()
    definition: str = ""

    @property
    def api_version(self) -> str:
        """`v1`, `apps/v1`."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def qualified(self) -> str:
        """`pods`, `deployments.apps`: as errors and `kubectl get -o name` of mixed lists call it."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def store(self) -> str:
        """The place of its objects: events of both groups are the same ones."""
        return "events" if self.plural == "events" else self.qualified


@cache
def built_in() -> tuple[Resource, ...]:
    """The server's own resources, in the order of its discovery."""
    return tuple(_resource(*row) for row in rows("kubernetes_resources"))


def _resource(
    plural: str, short: str, api_version: str, namespaced: str, kind: str, verbs: str, categories: str
) -> Resource:
    group, _, version = api_version.rpartition("/")
    return Resource(
        plural, kind.lower(), _words(short), group, version, namespaced == "yes", kind,
        _ALL_VERBS if verbs == "*" else _words(verbs), _words(categories),
    )  # fmt: skip


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split(",")) if text else ()


def discovered(world: World) -> tuple[Resource, ...]:
    """Everything that the server serves now."""
    found = list(built_in())
    for key in world.kube_objects.changed():
        if key.startswith(_DEFINITIONS):
            found += _custom(thaw(world.kube_objects[key].manifest))
    return tuple(found)


def _custom(definition: KubeDict) -> list[Resource]:
    spec = definition["spec"]
    names = spec["names"]
    return [
        Resource(
            names["plural"], names.get("singular", names["kind"].lower()), tuple(names.get("shortNames", ())),
            spec["group"], version["name"], spec.get("scope") == "Namespaced", names["kind"], _ALL_VERBS,
            tuple(names.get("categories", ())), definition["metadata"]["name"],
        )
        for version in spec["versions"] if version.get("served", True)
    ]  # fmt: skip


def find(world: World, name: str) -> Resource | None:
    """The resource that somebody calls `name`: plural, singular, short name, kind, each also with `.group` or
    `.version.group`; None if there is none. Earlier ones of the discovery win.
    """
    wanted = name.lower()
    plain, _, rest = wanted.partition(".")
    for each in discovered(world):
        if wanted in _names(each):
            return each
        full = (each.group, f"{each.version}.{each.group}", each.version if not each.group else "-")
        if rest and plain in _names(each) and rest in full:
            return each
    return None


def _names(each: Resource) -> tuple[str, ...]:
    return (each.plural, each.singular, each.kind.lower(), *each.short_names)


def of_kind(world: World, api_version: str, kind: str) -> Resource | None:
    """The resource of a manifest's apiVersion and kind, or None."""
    return next((each for each in discovered(world) if each.kind == kind and each.api_version == api_version), None)


def of_store(plural: str, group: str = "") -> Resource:
    """A built-in resource by plural and group. Raises StopIteration for one that there is not."""
    return next(each for each in built_in() if each.plural == plural and each.group == group)
