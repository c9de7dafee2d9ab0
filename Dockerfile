# One image for all processes: counterfoil api | worker | dashboard | migrate | admin (docs/operations/install.md, Image).
#
#   docker build -t counterfoil .
#   bin/build-image                  the same without an engine and without a registry of images
#
# BASE is what the image stands on: anything with glibc, libstdc++ and a shell. bin/pin-images writes the digests of both.
# BUILD_BASE is only built with, and needs npm, which fetches the pinned Node and pnpm by their hashes.
ARG BASE=debian:bookworm-slim
ARG BUILD_BASE=node:24-bookworm-slim

FROM ${BUILD_BASE} AS build
# Further flags of both installations, for a build that has the packages and no registry.
ARG INSTALL_FLAGS=
WORKDIR /build
COPY . .
RUN bin/setup --toolchain
ENV PATH=/build/bin/toolchain/node_modules/.bin:$PATH CI=true
# The pages. Their bundler is called by its name: a script of pnpm would install everything first.
RUN pnpm install --frozen-lockfile --filter @counterfoil/checkout --filter @counterfoil/dashboard --filter @counterfoil/core $INSTALL_FLAGS \
 && (cd apps/checkout && node_modules/.bin/vite build --logLevel warn) \
 && (cd apps/dashboard && node_modules/.bin/vite build --logLevel warn)
# The server's programs, each with the packages that it uses: the image needs no others.
RUN rm -rf node_modules apps/*/node_modules packages/*/node_modules \
 && pnpm install --prod --frozen-lockfile --filter @counterfoil/server --filter @counterfoil/checkout --filter @counterfoil/core --filter @counterfoil/bundler $INSTALL_FLAGS \
 && node packages/bundler/src/main.ts apps/server/dist \
 && find apps/server/src -type f -not -name '*.sql' -delete && find apps/server/src -type d -empty -delete
# What the image has of this project: the programs, with the SQL that they read, and both built pages.
RUN mkdir -p /state /image/usr/local/bin /image/srv/counterfoil && cd /image/srv/counterfoil \
 && mkdir -p apps/server apps/checkout apps/dashboard \
 && cp -a /build/LICENSE /build/package.json . \
 && for part in package.json src dist; do cp -a "/build/apps/server/$part" apps/server/; done \
 && cp -a /build/apps/checkout/dist apps/checkout/ \
 && cp -a /build/apps/dashboard/dist apps/dashboard/ \
 && cp -L /build/bin/toolchain/node_modules/.bin/node /build/deploy/counterfoil /image/usr/local/bin/
# The commit, for the processes themselves: they cannot read labels. The version is in package.json.
ARG REVISION=unknown
RUN echo "$REVISION" > /image/srv/counterfoil/REVISION

FROM ${BASE}
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Counterfoil" \
      org.opencontainers.image.description="Multi-tenant, non-custodial crypto payment invoicing." \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=build /image /
# A user without a name, who owns nothing in the image but the empty folder that a worker's volume begins as.
COPY --from=build --chown=10001:10001 /state /var/lib/counterfoil
USER 10001:10001
WORKDIR /srv/counterfoil
# Inside a container loopback would be the container's own. Health and metrics stay there unless a setting says otherwise.
ENV COUNTERFOIL_HOST=0.0.0.0 COUNTERFOIL_STATE_DIR=/var/lib/counterfoil
EXPOSE 3000 3003
STOPSIGNAL SIGTERM
ENTRYPOINT ["counterfoil"]
