/** Runs `pnpm coverage` on a small package. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("../coverage.mjs", import.meta.url));

test("the branches of a decoder that its tests reach are counted", () => {
  const { status, stdout } = spawnSync(process.execPath, [script, "varint"], {
    encoding: "utf8",
    timeout: 110_000,
  });
  expect(stdout).toMatch(/^varint: 100\.0 % of \d+ branches$/m);
  expect(status).toBe(0);
}, 120_000);
