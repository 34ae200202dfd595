#!/bin/sh
# Build gymwright/sandbox:<hash of what is in it>. Libraries are built once per lock; code takes seconds.
# The same image is tagged gymwright/sandbox:local, for services that run in containers and have no checkout.
#
# BASE_IMAGE, TORCH_INDEX, PYTHON: see base.sh and wheelhouse.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
python=${PYTHON:-python3}
export DOCKER_BUILDKIT=0 # the legacy builder is on every engine we meet, and needs no registry

cd "$root"
image=$("$python" -m kit.sandbox.image sandbox)
libs=$("$python" -m kit.sandbox.image libs)
have() { docker image inspect "$1" >/dev/null 2>&1; }

if have "$image"; then
    docker tag "$image" gymwright/sandbox:local
    echo "sandbox image: up to date ($image)"
    exit 0
fi
context=$(mktemp -d "$root/.cache/context.XXXXXX" 2>/dev/null || { mkdir -p "$root/.cache"; mktemp -d "$root/.cache/context.XXXXXX"; })
trap 'rm -rf "$context"' EXIT

if ! have "$libs"; then
    base=$("$here/base.sh")
    "$here/wheelhouse.sh"
    mkdir "$context/libs" "$context/libs/wheelhouse"
    ln "$root"/.cache/wheelhouse/*.whl "$context/libs/wheelhouse/"
    cp "$here/sandbox.lock" "$here/sandbox-torch.lock" "$context/libs/"
    docker build --quiet --network none --build-arg "BASE_IMAGE=$base" \
        --file "$here/libs.Dockerfile" --tag "$libs" "$context/libs"
    docker image prune --force --filter label=gymwright.stage=wheels >/dev/null
fi
mkdir "$context/code"
"$python" -m kit.sandbox.image copy "$context/code/code"
docker build --quiet --network none --build-arg "LIBS_IMAGE=$libs" --label gymwright.image=sandbox \
    --file "$here/sandbox.Dockerfile" --tag "$image" "$context/code"
docker tag "$image" gymwright/sandbox:local
echo "sandbox image: built ($image)"
