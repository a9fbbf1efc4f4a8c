/** A folder of its own for a test, removed after it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export async function testFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cfile-io-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
