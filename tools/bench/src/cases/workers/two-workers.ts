/**
 * The speedup by a second worker in one program, compared with the gain of the machine by a second program: two
 * processes that share nothing, at the same time. Each has half of the task, so both programs process the same number of bytes.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchCase } from "../../bench-case.js";
import { measureTable } from "./command-tasks.js";
import { measureScan } from "./scan-tasks.js";
import { PEER } from "./task-times.js";

export const twoWorkers: BenchCase = {
  name: "two-workers",
  title: "Two workers of one program, and two programs that share nothing",
  async run(scale) {
    const folder = await mkdtemp(join(tmpdir(), "cfile-bench-two-workers-"));
    try {
      const all = [
        await measureScan(folder, "INT32", scale),
        await measureScan(folder, "DOUBLE", scale),
        ...(await measureTable(folder, scale)),
      ];
      return {
        unit: "million rows/s",
        peer: PEER,
        rows: all.flatMap(({ rows }) => rows),
        goals: all.map(({ goal }) => goal),
        notes: [
          "Scans are timed in processes that have scanned before, commands from start to end. Ratios are medians of those within a turn.",
          `At the rate of two processes with the whole task each, that is, with twice the work for one start: ${all.map(({ twice }) => twice).join(", ")}.`,
        ],
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
