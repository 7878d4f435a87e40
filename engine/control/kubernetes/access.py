"""Who may do what: RBAC of the API server in a first form.

A request is let through if a binding whose subject is the user, one of the groups or the service account leads to a
role with a fitting rule: RoleBindings in their own namespace, ClusterRoleBindings everywhere. The group
system:masters may everything; kubeadm's administrators do by their ClusterRoleBinding. A role with an aggregationRule
has the rules of its labels' roles (pkg/registry/rbac/validation, plugin/pkg/auth/authorizer/rbac). Resource names and
wildcards count; non-resource URLs are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.control.kubernetes import selectors, store
from engine.control.kubernetes.objects import KubeDict, labels_of, namespace_of
from engine.control.kubernetes.resources import Resource
from engine.control.kubernetes.status_error import StatusError
from engine.kernel.quick_dataclass import dataclass
from engine.world.world import World

_GROUP = "rbac.authorization.k8s.io"
CLUSTER_ROLES, CLUSTER_BINDINGS = f"clusterroles.{_GROUP}", f"clusterrolebindings.{_GROUP}"
ROLES, BINDINGS = f"roles.{_GROUP}", f"rolebindings.{_GROUP}"
_MASTERS, _ACCOUNT = "system:masters", "system:serviceaccount:"


@dataclass(frozen=True, slots=True)
class Subject:
    """Who asks, as the server has authenticated them."""

    name: str
    groups: tuple[str, ...] = ()


ADMINISTRATOR = Subject("kubernetes-admin", ("kubeadm:cluster-admins", "system:authenticated"))


def subject(name: str, groups: Iterable[str] = ()) -> Subject:
    """A user by name; a service account is in its namespace's groups."""
    found = list(groups)
    if name.startswith(_ACCOUNT):
        namespace = name.removeprefix(_ACCOUNT).partition(":")[0]
        found += ["system:serviceaccounts", f"system:serviceaccounts:{namespace}"]
    return Subject(name, (*found, "system:authenticated"))


def allowed(
    world: World, who: Subject, verb: str, resource: Resource, namespace: str, name: str, part: str = ""
) -> bool:
    """Whether somebody may do something with a resource, in a namespace or ("") in all of the cluster."""
    if _MASTERS in who.groups:
        return True
    wanted = f"{resource.plural}/{part}" if part else resource.plural
    return any(_fits(rule, verb, resource.group, wanted, name) for rule in _rules(world, who, namespace))


def check(world: World, who: Subject, verb: str, resource: Resource, namespace: str, name: str, part: str = "") -> None:
    """Nothing, if somebody may. Raises StatusError (Forbidden)."""
    where = namespace if resource.namespaced else ""
    if allowed(world, who, verb, resource, where, name, part):
        return
    wanted = f"{resource.plural}/{part}" if part else resource.plural
    scope = f'in the namespace "{where}"' if where else "at the cluster scope"
    what = f'{resource.qualified} "{name}"' if name else resource.qualified
    asked = f'cannot {verb} resource "{wanted}" in API group "{resource.group}" {scope}'
    text = f'{what} is forbidden: User "{who.name}" {asked}'
    details: KubeDict = {"kind": resource.plural, **({"name": name} if name else {})}
    raise StatusError(403, "Forbidden", text, details | ({"group": resource.group} if resource.group else {}))


def check_impersonation(world: World, who: Subject, name: str) -> None:
    """Nothing, if somebody may ask as another user. Raises StatusError (Forbidden)."""
    if _MASTERS in who.groups or any(_fits(rule, "impersonate", "", "users", name) for rule in _rules(world, who, "")):
        return
    text = (
        f'users "{name}" is forbidden: User "{who.name}" cannot impersonate resource "users" in API group "" at the '
        "cluster scope"
    )
    raise StatusError(403, "Forbidden", text, {"kind": "users", "name": name})


def _rules(world: World, who: Subject, namespace: str) -> Iterator[KubeDict]:
    for binding in store.objects(world, CLUSTER_BINDINGS):
        if _binds(binding, who):
            yield from _of_role(world, binding["roleRef"], "")
    for binding in store.objects(world, BINDINGS, namespace) if namespace else ():
        if _binds(binding, who):
            yield from _of_role(world, binding["roleRef"], namespace_of(binding))


def _binds(binding: KubeDict, who: Subject) -> bool:
    for each in binding.get("subjects") or ():
        if each["kind"] == "Group":
            found = each["name"] in who.groups
        elif each["kind"] == "ServiceAccount":
            found = who.name == f"{_ACCOUNT}{each.get('namespace') or namespace_of(binding)}:{each['name']}"
        else:
            found = each["name"] == who.name
        if found:
            return True
    return False


def _of_role(world: World, reference: KubeDict, namespace: str) -> Iterator[KubeDict]:
    of_cluster = reference["kind"] == "ClusterRole"
    key = f"/{reference['name']}" if of_cluster else f"{namespace}/{reference['name']}"
    role = store.look(world, CLUSTER_ROLES if of_cluster else ROLES, key)
    if role is not None:
        yield from role.get("rules") or ()
        for wanted in (role.get("aggregationRule") or {}).get("clusterRoleSelectors") or ():
            for each in store.objects(world, CLUSTER_ROLES):
                if selectors.matches(wanted, labels_of(each)):
                    yield from each.get("rules") or ()


def _fits(rule: KubeDict, verb: str, group: str, wanted: str, name: str) -> bool:
    names = rule.get("resourceNames") or ()
    return (
        _has(rule.get("verbs"), verb)
        and _has(rule.get("apiGroups"), group)
        and (_has(rule.get("resources"), wanted) or f"*/{wanted.partition('/')[2]}" in (rule.get("resources") or ()))
        and (not names or name in names)
    )


def _has(words: Iterable[str] | None, word: str) -> bool:
    found = tuple(words or ())
    return "*" in found or word in found
