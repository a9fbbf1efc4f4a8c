/**
 * Runs one task of the comparison of tables in a separate process, and prints results, time and peak resident memory as JSON:
 *
 * | arguments | task |
 * | --- | --- |
 * | `scan A B` | reads two tables: directories of Kudu servers, or Parquet files |
 * | `compare A B` | compares them |
 * | `find DEFECT ROWS` | compares two generated tables; one has a defect |
 */
import { MemoryArena } from "@cfile/bytes";
import { type ComparedTable, compareTables } from "@cfile/compare";
import { openKuduDir } from "@cfile/kudu-dir";
import { openParquet } from "@cfile/parquet";
import { DEFECTS, generatedTable, isDefect } from "../data/compared-tables.js";
import { peakResidentMiB } from "../machine/peak-memory.js";

export interface CompareReport {
  /** Rows of both tables. */
  readonly rows: number;
  /** Number of differences found: rows, and columns that cannot be compared. */
  readonly found: number;
  /** Whether the number is exact, which it is not if most rows of a large table differ. */
  readonly isExact: boolean;
  readonly milliseconds: number;
  readonly maxRssMiB: number;
}

type Outcome = Pick<CompareReport, "rows" | "found" | "isExact">;

async function tableAt(path: string): Promise<ComparedTable> {
  if (path.endsWith(".parquet")) {
    const file = await openParquet(path);
    const rows = (signal: AbortSignal | undefined) => file.scan({ signal });
    return { columns: file.columns, partitions: [{ name: "all", rows }] };
  }
  const dir = await openKuduDir(path);
  const [table] = await dir.tables();
  const tablets = table?.tablets ?? [];
  const columns = tablets[0]?.schema.columns ?? [];
  return {
    columns,
    keyNames: columns.filter(({ isKey }) => isKey).map(({ name }) => name),
    partitions: tablets.map((tablet) => ({
      name: tablet.id,
      rows: (signal) => tablet.scan({ order: "any", arena: new MemoryArena(), signal }),
    })),
  };
}

async function scan(tables: readonly ComparedTable[]): Promise<Outcome> {
  let rows = 0;
  for (const partition of tables.flatMap(({ partitions }) => partitions)) {
    for await (const { length } of partition.rows(undefined)) {
      rows += length;
    }
  }
  return { rows, found: 0, isExact: true };
}

async function compare(a: ComparedTable, b: ComparedTable): Promise<Outcome> {
  const { rows, counts, problems, isExact } = await compareTables(a, b);
  const found = counts.onlyA + counts.onlyB + counts.changed + problems.length;
  return { rows: rows[0] + rows[1], found, isExact };
}

async function run([task, first = "", second = ""]: readonly string[]): Promise<Outcome> {
  if (task === "find") {
    if (!isDefect(first)) {
      throw new TypeError(`no such defect: ${first} (must be one of ${DEFECTS.join(", ")})`);
    }
    return compare(generatedTable(Number(second)), generatedTable(Number(second), first));
  }
  const [a, b] = [await tableAt(first), await tableAt(second)];
  return task === "scan" ? scan([a, b]) : compare(a, b);
}

const start = performance.now();
const outcome = await run(process.argv.slice(2));
const milliseconds = performance.now() - start;
const report: CompareReport = { ...outcome, milliseconds, maxRssMiB: await peakResidentMiB() };
process.stdout.write(JSON.stringify(report));
process.exit();
