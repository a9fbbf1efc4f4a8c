/**
 * Root directories that HBase wrote, and the cells that its client read from them (fixtures/golden/hbase-table/README.md and
 * fixtures/golden/hbase-root/README.md).
 */
import { fromHex, toHex } from "@cfile/bytes";
import { listGolden, pathToGolden, readGoldenJson } from "@cfile-tools/testkit";
import {
  type HBaseRoot,
  type HBaseTable,
  openHBaseRoot,
  type TableCells,
  type TableScanOptions,
} from "../src/index.js";

export const ROOT_PATH = pathToGolden("hbase-table/root");

/** `[row hex, family, qualifier hex, timestamp, type code, value hex]`; in one table followed by the tags. */
export type CellFact = readonly [string, string, string, number, number, string, (readonly unknown[])?];

type Run = readonly [first: number, count: number];

export interface QueryFact {
  readonly options: {
    readonly versions?: number | "all";
    readonly timeRange?: readonly [number, number];
    readonly startRow?: string;
    readonly stopRow?: string;
    readonly families?: readonly string[];
    readonly columns?: readonly (readonly [string, string])[];
    readonly raw?: boolean;
    readonly limit?: number;
    readonly row?: string;
  };
  readonly now: readonly [number, number];
  readonly count: number;
  readonly cells: readonly Run[];
  readonly skippedMarker?: readonly Run[];
}

interface RegionFact {
  readonly encodedName: string;
  readonly regionId?: number;
  readonly startKey?: string;
  readonly endKey?: string;
}

export interface TableFacts {
  readonly name: string;
  readonly kind: "table" | "snapshot";
  readonly schema?: {
    readonly families: readonly Record<string, unknown>[];
    readonly values: Record<string, string>;
  };
  readonly regions?: readonly RegionFact[];
  readonly scans: readonly QueryFact[];
  readonly gets: readonly QueryFact[];
  readonly cells: readonly CellFact[];
}

const FOLDERS = ["hbase-table", "hbase-root"];

/** The facts of every table and snapshot, by folder and name. */
export const FACTS: readonly (readonly [name: string, folder: string, facts: TableFacts])[] = FOLDERS.flatMap(
  (folder) =>
    listGolden(`${folder}/facts`, ".json")
      .filter((name) => name !== "files")
      .map((name) => [name, folder, readGoldenJson<TableFacts>(`${folder}/facts/${name}.json`)] as const),
);

/** Opens a golden root. */
export function openRoot(folder = "hbase-table"): Promise<HBaseRoot> {
  return openHBaseRoot(pathToGolden(`${folder}/root`));
}

export async function openFacts(root: HBaseRoot, { name, kind }: TableFacts): Promise<HBaseTable> {
  return kind === "snapshot" ? root.openSnapshot(name.replace(/^snapshot\./, "")) : root.openTable(name);
}

/** The cells that a correct reader returns. */
export function expectedCells(
  { cells }: TableFacts,
  { cells: runs, skippedMarker = [] }: QueryFact,
): CellFact[] {
  const wrong = new Set(positions(skippedMarker));
  return positions(runs)
    .filter((i) => !wrong.has(i))
    .map((i) => (cells[i] as CellFact).slice(0, 6) as unknown as CellFact);
}

function positions(runs: readonly Run[]): number[] {
  return runs.flatMap(([first, count]) => Array.from({ length: count }, (_, i) => first + i));
}

export function scanOptions({ options, now }: QueryFact): TableScanOptions {
  const { startRow, stopRow, timeRange, columns, ...rest } = options;
  return {
    ...rest,
    now: now[0],
    startRow: startRow && fromHex(startRow),
    stopRow: stopRow && fromHex(stopRow),
    timeRange: timeRange && { from: timeRange[0], to: timeRange[1] },
    columns: columns?.map(([family, qualifier]) => ({ family, qualifier: fromHex(qualifier) })),
  };
}

export function cellFacts(cells: TableCells): CellFact[] {
  return Array.from({ length: cells.length }, (_, i) => [
    toHex(cells.row(i)),
    cells.family(i),
    toHex(cells.qualifier(i)),
    Number(cells.timestamp(i)),
    cells.type(i),
    toHex(cells.value(i)),
  ]);
}

export async function collectCells(batches: AsyncIterable<TableCells>): Promise<CellFact[]> {
  const found: CellFact[] = [];
  for await (const batch of batches) {
    found.push(...cellFacts(batch));
  }
  return found;
}
