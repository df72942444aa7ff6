# Three stages: compile, production packages, and an image with nothing but what runs. docs/docker.md explains its use.
ARG NODE_IMAGE=node:26-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.ts scripts/
COPY src src
RUN node scripts/build.ts
# A new volume takes over the owner of the folder it is mounted on.
RUN mkdir -p volume/state volume/audit

FROM ${NODE_IMAGE} AS packages
WORKDIR /packages
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
COPY package.json LICENSE THIRD_PARTY_LICENSES.md ./
COPY bin bin
COPY deploy/docker/entrypoint.js deploy/docker/
COPY tools/rego/regotool.wasm.br tools/rego/SHA256SUMS tools/rego/
COPY --from=packages /packages/node_modules node_modules
COPY --from=build /build/dist dist
COPY --from=build --chown=node:node /build/volume /var/lib/gatehouse
USER node
VOLUME /var/lib/gatehouse
EXPOSE 8080 9464
# The admin address knows the name 127.0.0.1 whatever "hosts" says; the public one need not.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:9464/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# node itself, without npm in front: it gets the signals.
ENTRYPOINT ["node", "/app/deploy/docker/entrypoint.js"]
CMD ["serve", "--config", "/etc/gatehouse/gateway.yaml"]
