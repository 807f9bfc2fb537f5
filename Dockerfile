# Two stages: the first bundles the program, the second holds the bundle and nothing else.
FROM --platform=$BUILDPLATFORM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
# What the bundle is made of and what makes it, in the versions and with the checksums of the lock file,
# and nothing of what only development needs.
RUN npm ci --omit=dev --ignore-scripts --workspaces=false \
 && npm install --no-save --save-prod --omit=dev --ignore-scripts --workspaces=false \
      "esbuild@$(node -p 'require("./package.json").devDependencies.esbuild')"
COPY spec spec
COPY schemas schemas
COPY connector connector
COPY scripts scripts
RUN node scripts/build.ts && echo '{ "type": "module" }' > dist/package.json && chmod -R a+rX dist

FROM node:24-slim
COPY --from=build /build/dist /survey-export
LABEL io.airbyte.name="ghcr.io/survey-export/source-survey-export" \
      io.airbyte.version="0.1.0" \
      org.opencontainers.image.title="Survey Export" \
      org.opencontainers.image.description="Airbyte source for a survey service's export interface" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.source="https://github.com/survey-export/survey-export" \
      org.opencontainers.image.documentation="https://github.com/survey-export/survey-export/blob/main/docs/airbyte.md" \
      org.opencontainers.image.licenses="MIT"
# By number, so that Kubernetes can tell that it is not root.
USER 1000:1000
# On Kubernetes Airbyte runs the variable instead of the entry point, from a directory of its own.
ENV AIRBYTE_ENTRYPOINT="/usr/local/bin/node /survey-export/source-survey-export.js"
ENTRYPOINT ["/usr/local/bin/node", "/survey-export/source-survey-export.js"]
