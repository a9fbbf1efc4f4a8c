/** Counts reads of files that block the thread. */
import fs from "node:fs";
import { onTestFinished, vi } from "vitest";

/** The number of blocking reads since the call, until the test has finished. */
export function countBlockingReads(): () => number {
  const readSync = vi.spyOn(fs, "readSync");
  onTestFinished(() => readSync.mockRestore());
  return () => readSync.mock.calls.length;
}
