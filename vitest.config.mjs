// The one test configuration. Every package runs `vitest run --config ../../vitest.config.mjs` in its own folder.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Turbo already runs one package per core.
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 300_000,
    // `npm test` adds up the reports; being task outputs, they come back when turbo replays a cached run.
    reporters: ["default", ["json", { outputFile: "reports/vitest.json" }]],
  },
});
