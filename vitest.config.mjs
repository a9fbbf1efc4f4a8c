// The one test configuration. Every package runs `vitest run --config ../../vitest.config.mjs` in its own folder.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { HungTests } from "./tools/workspace/hung-tests.mjs";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: [fileURLToPath(new URL("tools/testkit/src/setup.ts", import.meta.url))],
    // Turbo already runs one package per core. The files of a package share one process and its modules: without
    // that a fifth of the time goes into loading them again for each file.
    maxWorkers: 1,
    isolate: false,
    // What is built runs as it is, without vite's rewriting of imports.
    server: { deps: { external: [/\/(packages|tools)\/[^/]+\/dist\//] } },
    // A test that compares nothing fails.
    expect: { requireAssertions: true },
    // Files whose tests take longer by their nature say so themselves (`vi.setConfig`).
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // `npm test` adds up the reports; being task outputs, they come back when turbo replays a cached run.
    reporters: ["default", ["json", { outputFile: "reports/vitest.json" }], new HungTests()],
  },
});
