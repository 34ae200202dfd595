#!/bin/sh
# Make .sandbox-venv, what the local driver runs the box with, from the same wheelhouse as the image.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
venv=${1:-$root/.sandbox-venv}
stamp=$(cat "$here/sandbox.lock" "$here/sandbox-torch.lock" | sha256sum | cut -c1-16)

if [ -f "$venv/.$stamp" ]; then
    echo "sandbox-venv: up to date ($venv)"
    exit 0
fi
"$here/wheelhouse.sh"
rm -rf "$venv"
"${PYTHON:-python3}" -m venv "$venv"
"$venv/bin/pip" install --quiet --no-index --no-deps --find-links "$root/.cache/wheelhouse" \
    --requirement "$here/sandbox-torch.lock" --requirement "$here/sandbox.lock"
"$venv/bin/pip" check
"$venv/bin/python" -c 'import torch; assert torch.version.cuda is None, "a CUDA build of torch"'
touch "$venv/.$stamp"
echo "sandbox-venv: made ($venv)"
