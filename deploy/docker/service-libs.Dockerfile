# The slow half of the service image: the interpreter and service.lock, which is requirements.lock without its tools.
# Built with no network: the wheels come with the context (see service.sh). Of the Kubernetes client only the half for
# asyncio stays; the other is as large, and importing it would cost every start its time.
ARG BASE_IMAGE=python:3.11-slim

FROM ${BASE_IMAGE} AS wheels
LABEL gymwright.stage=wheels
COPY wheelhouse /wheelhouse
COPY service.lock /locks/
RUN set -e; python3 -m venv /opt/services; \
    /opt/services/bin/pip install --quiet --no-cache-dir --no-index --no-deps --no-compile --find-links /wheelhouse \
        -r /locks/service.lock; \
    /opt/services/bin/pip check; \
    site=$(/opt/services/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))'); \
    [ ! -e "$site/torch" ] || { echo "torch belongs in the sandbox image"; exit 1; }; \
    rm -rf "$site"/pip "$site"/pip-* "$site"/setuptools "$site"/setuptools-* "$site"/pkg_resources \
        "$site/pyarrow/include" "$site/numpy/_core/include" "$site/sklearn/datasets/data" "$site/sklearn/datasets/images"; \
    find "$site" -type d \( -name tests -o -name test \) \
        \( -path '*/numpy/*' -o -path '*/scipy/*' -o -path '*/sklearn/*' -o -path '*/pyarrow/*' -o -path '*/matplotlib/*' \
        -o -path '*/joblib/*' -o -path '*/fontTools/*' \) -prune -exec rm -rf {} +; \
    cd "$site/kubernetes" && rm -rf client config dynamic informer leaderelection stream utils watch; \
    : > __init__.py; cd /; /opt/services/bin/python -c 'import kubernetes.aio'; \
    echo /opt/gymwright > "$site/gymwright.pth"; \
    /opt/services/bin/python -m compileall -q -j 0 /opt/services/lib >/dev/null || echo "some files are not for this Python; they stay uncompiled"

FROM ${BASE_IMAGE}
COPY --from=wheels /opt/services /opt/services
# /data and /artifacts are here so that a named volume mounted there belongs to the services' user.
RUN find / -xdev -perm /6000 -type f -exec chmod a-s {} + \
    && mkdir -p /data /artifacts /opt/gymwright && chown 10001:10001 /data /artifacts
