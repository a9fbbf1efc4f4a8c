/** Scans a snapshot of HBase, or gets rows, whenever the parent process sends a task. Answers with results and times. */
import { openHBaseRoot, type TableCells } from "@cfile/hbase";
import { peakResidentMiB } from "../machine/peak-memory.js";

/** A scan of the whole snapshot; with `gets`, `count` gets of random rows below `rows`. */
export interface SnapshotTask {
  readonly path: string;
  readonly name: string;
  readonly gets?: { readonly rows: number; readonly count: number };
}

/** The results of a pass, and its milliseconds. */
export interface Pass {
  readonly cells: number;
  readonly sum: number;
  readonly clock: number;
  readonly processor: number;
}

/** Number of passes of gets over the same rows. */
const GET_PASSES = 5;

/** The same generator as `java.util.Random`. */
class JavaRandom {
  private seed: bigint;

  constructor(seed: bigint) {
    this.seed = (seed ^ 0x5deece66dn) & ((1n << 48n) - 1n);
  }

  below(bound: number): number {
    for (;;) {
      this.seed = (this.seed * 0x5deece66dn + 0xbn) & ((1n << 48n) - 1n);
      const bits = Number(this.seed >> 17n);
      if ((bound & -bound) === bound) {
        return Number((BigInt(bound) * BigInt(bits)) >> 31n);
      }
      const value = bits % bound;
      if (bits - value + (bound - 1) < 2 ** 31) {
        return value;
      }
    }
  }
}

/** Counts the cells of a pass, and sums the lengths and last bytes of values. */
class Found {
  cells = 0;
  sum = 0;

  add(batch: TableCells): void {
    const { offsets, data } = batch.packValues();
    let { sum } = this;
    for (let i = 0; i < batch.length; i++) {
      const start = offsets[i] as number;
      const end = offsets[i + 1] as number;
      sum += end - start + (end > start ? (data[end - 1] as number) : 0);
    }
    this.sum = sum;
    this.cells += batch.length;
  }
}

async function timed(work: (found: Found) => Promise<void>): Promise<Pass> {
  const found = new Found();
  const before = process.cpuUsage();
  const start = performance.now();
  await work(found);
  const clock = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  return { cells: found.cells, sum: found.sum, clock, processor: (user + system) / 1000 };
}

/** Opens the snapshot and reads all of its cells, as HBase's `TableSnapshotScanner` does. */
function scanned({ path, name }: SnapshotTask): Promise<Pass> {
  return timed(async (found) => {
    const root = await openHBaseRoot(path);
    await using table = await root.openSnapshot(name);
    for await (const batch of table.scan()) {
      found.add(batch);
    }
  });
}

async function got(
  { path, name }: SnapshotTask,
  { rows, count }: { rows: number; count: number },
): Promise<Pass[]> {
  const root = await openHBaseRoot(path);
  await using table = await root.openSnapshot(name);
  const random = new JavaRandom(11n);
  const keys = Array.from({ length: count }, () => `row${String(random.below(rows)).padStart(9, "0")}`);
  const passes: Pass[] = [];
  for (let pass = 0; pass < GET_PASSES; pass++) {
    passes.push(
      await timed(async (found) => {
        for (const key of keys) {
          found.add(await table.get(key));
        }
      }),
    );
  }
  return passes;
}

process.on("message", async (task: SnapshotTask) => {
  const passes = task.gets === undefined ? [await scanned(task)] : await got(task, task.gets);
  process.send?.({ passes, peakMiB: await peakResidentMiB() });
});
