#!/bin/sh
# Fill .cache/wheelhouse with every wheel of sandbox.lock and sandbox-torch.lock, once per lock.
#
# PYTHON       interpreter whose pip downloads; its version must be the sandbox image's (3.11)
# TORCH_INDEX  the index that has torch's CPU build
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
python=${PYTHON:-python3}
torch_index=${TORCH_INDEX:-https://download.pytorch.org/whl/cpu}
house=$root/.cache/wheelhouse
stamp=$(cat "$here/sandbox.lock" "$here/sandbox-torch.lock" | sha256sum | cut -c1-16)

if [ -f "$house/.$stamp" ]; then
    echo "wheelhouse: up to date ($house)"
    exit 0
fi
# A private pip where the interpreter has none (Debian splits it off).
if ! "$python" -m pip --version >/dev/null 2>&1; then
    [ -x "$root/.cache/pip-venv/bin/pip" ] || "$python" -m venv "$root/.cache/pip-venv"
    python=$root/.cache/pip-venv/bin/python
fi
rm -rf "$house.new"
mkdir -p "$house.new"
[ ! -d "$house" ] || find "$house" -name '*.whl' -exec ln -f {} "$house.new/" \;

# Wheels that are already here (an older lock's, or PIP_FIND_LINKS') serve first; the index is asked briefly.
# Only a wheel marked +cpu will do: elsewhere the same version is a CUDA build.
torch=$(grep -v '^#' "$here/sandbox-torch.lock")
found=
for version in "$torch+cpu" "$torch"; do
    if "$python" -m pip download --quiet --no-deps --only-binary=:all: --retries 1 --timeout 15 \
        --extra-index-url "$torch_index" --find-links "$house.new" --dest "$house.new" "$version"; then
        found=$version
        break
    fi
done
if [ -z "$found" ]; then
    echo "wheelhouse: no torch wheel could be had; set TORCH_INDEX to an index with CPU builds" >&2
    exit 1
fi
wheel=$(find "$house.new" -name 'torch-*.whl' | sort | tail -n 1)
case $(basename "$wheel") in
*+cpu-* | *%2Bcpu-*) ;;
*)
    size=$(du -m "$wheel" | cut -f1)
    # Builds for arm64 carry no +cpu mark; a CUDA build is several times this size.
    if [ "$size" -gt 350 ]; then
        echo "wheelhouse: $(basename "$wheel") ($size MB) is a CUDA build; set TORCH_INDEX to a CPU index" >&2
        exit 1
    fi
    ;;
esac
"$python" -m pip download --quiet --no-deps --only-binary=:all: --find-links "$house.new" \
    --dest "$house.new" --requirement "$here/sandbox.lock"
touch "$house.new/.$stamp"
rm -rf "$house"
mv "$house.new" "$house"
echo "wheelhouse: filled ($house)"
