/** Scans a snapshot of HBase several times, or gets rows, in this process. Prints what was found and the times as JSON. */
import { type HBaseTable, openHBaseRoot, type TableCells } from "@cfile/hbase";
import { peakResidentMiB } from "../machine/peak-memory.js";

const [work = "scan", path = "", name = "", ...numbers] = process.argv.slice(2);
const [times = 1, rows = 0, count = 0] = numbers.map(Number);

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

let cells = 0;
let sum = 0;

function add(batch: TableCells): void {
  const { offsets, data } = batch.packValues();
  cells += batch.length;
  for (let i = 0; i < batch.length; i++) {
    const start = offsets[i] as number;
    const end = offsets[i + 1] as number;
    sum += end - start + (end > start ? (data[end - 1] as number) : 0);
  }
}

async function scan(table: HBaseTable): Promise<void> {
  for await (const batch of table.scan()) {
    add(batch);
  }
}

const passes: { cells: number; sum: number; clock: number; processor: number }[] = [];
const root = await openHBaseRoot(path);
await using table = await root.openSnapshot(name);
const random = new JavaRandom(11n);
const keys = Array.from({ length: count }, () => `row${String(random.below(rows)).padStart(9, "0")}`);
for (let pass = 0; pass < times; pass++) {
  cells = 0;
  sum = 0;
  const before = process.cpuUsage();
  const start = performance.now();
  if (work === "scan") {
    await scan(table);
  } else {
    for (const key of keys) {
      add(await table.get(key));
    }
  }
  const clock = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  passes.push({ cells, sum, clock, processor: (user + system) / 1000 });
}
process.stdout.write(JSON.stringify({ passes, peakMiB: await peakResidentMiB() }));
