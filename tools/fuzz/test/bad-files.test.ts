import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { badFiles } from "../src/files/bad-files.js";
import { HARNESSES } from "../src/harnesses/all-harnesses.js";
import { HANGS_AFTER, replay } from "../src/run-fuzz.js";

const kept = badFiles();

describe("inputs that once caused a failure", () => {
  test("are all listed in the README", () => {
    const files = readdirSync(new URL("../../../fixtures/bad/", import.meta.url));
    expect(files.filter((file) => file !== "README.md").sort()).toEqual(kept.map(({ file }) => file).sort());
    const names = HARNESSES.map(({ name }) => name);
    expect(kept.filter(({ harness }) => !names.includes(harness))).toEqual([]);
  });

  test.each(kept.map((bad) => [bad.file, bad] as const))("%s causes no failure", async (_file, bad) => {
    for (const harness of HARNESSES) {
      // The others take long and add nothing.
      if (harness.name === bad.harness || (harness.share >= 80 && bad.bytes.length <= 2000)) {
        const start = performance.now();
        const { crash } = await replay(await harness.ready(), bad.seed, bad.subject, bad.bytes);
        expect(crash, harness.name).toBeUndefined();
        expect(performance.now() - start).toBeLessThan(HANGS_AFTER);
      }
    }
  });
});
