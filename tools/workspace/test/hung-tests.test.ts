import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { isAlive } from "@cfile-tools/testkit";
import { expect, test } from "vitest";

test("a run whose process is blocked ends, and names the test and the processes", async () => {
  const root = fileURLToPath(new URL("hung", import.meta.url));
  const { status, stderr } = spawnSync("npx", ["vitest", "run", "--root", root], {
    encoding: "utf8",
    timeout: 60_000,
  });
  expect(stderr).toContain("No test started or ended for 2 seconds. Not ended:");
  expect(stderr).toMatch(/waiting\.case\.mjs, at or after: ends$/m);
  const [, waiting] = /^ *(\d+) .*setInterval/m.exec(stderr) ?? [];
  expect(Number(waiting)).toBeGreaterThan(0);
  // The system takes a moment to reap killed processes.
  await expect.poll(() => isAlive(Number(waiting)), { timeout: 10_000 }).toBe(false);
  expect(status).toBe(1);
}, 60_000);
