"""The manifests as kubectl renders them, and what the tests ask of them."""

from __future__ import annotations

import ipaddress
import os
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / ".cache" / "kubernetes"
OVERLAYS = ("dev", "prod")
ROOMS = "gymwright"
BOXES = "gymwright-boxes"


def require_tools() -> None:
    """Return where `make manifest-tools` has been."""
    if (TOOLS / "kubectl").exists() and (TOOLS / "checks" / "bin" / "checkov").exists():
        return
    if os.environ.get("GYMWRIGHT_REQUIRE_KUBECTL") == "1":
        pytest.fail("the tools that render and check manifests are required here: make manifest-tools")
    pytest.skip("no tools to render and check manifests (make manifest-tools)")


@cache
def rendered(overlay: str) -> str:
    return kustomized(ROOT / "deploy" / "k8s" / "overlays" / overlay)


def kustomized(folder: Path) -> str:
    """What `kubectl kustomize` makes of a folder."""
    command = [str(TOOLS / "kubectl"), "kustomize", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


def with_component(component: str, folder: Path) -> list[dict]:
    """The dev overlay and one component more; the folder is for the overlay that says so."""
    place = os.path.relpath(ROOT / "deploy" / "k8s", folder)
    body = {"resources": [f"{place}/overlays/dev"], "components": [f"{place}/components/{component}"]}
    (folder / "kustomization.yaml").write_text(yaml.safe_dump(body))
    return list(yaml.safe_load_all(kustomized(folder)))


def objects(overlay: str, *kinds: str) -> list[dict]:
    """All objects of these kinds; every object where none is named."""
    return [one for one in _parsed(overlay) if not kinds or one["kind"] in kinds]


@cache
def _parsed(overlay: str) -> tuple[dict, ...]:
    return tuple(yaml.safe_load_all(rendered(overlay)))


def pods(overlay: str) -> Iterator[tuple[str, dict]]:
    """Each workload's name and pod template."""
    for one in objects(overlay, "Deployment", "StatefulSet"):
        yield one["metadata"]["name"], one["spec"]["template"]


def breaks_restricted(spec: dict) -> list[str]:
    """What of a pod's spec the Pod Security Standard "restricted" (v1.37) refuses; empty where nothing."""
    found = [key for key in ("hostNetwork", "hostPID", "hostIPC") if spec.get(key)]
    pod = spec.get("securityContext", {})
    allowed = {"name", "configMap", "emptyDir", "secret", "persistentVolumeClaim", "projected", "downwardAPI"}
    found += [f"volume {volume['name']}" for volume in spec.get("volumes", ()) if volume.keys() - allowed]
    for container in spec["containers"] + spec.get("initContainers", []):
        own = container.get("securityContext", {})
        both = {**pod, **own}
        if both.get("runAsNonRoot") is not True or both.get("runAsUser") == 0:
            found.append("may run as root")
        if both.get("seccompProfile", {}).get("type") not in ("RuntimeDefault", "Localhost"):
            found.append("no seccomp profile")
        if own.get("privileged") or own.get("allowPrivilegeEscalation") is not False:
            found.append("may gain privileges")
        if own.get("capabilities", {}).get("drop") != ["ALL"] or own["capabilities"].get("add"):
            found.append("keeps capabilities")
        found += [f"host port {port}" for port in container.get("ports", ()) if "hostPort" in port]
    return found


def may_talk(overlay: str, source: str, target: str, port: int) -> bool:
    """Whether the policies let a pod connect; source and target are room names, "box", "dns" or an address."""
    out = _allows(overlay, source, "Egress", target, port)
    back = True if _labels(target) is None else _allows(overlay, target, "Ingress", source, port)
    return out and back


def _allows(overlay: str, whose: str, direction: str, other: str, port: int) -> bool:
    mine = _labels(whose)
    assert mine is not None
    policies = [
        policy["spec"]
        for policy in objects(overlay, "NetworkPolicy")
        if policy["metadata"]["namespace"] == mine["namespace"]
        and direction in policy["spec"]["policyTypes"]
        and _selects(policy["spec"]["podSelector"], mine)
    ]
    if not policies:
        return True  # nobody denies
    peers, key = ("from", "ingress") if direction == "Ingress" else ("to", "egress")
    named = {name: number for room, template in pods(overlay) for name, number in _ports(template, room, whose)}
    for policy in policies:
        for rule in policy.get(key, ()):
            numbers = {named.get(one["port"], one["port"]) for one in rule.get("ports", ())}
            if (not numbers or port in numbers) and (
                peers not in rule or any(_is_peer(peer, mine["namespace"], other) for peer in rule[peers])
            ):
                return True
    return False


def _ports(template: dict, room: str, whose: str) -> list[tuple[str, int]]:
    if room != whose:
        return []
    return [(port["name"], port["containerPort"]) for port in template["spec"]["containers"][0]["ports"]]


def _labels(name: str) -> dict[str, str] | None:
    """namespace and the labels of a pod; None for an address or another's pod."""
    if name == "box":
        return {"namespace": BOXES, "app.kubernetes.io/part-of": "gymwright"}
    if name == "dns" or name[0].isdigit():
        return None
    return {"namespace": ROOMS, "app.kubernetes.io/name": name}


def _is_peer(peer: dict, namespace: str, other: str) -> bool:
    if "ipBlock" in peer:
        if not other[0].isdigit():
            return False
        address, block = ipaddress.ip_address(other), peer["ipBlock"]
        inside = address in ipaddress.ip_network(block["cidr"])
        return inside and not any(address in ipaddress.ip_network(out) for out in block.get("except", ()))
    if "namespaceSelector" in peer:
        kube_dns = {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}}
        return other == "dns" and peer["namespaceSelector"] == kube_dns
    labels = _labels(other)
    return labels is not None and labels["namespace"] == namespace and _selects(peer["podSelector"], labels)


def _selects(selector: dict, labels: dict[str, str]) -> bool:
    wanted = selector.get("matchLabels", {})
    among = selector.get("matchExpressions", ())
    return all(labels.get(key) == value for key, value in wanted.items()) and all(
        one["operator"] == "In" and labels.get(one["key"]) in one["values"] for one in among
    )
