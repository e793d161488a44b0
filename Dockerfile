# Fleetplan in a container: docker build -t fleetplan . && docker run -p 8080:8080 -v fleetplan:/data fleetplan
# The first start makes an admin key: docker run --rm -v fleetplan:/data --entrypoint cat fleetplan /data/admin.key
FROM debian:bookworm-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc make libc6-dev pkg-config libmicrohttpd-dev \
	libjansson-dev libsqlite3-dev libcurl4-openssl-dev libsodium-dev libxxhash-dev zlib1g-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN make -j"$(nproc)" && make install DESTDIR=/out PREFIX=/usr

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="fleetplan" \
	org.opencontainers.image.description="GPU counts, cost, energy and carbon of training and serving models" \
	org.opencontainers.image.licenses="Apache-2.0"
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates libmicrohttpd12 libjansson4 libsqlite3-0 \
	libcurl4 libsodium23 libxxhash0 zlib1g libopenblas0-pthread ocl-icd-libopencl1 && rm -rf /var/lib/apt/lists/* \
	&& mkdir -p /data /etc/OpenCL/vendors && chown 10001:10001 /data && echo libnvidia-opencl.so.1 >/etc/OpenCL/vendors/nvidia.icd
COPY --from=build /out/usr/bin/fleetplan /usr/bin/fleetplan
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
# What NVIDIA's container runtime is to mount where there are GPUs: the driver's compute libraries, and NVML for power and clocks.
ENV NVIDIA_DRIVER_CAPABILITIES=compute,utility
ENV FLEETPLAN_LISTEN=0.0.0.0:8080 FLEETPLAN_DATABASE=/data/fleetplan.db FLEETPLAN_FIRST_KEY_FILE=/data/admin.key
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["/usr/bin/fleetplan", "healthcheck"]
# Listening on more than loopback needs a key. To give one instead, mount a secret and pass --bootstrap-key-file, as deploy/kubernetes.yaml
# does: then the daemon makes none.
ENTRYPOINT ["/usr/bin/fleetplan"]
CMD ["serve"]
