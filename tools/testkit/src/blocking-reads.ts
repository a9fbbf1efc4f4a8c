/** Counts reads of files that block the thread. */
import fs from "node:fs";
import { onTestFinished, vi } from "vitest";

/**
 * The number of blocking reads since the call, until the test has finished. `performance.now` is always 0 in this time, so that no read
 * counts as slow: the one after it would not block.
 */
export function countBlockingReads(): () => number {
  const readSync = vi.spyOn(fs, "readSync");
  const clock = vi.spyOn(performance, "now").mockReturnValue(0);
  onTestFinished(() => {
    readSync.mockRestore();
    clock.mockRestore();
  });
  return () => readSync.mock.calls.length;
}
