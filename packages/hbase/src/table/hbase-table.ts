/** A table, or a snapshot of one: its regions, and its cells as a client sees them. */
import { CFileError, compareBytes, corrupt, toHex } from "@cfile/bytes";
import type { FileTree, ReadOptions } from "@cfile/io";
import { CellOutput } from "../cells/cell-output.js";
import { TableCells } from "../cells/table-cells.js";
import { DamageLedger, type FileLoss } from "../files/damage-ledger.js";
import { type FileLister, openFamilyFiles } from "../files/family-files.js";
import type { RowBounds } from "../files/reference.js";
import { boundsOf, type StoreMemory } from "../files/store-file.js";
import type { WriteAheadLog } from "../log/write-ahead-log.js";
import { MobValues } from "../mob/mob-values.js";
import { boundaryProblems } from "../root/current-regions.js";
import type { TableDescriptor } from "../root/descriptor.js";
import type { RegionInfo } from "../root/region-info.js";
import type { SnapshotInfo } from "../root/snapshot-manifest.js";
import { tableNameText } from "../root/table-name.js";
import { commonRows } from "../scan/file-choice.js";
import { type OpenFamily, OpenRegion } from "../scan/open-region.js";
import { type RegionFiles, regionFiles } from "../scan/region-files.js";
import { RegionPool } from "../scan/region-pool.js";
import {
  asBytes,
  type BytesOrText,
  type CellOptions,
  type CellPlan,
  nextRow,
  planCells,
  rowsOf,
  type TableScanOptions,
} from "../scan/scan-options.js";
import { cachedCells, type StartedMerge, startMerge } from "../scan/start-merge.js";

/** The parts of a table. */
export interface TableParts {
  readonly tree: FileTree;
  readonly memory: StoreMemory;
  readonly descriptor: TableDescriptor;
  readonly snapshot: SnapshotInfo | undefined;
  /** The regions that count, in order of their rows. */
  readonly regions: readonly RegionInfo[];
  readonly listFiles: FileLister;
  /** Where losses are recorded; `undefined` to fail for damaged and missing files. */
  readonly ledger: DamageLedger | undefined;
  /** Opens the write-ahead log; `undefined` to read store files only. */
  readonly log: (() => Promise<WriteAheadLog>) | undefined;
}

/** Rows of a region from `from`, inclusive, to `to`, exclusive; `undefined` is unbounded. */
export interface RegionRows extends RowBounds {
  readonly region: RegionInfo;
}

const BATCH_CELLS = 4096;

/** An open table or snapshot. */
export class HBaseTable {
  /** `TABLE` or `NAMESPACE:TABLE`. */
  readonly name: string;
  readonly descriptor: TableDescriptor;
  /** The snapshot that is read; `undefined` for a table. */
  readonly snapshot: SnapshotInfo | undefined;
  /** The regions with the table's rows, in order. */
  readonly regions: readonly RegionInfo[];
  /** @internal */
  readonly parts: TableParts;
  private readonly pool: RegionPool;
  private readonly mob: MobValues;

  /** @internal Comes from `HBaseRoot`. */
  constructor(parts: TableParts) {
    this.parts = parts;
    this.name = tableNameText(parts.descriptor.name);
    this.descriptor = parts.descriptor;
    this.snapshot = parts.snapshot;
    this.regions = parts.regions;
    this.pool = new RegionPool((name) => this.openRegion(name));
    this.mob = new MobValues(parts.tree, parts.descriptor.name, parts.memory);
  }

  /** The parts of damaged and missing files that scans could not read so far, if the table was opened with `recover`. */
  get losses(): readonly FileLoss[] {
    return this.parts.ledger?.losses ?? [];
  }

  /**
   * Cells in order: row, family, column, newest first.
   * @throws {CFileError} for damage and missing files; `E_INVALID_ARGUMENT`, `E_NOT_FOUND` for invalid options; the signal's reason
   */
  async *scan(options: TableScanOptions = {}): AsyncGenerator<TableCells, void, undefined> {
    const plan = planCells(this.descriptor, options);
    const { from, to, limit } = rowsOf(options);
    const { batchCells = BATCH_CELLS, signal } = options;
    let left = limit;
    for (const region of this.regionsBetween(from, to)) {
      if (left <= 0) {
        return;
      }
      const open = this.pool.acquire(region.encodedName);
      let started: StartedMerge | undefined;
      try {
        started = await startMerge(open, plan, { from, to }, left, { signal });
        for (;;) {
          signal?.throwIfAborted();
          const output = await started.merge.next(batchCells);
          if (output === undefined) {
            break;
          }
          yield await this.cells(output, plan, { signal });
        }
        left = started.merge.left;
      } finally {
        await Promise.all((started?.cursors ?? []).map((cursor) => cursor.close()));
        await this.pool.release(region.encodedName);
      }
    }
  }

  /**
   * The cells of a row; empty when the row has none.
   * @throws {CFileError} as {@link scan}
   */
  async get(row: BytesOrText, options: CellOptions = {}): Promise<TableCells> {
    const bytes = asBytes(row);
    return this.cellsOfRow(bytes, planCells(this.descriptor, options), options);
  }

  /**
   * The cells of rows, in the order of `rows`.
   * @throws {CFileError} as {@link scan}
   */
  async getMany(rows: readonly BytesOrText[], options: CellOptions = {}): Promise<TableCells[]> {
    const plan = planCells(this.descriptor, options);
    const found: TableCells[] = [];
    for (const row of rows) {
      options.signal?.throwIfAborted();
      found.push(await this.cellsOfRow(asBytes(row), plan, options));
    }
    return found;
  }

  /** The region with a row; `undefined` if the row is in a hole between regions. */
  regionOf(row: BytesOrText): RegionInfo | undefined {
    const bytes = asBytes(row);
    const { regions } = this;
    let low = 0;
    let high = regions.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareBytes((regions[middle] as RegionInfo).startKey, bytes) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const region = regions[low - 1];
    const isInside = region && (region.endKey.length === 0 || compareBytes(bytes, region.endKey) < 0);
    return isInside ? region : undefined;
  }

  /**
   * The regions with rows from `startRow`, inclusive, to `stopRow`, exclusive, in order, and which of these rows they have.
   * @throws {CFileError} `E_CORRUPT` when no region has some of these rows, or more than one region
   */
  regionsOf(options: Pick<TableScanOptions, "startRow" | "stopRow"> = {}): readonly RegionRows[] {
    const { from, to } = rowsOf(options);
    return this.regionsBetween(from, to).map((region) => ({
      region,
      ...commonRows(boundsOf(region), { from, to }),
    }));
  }

  /** The same table, for reading despite damaged or missing files: its `losses` list the lost parts. */
  recovering(): HBaseTable {
    return new HBaseTable({ ...this.parts, ledger: new DamageLedger() });
  }

  /** The store files of a region that a scan reads. @throws {CFileError} for damage and missing files */
  async files(region: string): Promise<RegionFiles> {
    const open = this.pool.acquire(region);
    try {
      return await regionFiles(open, this.descriptor.families);
    } finally {
      await this.pool.release(region);
    }
  }

  /** Closes all files. */
  async close(): Promise<void> {
    await this.pool.close();
    await this.mob.close();
  }

  /** Calls `close` at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private async cellsOfRow(row: Uint8Array, plan: CellPlan, { signal }: ReadOptions): Promise<TableCells> {
    const region = this.regionOf(row);
    if (region === undefined) {
      throw corrupt("no region of the table has the row", { path: this.parts.tree.name, field: "regions" });
    }
    const open = this.pool.acquire(region.encodedName);
    try {
      const cached = cachedCells(open, plan, row);
      if (cached !== undefined) {
        return await this.cells(cached, plan, { signal });
      }
      const { merge } = await startMerge(open, plan, { from: row, to: nextRow(row) }, 1, { signal });
      const output = await merge.next(Number.POSITIVE_INFINITY);
      return await this.cells(output ?? new CellOutput(), plan, { signal });
    } finally {
      await this.pool.release(region.encodedName);
    }
  }

  private async cells(output: CellOutput, { families }: CellPlan, options: ReadOptions): Promise<TableCells> {
    const names = families.map(({ descriptor }) => descriptor.name);
    const mobFamilies = families.map(({ descriptor }) => (descriptor.mob ? descriptor.name : undefined));
    const hasMob = mobFamilies.some((name) => name !== undefined);
    const values = hasMob ? await this.mob.resolve(output, mobFamilies, options) : NO_VALUES;
    return new TableCells(output, names, values);
  }

  private regionsBetween(from: Uint8Array | undefined, to: Uint8Array | undefined): readonly RegionInfo[] {
    const regions = this.regions.filter(
      ({ startKey, endKey }) =>
        (to === undefined || compareBytes(startKey, to) < 0) &&
        (from === undefined || endKey.length === 0 || compareBytes(endKey, from) > 0),
    );
    requireAllRows(regions, from, to, this.parts.tree.name);
    return regions;
  }

  private openRegion(name: string): OpenRegion {
    const info = this.regions.find(({ encodedName }) => encodedName === name);
    if (info === undefined) {
      throw new CFileError("E_NOT_FOUND", `the table has no region ${name}`, { field: "region" });
    }
    return new OpenRegion(info, (family) => this.openFamily(info, family));
  }

  private async openFamily(region: RegionInfo, family: string): Promise<OpenFamily> {
    const { tree, memory, listFiles, ledger, log } = this.parts;
    const named = await listFiles(region, family);
    const files = await openFamilyFiles(named, { tree, region, family, memory, ledger });
    const flushed = Math.max(-1, ...files.map(({ sequenceId }) => sequenceId));
    const unflushed = log && (await (await log()).unflushed(region, new Map([[family, flushed]])));
    return { files, unflushed: unflushed?.get(family) };
  }
}

/**
 * Rows that no region has would be missing from a scan without notice, and rows in two regions would come twice.
 * @throws {CFileError} `E_CORRUPT`
 */
function requireAllRows(
  regions: readonly RegionInfo[],
  from: Uint8Array | undefined,
  to: Uint8Array | undefined,
  path: string,
): void {
  const problem = boundaryProblems(regions).find(
    (each) =>
      (to === undefined || compareBytes(each.from, to) < 0) &&
      (from === undefined || each.to.length === 0 || compareBytes(each.to, from) > 0),
  );
  if (problem !== undefined) {
    const { kind } = problem;
    const range = `0x${toHex(problem.from)} to ${problem.to.length === 0 ? "the end" : `0x${toHex(problem.to)}`}`;
    const reason = kind === "hole" ? "no region of the table has" : "more than one region of the table has";
    throw corrupt(`${reason} the rows from ${range}`, { path, field: "regions" });
  }
}

const NO_VALUES: ReadonlyMap<number, Uint8Array> = /* @__PURE__ */ new Map();
