#!/bin/sh
# Make a Docker engine answer on this machine: install it on Debian, start it where no init system does.
set -eu
answers() { timeout 10 docker info >/dev/null 2>&1; }

if answers; then
    echo "engine: already answers"
    exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
    echo "engine: no Docker engine answers; start it, or run this as root to install one" >&2
    exit 1
fi
if ! command -v dockerd >/dev/null || ! command -v debootstrap >/dev/null; then
    if ! command -v apt-get >/dev/null; then
        echo "engine: this is not Debian; install Docker by its own instructions" >&2
        exit 1
    fi
    apt-get update --quiet
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends \
        docker.io docker-compose iptables debootstrap bubblewrap
fi
if [ -d /run/systemd/system ]; then
    systemctl start docker
else
    log=${ENGINE_LOG:-/var/log/dockerd.log}
    setsid dockerd >"$log" 2>&1 </dev/null &
fi
tries=60
until answers; do
    tries=$((tries - 1))
    if [ "$tries" -le 0 ]; then
        echo "engine: dockerd does not answer after a minute; see ${log:-journalctl -u docker}" >&2
        exit 1
    fi
    sleep 1 # between two polls of `docker info`
done
echo "engine: answers"
