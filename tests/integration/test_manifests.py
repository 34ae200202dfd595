"""deploy/k8s as it is rendered: valid, shut, and in step with the settings that the rooms read."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from gateway.__main__ import GatewaySettings
from gymwright.cli.house import ROOMS
from gymwright.tls import CA, CERT, KEY
from kit.sandbox.settings import SandboxSettings
from kit.settings import read_settings
from services.coder.__main__ import CoderSettings
from services.designer.__main__ import DesignerSettings
from services.executor.__main__ import ExecutorSettings
from services.reporter.__main__ import ReporterSettings
from services.trainer.__main__ import TrainerSettings
from tests.integration import manifests
from tests.integration.manifests import (
    BOXES,
    OVERLAYS,
    TOOLS,
    breaks_restricted,
    may_talk,
    objects,
    pods,
    rendered,
    with_component,
)

PORTS = {room.name: room.port for room in ROOMS}
BOX_ROOMS = {"executor", "trainer"}
SETTINGS = (
    GatewaySettings, DesignerSettings, CoderSettings, ExecutorSettings, TrainerSettings, ReporterSettings
)  # fmt: skip

# What checkov wants and we don't follow, and why.
UNFOLLOWED = {
    "CKV_K8S_43": "a digest belongs to a registry that nobody but you has; `kustomize edit set image` puts it in",
    "CKV_K8S_35": "the vendors' and the bucket's SDKs read their keys from the environment",
}
UNFOLLOWED_IN_DEV = {"CKV_K8S_15": "images are loaded into the node, not pulled"}


@pytest.fixture(autouse=True)
def tools() -> None:
    manifests.require_tools()


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_object_is_valid_for_the_cluster_s_own_schema(overlay, tmp_path) -> None:
    (tmp_path / "all.yaml").write_text(rendered(overlay))
    command = [str(TOOLS / "checks/bin/kubernetes-validate"), "--strict", "--kubernetes-version", "1.37"]
    done = subprocess.run([*command, str(tmp_path / "all.yaml")], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_checkov_finds_nothing_that_has_no_reason(overlay, tmp_path) -> None:
    (tmp_path / "all.yaml").write_text(rendered(overlay))
    unfollowed = {*UNFOLLOWED, *(UNFOLLOWED_IN_DEV if overlay == "dev" else ())}
    command = [str(TOOLS / "checks/bin/checkov"), "--skip-download", "--quiet", "--framework", "kubernetes"]
    command += ["--output", "json", "--skip-check", ",".join(sorted(unfollowed)), "--file", str(tmp_path / "all.yaml")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=170, env=os.environ | {"LOG_LEVEL": "ERROR"})
    told = json.loads(done.stdout)
    assert told["summary"]["passed"] > 300
    found = [(one["check_id"], one["resource"], one["check_name"]) for one in told["results"]["failed_checks"]]
    assert found == []


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_both_namespaces_enforce_restricted_and_every_pod_is_let_in(overlay) -> None:
    for namespace in objects(overlay, "Namespace"):
        assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    assert {room: breaks_restricted(template["spec"]) for room, template in pods(overlay)} == {
        room: [] for room in PORTS
    }


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_the_root_is_read_only_and_what_a_room_may_take_is_limited(overlay) -> None:
    for room, template in pods(overlay):
        (container,) = template["spec"]["containers"]
        assert container["securityContext"]["readOnlyRootFilesystem"] is True, room
        assert container["resources"]["limits"].keys() == container["resources"]["requests"].keys() == {"cpu", "memory"}
        assert template["spec"]["volumes"][1]["emptyDir"]["sizeLimit"], room


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_a_room_is_probed_by_grpc_where_it_listens_and_found_by_its_service(overlay) -> None:
    for room, template in pods(overlay):
        (container,) = template["spec"]["containers"]
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            assert container[probe]["grpc"] == {"port": PORTS[room]}, room
        assert {port["containerPort"] for port in container["ports"] if port["name"] == "grpc"} == {PORTS[room]}
    for service in objects(overlay, "Service"):
        name = service["metadata"]["name"]
        assert service["spec"]["selector"] == {"app.kubernetes.io/name": name}
        assert service["spec"]["ports"][0]["port"] == PORTS[name]
    kinds = {one["metadata"]["name"]: one["kind"] for one in objects(overlay, "Deployment", "StatefulSet")}
    assert kinds == {room: "StatefulSet" if room == "gateway" else "Deployment" for room in PORTS}


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_the_one_config_map_is_what_every_room_reads_without_a_complaint(overlay, monkeypatch) -> None:
    (config,) = objects(overlay, "ConfigMap")
    for room, template in pods(overlay):
        sources = template["spec"]["containers"][0]["envFrom"]
        assert sources[0] == {"configMapRef": {"name": config["metadata"]["name"]}}, room
    for name, value in config["data"].items():
        monkeypatch.setenv(name, value)
    read = [read_settings(kind) for kind in SETTINGS]
    assert [settings.listen for settings in read] == [f"0.0.0.0:{port}" for port in PORTS.values()]
    assert {getattr(read[0], name) for name in PORTS if name != "gateway"} == {
        f"{name}:{port}" for name, port in PORTS.items() if name != "gateway"
    }
    boxes = SandboxSettings()
    assert (boxes.driver, boxes.namespace) == ("kubernetes", BOXES)
    assert boxes.image
    known = {f"GYMWRIGHT_SANDBOX_{name}".upper() for name in SandboxSettings.model_fields}
    assert {name for name in config["data"] if name.startswith("GYMWRIGHT_SANDBOX_")} <= known


def test_with_mutual_tls_every_room_holds_certificates_and_none_is_probed_in_the_clear(tmp_path) -> None:
    made = with_component("mutual-tls", tmp_path)
    (config,) = (one["data"] for one in made if one["kind"] == "ConfigMap")
    files = [config[name].rpartition("/") for name in (CERT, KEY, CA)]
    assert {folder for folder, _, _ in files} == {"/run/gymwright-tls"}
    assert [name for _, _, name in files] == ["tls.crt", "tls.key", "ca.crt"]  # as cert-manager calls them
    for one in made:
        if one["kind"] in ("Deployment", "StatefulSet"):
            spec = one["spec"]["template"]["spec"]
            (container,) = spec["containers"]
            mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
            volumes = {volume["name"]: volume.get("secret", {}).get("secretName") for volume in spec["volumes"]}
            assert volumes[mounts["/run/gymwright-tls"]] == "gymwright-tls"
            for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
                assert container[probe].get("grpc") is None
                assert container[probe]["exec"]["command"] == ["python", "-m", "kit.rpc.probing"]


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_secrets_are_only_referred_to(overlay) -> None:
    assert objects(overlay, "Secret") == []
    for room, template in pods(overlay):
        (token,) = (volume for volume in template["spec"]["volumes"] if volume["name"] == "token")
        assert token["secret"]["secretName"] == "gymwright-token"
        given = {one["secretRef"]["name"] for one in template["spec"]["containers"][0]["envFrom"] if "secretRef" in one}
        expected = {"gymwright-model"} if room in ("designer", "coder") else set()
        if overlay == "prod" and room in ("gateway", "trainer", "reporter"):
            expected = {"gymwright-artifacts"}
        assert given == expected, room


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_two_accounts_may_use_boxes_and_no_other_pod_has_a_token(overlay) -> None:
    (binding,) = objects(overlay, "RoleBinding")
    assert {(one["namespace"], one["name"]) for one in binding["subjects"]} == {
        ("gymwright", room) for room in BOX_ROOMS
    }
    assert binding["metadata"]["namespace"] == BOXES
    assert objects(overlay, "ClusterRole", "ClusterRoleBinding") == []
    assert all(account["automountServiceAccountToken"] is False for account in objects(overlay, "ServiceAccount"))
    for room, template in pods(overlay):
        assert template["spec"]["serviceAccountName"] == room
        assert template["spec"].get("automountServiceAccountToken", False) is (room in BOX_ROOMS)


@pytest.mark.parametrize(
    ("source", "target", "port", "allowed"),
    [
        ("gateway", "designer", 50051, True),
        ("gateway", "coder", 50052, True),
        ("gateway", "executor", 50053, True),
        ("gateway", "trainer", 50054, True),
        ("gateway", "reporter", 50055, True),
        ("gateway", "reporter", 50054, False),
        ("designer", "coder", 50052, False),
        ("executor", "trainer", 50054, False),
        ("trainer", "gateway", 50050, False),
        ("gateway", "dns", 53, True),
        ("coder", "dns", 53, True),
        ("designer", "160.79.104.10", 443, True),  # a model's API
        ("coder", "160.79.104.10", 443, True),
        ("coder", "160.79.104.10", 80, False),
        ("coder", "10.96.0.1", 443, False),  # not the cluster's own
        ("coder", "169.254.169.254", 443, False),  # nor the cloud's metadata
        ("gateway", "160.79.104.10", 443, "dev does not"),
        ("executor", "160.79.104.10", 443, False),
        ("executor", "10.96.0.1", 443, True),  # the API server, which starts boxes
        ("trainer", "172.18.0.2", 6443, True),
        ("reporter", "10.96.0.1", 443, "dev does not"),
        ("box", "dns", 53, False),
        ("box", "gateway", 50050, False),
        ("box", "160.79.104.10", 443, False),
        ("executor", "box", 50051, False),  # it reaches boxes through the API server alone
    ],
)
@pytest.mark.parametrize("overlay", OVERLAYS)
def test_who_may_talk_to_whom(overlay, source, target, port, allowed) -> None:
    expected = overlay == "prod" if allowed == "dev does not" else allowed  # prod's artifacts lie in a bucket
    assert may_talk(overlay, source, target, port) is expected
