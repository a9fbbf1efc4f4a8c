import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { isAlive, temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";

const SCRIPT = fileURLToPath(new URL("left-behind.mjs", import.meta.url));

/** Runs a process that starts another and writes into a folder, and ends it. */
async function ended(how: "error" | "rejection" | NodeJS.Signals): Promise<{
  readonly code: number | null;
  readonly isServerAlive: boolean;
  readonly isFolderLeft: boolean;
}> {
  const folder = temporaryFolder();
  const isSignal = how.startsWith("SIG");
  const child = spawn(process.execPath, [SCRIPT, folder, isSignal ? "wait" : how], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  const pid = await new Promise<number>((resolve) =>
    createInterface({ input: child.stdout }).once("line", (line) => resolve(Number(line))),
  );
  expect(isAlive(pid)).toBe(true);
  if (isSignal) {
    child.kill(how as NodeJS.Signals);
  } else {
    child.kill("SIGUSR2");
  }
  const code = await closed;
  // The system takes a moment to reap killed processes.
  await expect.poll(() => isAlive(pid), { timeout: 5000 }).toBe(false);
  return { code, isServerAlive: isAlive(pid), isFolderLeft: existsSync(folder) };
}

describe("processes and files of a run", () => {
  it.concurrent.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["error", 1],
    ["rejection", 1],
  ] as const)("are gone after %s", async (how, code) => {
    expect(await ended(how)).toEqual({ code, isServerAlive: false, isFolderLeft: false });
  });
});
