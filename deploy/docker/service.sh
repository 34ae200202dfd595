#!/bin/sh
# Build gymwright/service:local, the one image of the six rooms. Libraries are built once per lock; code takes seconds.
#
# BASE_IMAGE: see base.sh.   PYTHON: an interpreter whose pip downloads; its version must be the image's (3.11)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
python=${PYTHON:-python3}
image=gymwright/service:local
export DOCKER_BUILDKIT=0 # as in build.sh

cd "$root"
mkdir -p .cache
context=$(mktemp -d "$root/.cache/context.XXXXXX")
trap 'rm -rf "$context"' EXIT
base=$("$here/base.sh")
stamp=$({ echo "$base"; cat "$here/service.lock" "$here/service-libs.Dockerfile"; } | sha256sum | cut -c1-12)
libs=gymwright/service-libs:$stamp

if ! docker image inspect "$libs" >/dev/null 2>&1; then
    # A private pip where the interpreter has none (Debian splits it off).
    if ! "$python" -m pip --version >/dev/null 2>&1; then
        [ -x .cache/pip-venv/bin/pip ] || "$python" -m venv .cache/pip-venv
        python=$root/.cache/pip-venv/bin/python
    fi
    mkdir "$context/libs"
    "$python" -m pip download --quiet --no-deps --only-binary=:all: \
        --dest "$context/libs/wheelhouse" --requirement "$here/service.lock"
    cp "$here/service.lock" "$context/libs/"
    docker build --quiet --network none --build-arg "BASE_IMAGE=$base" \
        --file "$here/service-libs.Dockerfile" --tag "$libs" "$context/libs"
    docker image prune --force --filter label=gymwright.stage=wheels >/dev/null
fi
mkdir -p "$context/code/code"
tar -c --exclude=__pycache__ --exclude=node_modules --exclude=.next gymwright kit services gateway | tar -x -C "$context/code/code"
# Of the web page what `make page` exported, not what it is made from.
find "$context/code/code/gateway/web" -mindepth 1 -maxdepth 1 ! -name out -exec rm -rf {} +
chmod -R u=rwX,go=rX "$context/code/code"
docker build --quiet --network none --build-arg "LIBS_IMAGE=$libs" --label gymwright.image=service \
    --file "$here/service.Dockerfile" --tag "$image" "$context/code"
echo "service image: built ($image)"
