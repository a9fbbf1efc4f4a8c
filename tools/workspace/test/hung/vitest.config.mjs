import { defineConfig } from "vitest/config";
import { HungTests } from "../../hung-tests.mjs";

export default defineConfig({
  test: { include: ["*.case.mjs"], reporters: [new HungTests(2000)] },
});
