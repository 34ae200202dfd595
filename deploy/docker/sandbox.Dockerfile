# The quick half of the sandbox image: our code over the libraries (libs.Dockerfile). Seconds to rebuild.
ARG LIBS_IMAGE
FROM ${LIBS_IMAGE}
USER 0
COPY code /opt/gymwright
RUN /opt/box/bin/python -m compileall -q /opt/gymwright
USER 10001:10001
