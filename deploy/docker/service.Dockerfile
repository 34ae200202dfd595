# The quick half of the service image: our code over the libraries (service-libs.Dockerfile).
# One image for six rooms: `docker run gymwright/service:local services.executor`; the gateway where nothing is said.
ARG LIBS_IMAGE
FROM ${LIBS_IMAGE}
COPY code /opt/gymwright
RUN /opt/services/bin/python -m compileall -q /opt/gymwright
# HOME: /tmp must be writable, and is all that need be, beside /data (the gateway's runs) and /artifacts.
ENV PATH=/opt/services/bin:/usr/bin:/bin HOME=/tmp PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 \
    GYMWRIGHT_ARTIFACTS=/artifacts GYMWRIGHT_GATEWAY_DATABASE=sqlite:////data/gymwright.db
USER 10001:10001
WORKDIR /data
EXPOSE 50050 50051 50052 50053 50054 50055 8080
HEALTHCHECK --interval=30s --timeout=20s --start-period=60s CMD ["python", "-m", "kit.rpc.probing"]
ENTRYPOINT ["python", "-m"]
CMD ["gateway"]
