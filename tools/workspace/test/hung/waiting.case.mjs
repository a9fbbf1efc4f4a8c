import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

it("ends", async () => {
  expect(1).toBe(1);
  // Vitest reports tests a moment after they start.
  await new Promise((resolve) => setTimeout(resolve, 500));
});

it("waits for a process that does not end", () => {
  spawnSync(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  expect(1).toBe(1);
});
