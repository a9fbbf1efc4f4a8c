/** `restoreCluster` with rows that are only in the write-ahead log: they become row sets, in bounded memory. */
import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { loadSchema, syntheticServer } from "@cfile-tools/kudu-synthetic";
import { atMost, type BenchCase } from "../../bench-case.js";
import type { KuduDirReport } from "../../children/kudu-dir-child.js";
import { WrongAnswer } from "../../measure.js";

/** The peer is a copy, because no other program restores a cluster. */
const PEER = "node:fs: the same directories, copied";
const ROWS = 1_000_000;
const ROWS_PER_WRITE = 1000;
/** Relatively prime to the number of rows, so that neighboring keys are written at different times. */
const STEP = 7919;

const child = fileURLToPath(new URL("../../children/kudu-dir-child.js", import.meta.url));

/** Writes of all keys below `rows`, each with keys from the whole range. */
function* scatteredWrites(rows: number) {
  for (let at = 0; at < rows; at += ROWS_PER_WRITE) {
    const length = Math.min(ROWS_PER_WRITE, rows - at);
    const index = 1 + at / ROWS_PER_WRITE;
    const keys = Array.from({ length }, (_, i) => ((at + i) * STEP) % rows);
    yield { term: 1, index, timestamp: BigInt(1000 + index), keys, isCommitted: true };
  }
}

export const restore: BenchCase = {
  name: "restore",
  title: "Restore: 1 million rows that only the write-ahead log has",
  async run(scale) {
    const rows = Math.ceil(ROWS * scale);
    const folder = await mkdtemp(join(tmpdir(), "cfile-bench-restore-"));
    try {
      const path = join(folder, "old");
      const server = await syntheticServer(path, { disks: 1, blockManager: "log" });
      const replica = { term: 1, peers: [], log: [...scatteredWrites(rows)] };
      await server.add({ table: "load", schema: loadSchema, rowSets: [], replica });
      await server.finish();
      const { stdout } = await promisify(execFile)(process.execPath, [
        child,
        "restore",
        path,
        join(folder, "new"),
      ]);
      const report = JSON.parse(stdout) as KuduDirReport;
      if (report.count !== rows) {
        throw new WrongAnswer(`restored ${report.count} rows, not ${rows}`);
      }
      const { milliseconds, maxRssMiB } = report;
      const start = performance.now();
      await cp(path, join(folder, "copy"), { recursive: true });
      const copied = performance.now() - start;
      return {
        unit: "M rows/s",
        peer: PEER,
        rows: [
          { contender: PEER, milliseconds: copied, rate: rows / copied / 1000, ratio: 1 },
          {
            contender: "cfile: restore from the log",
            milliseconds,
            rate: rows / milliseconds / 1000,
            ratio: copied / milliseconds,
          },
        ],
        goals: [atMost("resident memory, MiB", 300, maxRssMiB)],
        notes: [],
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
