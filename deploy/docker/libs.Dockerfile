# The slow half of the sandbox image: interpreter, torch and the rest of the lock. No code of ours.
# Built with no network: the wheels come with the context (see build.sh).
ARG BASE_IMAGE=python:3.11-slim

FROM ${BASE_IMAGE} AS wheels
LABEL gymwright.stage=wheels
COPY wheelhouse /wheelhouse
COPY sandbox.lock sandbox-torch.lock /locks/
RUN set -e; python3 -m venv /opt/box; \
    /opt/box/bin/pip install --quiet --no-cache-dir --no-index --no-deps --no-compile --find-links /wheelhouse \
        -r /locks/sandbox-torch.lock -r /locks/sandbox.lock; \
    /opt/box/bin/pip check; \
    /opt/box/bin/python -c 'import torch; assert torch.version.cuda is None, "a CUDA build of torch"'; \
    site=$(/opt/box/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))'); \
    rm -rf "$site/torch/include" "$site/torch/test" "$site"/pip "$site"/pip-* \
        "$site/torch/share" "$site/pyarrow/include" "$site/pyarrow/tests" "$site/numpy/_core/include" \
        "$site/onnx/backend/test"; \
    find "$site/torch/bin" -type f ! -name torch_shm_manager -delete; \
    find "$site" -type d \( -name tests -o -name test \) -path '*/site-packages/*' \
        \( -path '*/sympy/*' -o -path '*/networkx/*' -o -path '*/numpy/*' -o -path '*/sqlalchemy/*' -o -path '*/matplotlib/*' \) \
        -prune -exec rm -rf {} +; \
    echo /opt/gymwright > "$site/gymwright.pth"; \
    /opt/box/bin/python -m compileall -q -j 0 /opt/box/lib >/dev/null || echo "some files are not for this Python; they stay uncompiled"

FROM ${BASE_IMAGE}
COPY --from=wheels /opt/box /opt/box
# /tmp lies in /job, so that one tmpfs bounds both. setuid programs are of no use to anybody here.
RUN find / -xdev -perm /6000 -type f -exec chmod a-s {} + \
    && mkdir -p /job /opt/gymwright \
    && rm -rf /tmp /var/tmp && ln -s /job/tmp /tmp && ln -s /job/tmp /var/tmp
ENV PATH=/opt/box/bin:/usr/bin:/bin HOME=/job/tmp
USER 10001:10001
WORKDIR /job
ENTRYPOINT ["/opt/box/bin/python", "-I", "-m", "kit.inside.runner"]
