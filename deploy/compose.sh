#!/bin/sh
# The house in containers: `compose.sh up`, then any word of docker compose (ps, logs, down ...).
#
# GYMWRIGHT_TOKEN_FILE     what every caller must show; made here where there is none
# GYMWRIGHT_ENGINE_SOCKET  the engine that starts boxes; a rootless one's, if you can (docs/deploying.md)
# GYMWRIGHT_TAG            of both images; local where nothing is said
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)

if docker compose version >/dev/null 2>&1; then
    compose="docker compose"
elif command -v docker-compose >/dev/null; then
    compose=docker-compose
else
    echo "compose: neither docker compose nor docker-compose is installed (Debian: apt-get install docker-compose)" >&2
    exit 1
fi
if [ -z "${GYMWRIGHT_TOKEN_FILE:-}" ]; then
    folder=$root/.gymwright/compose
    GYMWRIGHT_TOKEN_FILE=$folder/token
    # Nobody else on this machine may enter the folder; in the containers the file is read by another user.
    mkdir -p "$folder" && chmod 700 "$folder"
    if [ ! -s "$GYMWRIGHT_TOKEN_FILE" ]; then
        head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$GYMWRIGHT_TOKEN_FILE"
        chmod 444 "$GYMWRIGHT_TOKEN_FILE"
    fi
fi
GYMWRIGHT_ENGINE_SOCKET=${GYMWRIGHT_ENGINE_SOCKET:-/var/run/docker.sock}
GYMWRIGHT_ENGINE_GROUP=$(stat -L -c %g "$GYMWRIGHT_ENGINE_SOCKET")
COMPOSE_PROJECT_NAME=${COMPOSE_PROJECT_NAME:-gymwright}
export GYMWRIGHT_TOKEN_FILE GYMWRIGHT_ENGINE_SOCKET GYMWRIGHT_ENGINE_GROUP COMPOSE_PROJECT_NAME

case ${1:-} in
up)
    shift
    $compose -f "$here/compose.yaml" up --detach "$@"
    echo "export GYMWRIGHT_TOKEN_FILE=$GYMWRIGHT_TOKEN_FILE"
    echo "gymwright run \"Optimise hospital shift scheduling\""
    ;;
*) exec $compose -f "$here/compose.yaml" "$@" ;;
esac
