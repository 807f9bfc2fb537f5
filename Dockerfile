# Two stages: the first bundles the program, the second holds the bundle and nothing else.
# A release names the image with its digest: --build-arg NODE_IMAGE=node:24-slim@sha256:…
ARG NODE_IMAGE=node:24-slim
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY connector/package.json connector/
# Only the packages in the bundle and the bundler, in the versions and with the checksums of the lock file.
RUN npm ci --omit=dev --ignore-scripts --workspace=connector \
 && npm install --no-save --save-prod --omit=dev --ignore-scripts --workspace=connector \
      "esbuild@$(node -p 'require("./package.json").devDependencies.esbuild')"
COPY LICENSE ./
COPY spec spec
COPY schemas schemas
COPY connector connector
COPY scripts scripts
COPY tools/release tools/release
RUN node scripts/build.ts && cp LICENSE dist && echo '{ "type": "module" }' > dist/package.json \
 && mv dist /survey-export && install -d -o 1000 /survey-export/compile-cache && chmod -R a+rX /survey-export
# Node compiles the program here, and not at each start. Its cache belongs to this path, Node, user and kind of processor.
USER 1000:1000
RUN node tools/release/compile-cache.ts /survey-export/source-survey-export.js && chmod -R a+rX /survey-export/compile-cache

FROM ${NODE_IMAGE}
ARG NODE_IMAGE
COPY --from=build /survey-export /survey-export
LABEL io.airbyte.name="ghcr.io/survey-export/source-survey-export" \
      io.airbyte.version="0.1.0" \
      org.opencontainers.image.title="Survey Export" \
      org.opencontainers.image.description="Airbyte source for a survey service's export API" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.base.name="${NODE_IMAGE}" \
      org.opencontainers.image.source="https://github.com/survey-export/survey-export" \
      org.opencontainers.image.documentation="https://github.com/survey-export/survey-export/blob/main/docs/airbyte.md" \
      org.opencontainers.image.licenses="MIT"
# By number, so that Kubernetes can tell that it is not root.
USER 1000:1000
# On Kubernetes Airbyte runs this variable instead of the entry point, from a directory of its own.
ENV AIRBYTE_ENTRYPOINT="/usr/local/bin/node /survey-export/source-survey-export.js"
ENTRYPOINT ["/usr/local/bin/node", "/survey-export/source-survey-export.js"]
