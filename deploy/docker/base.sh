#!/bin/sh
# Print the name of a base image for the sandbox: python:3.11-slim where a registry answers, else one
# made here with debootstrap from the machine's own Debian mirror.
set -eu
wanted=${BASE_IMAGE:-python:3.11-slim}
own=gymwright/base:debian12

have() { docker image inspect "$1" >/dev/null 2>&1; }

if have "$wanted"; then echo "$wanted"; exit 0; fi
if [ -z "${BASE_IMAGE:-}" ] && have "$own"; then echo "$own"; exit 0; fi
if timeout 60 docker pull --quiet "$wanted" >/dev/null 2>&1; then echo "$wanted"; exit 0; fi
if [ -n "${BASE_IMAGE:-}" ]; then
    echo "base: $wanted can't be pulled" >&2
    exit 1
fi
if ! command -v debootstrap >/dev/null; then
    echo "base: no registry answers, and debootstrap is not installed (make engine installs it)" >&2
    exit 1
fi
echo "base: no registry answers; making one with debootstrap" >&2
mirror=$(sed -n -e 's/^URIs: *\([^ ]*\).*/\1/p' -e 's/^deb \(\[[^]]*\] \)\?\(http[^ ]*debian\/\?\) .*/\2/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -m 1 '/debian/\?$' || true)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
debootstrap --variant=minbase --include=python3,python3-venv,python3-pip,ca-certificates \
    bookworm "$tree" "${mirror:-http://deb.debian.org/debian}" >&2
rm -rf "$tree"/var/cache/apt/* "$tree"/var/lib/apt/lists/* "$tree"/usr/share/doc/* "$tree"/usr/share/man/*
tar -C "$tree" -c . | docker import - "$own" >&2
echo "$own"
