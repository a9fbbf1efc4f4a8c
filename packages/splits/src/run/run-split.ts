/** Reads a split and writes its rows as a Parquet file. The code for row sets, tablets and recovery is loaded lazily. */
import { isDamage, MemoryArena } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import type { TableColumn, TableRows } from "@cfile/format";
import type { ByteSink, SinkInput } from "@cfile/io";
import { isTransient } from "@cfile/io/decorators";
import type { ExportOptions } from "@cfile/parquet/write";
import { exportParquet } from "@cfile/parquet/write";
import type { Split } from "../lines/split.js";
import { columnNamed } from "../lines/split-columns.js";
import { readPiece, wantedRows } from "./read-files.js";
import {
  type ReadOptions,
  type ReadSplitOptions,
  type Recovered,
  type RecoverOptions,
  requiredDirectories,
} from "./read-options.js";

/** Options for reading and writing a split. */
export interface WriteSplitOptions extends ReadSplitOptions {
  /**
   * Whether to write the valid rows of damaged sources. Default `false`: damage is thrown. It is always thrown for Hudi tables, and for a
   * key range of a tablet: recover the `wholeSplit` instead. `"always"` also compares the replicas of undamaged tablets.
   */
  readonly recover?: boolean | "always" | undefined;
}

/** Options of {@link runSplit}. */
export interface RunSplitOptions extends WriteSplitOptions {
  /** Options of the Parquet file. Default: those of `exportParquet`, with Bloom filters for key columns. */
  readonly parquet?: ExportOptions | undefined;
}

/** The result of a split. */
export interface SplitResult {
  readonly rows: number;
  readonly bytes: number;
  readonly recovered: readonly Recovered[];
  /** The known number of lost rows. It is unknown for HBase regions, which add the number of damaged and missing files. */
  readonly rowsLost: number;
  /** Whether no row and no operation is lost, known or not. A file without a footer may have had more rows after its last block. */
  readonly complete: boolean;
}

/** The name of a split's Parquet file. */
export function splitFileName({ id }: Split): string {
  return `part-${id}.parquet`;
}

/** The columns of a split's result. */
export function splitColumns({ schema, columns }: Split): readonly TableColumn[] {
  return columns.map((name) => columnNamed(schema, name));
}

/**
 * The rows of a split.
 *
 * @throws {CFileError} `E_SOURCE_CHANGED` if a source has changed since the split was planned; `E_INVALID_ARGUMENT` without the `dir` of
 *   a Kudu server or the `hudi` table; as scans
 */
export async function* readSplit(
  split: Split,
  options: ReadSplitOptions,
): AsyncGenerator<TableBatch, void, void> {
  const arena = options.keepBatches ? undefined : (options.arena ?? new MemoryArena());
  yield* rowsOf(split, { ...options, arena }, undefined);
}

/**
 * Writes the rows of a split to a new Parquet file. The bytes are the same each time. An error leaves no file.
 *
 * @param target a path or sink, or a function that opens a sink; recovery calls it twice
 * @throws {CFileError} as {@link readSplit} and `exportParquet`
 */
export async function runSplit(
  split: Split,
  target: SinkInput | (() => Promise<ByteSink>),
  options: RunSplitOptions,
): Promise<SplitResult> {
  const keys = split.schema.filter(
    ({ isKey, type, name }) => isKey && type !== "BOOL" && split.columns.includes(name),
  );
  const parquet = { bloomFilters: keys.map(({ name }) => name), ...options.parquet };
  const { written, ...result } = await writeSplit(split, options, async (table) =>
    exportParquet(await opened(target), table, parquet),
  );
  return { rows: written.rows, bytes: written.bytes, ...result };
}

/**
 * Writes the rows of a split in any format.
 *
 * @param write called a second time if damage requires recovery
 * @throws {CFileError} as {@link readSplit} and `write`
 */
export async function writeSplit<W>(
  split: Split,
  options: WriteSplitOptions,
  write: (table: TableRows) => Promise<W>,
): Promise<{ readonly written: W } & Pick<SplitResult, "recovered" | "rowsLost" | "complete">> {
  const columns = splitColumns(split);
  const { recover = false } = options;
  if (recover !== "always" || !isRecoverable(split)) {
    try {
      const written = await write({ columns, rows: readSplit(split, options) });
      return { written, recovered: [], rowsLost: 0, complete: true };
    } catch (error) {
      if (recover === false || !isDamage(error) || !isRecoverable(split)) {
        throw error;
      }
    }
  }
  const recovered: Recovered[] = [];
  let rowsLost = 0;
  let complete = true;
  const settings: RecoverOptions = {
    ...options,
    arena: split.kind === "cfiles" ? new MemoryArena() : undefined,
    onRecovered: (found) => recovered.push(found),
    onLost: (rows, areAll) => {
      rowsLost += rows;
      complete &&= rows === 0 && areAll;
    },
  };
  const written = await write({ columns, rows: rowsOf(split, settings, settings) });
  return { written, recovered, rowsLost, complete };
}

function isRecoverable(split: Split): boolean {
  const isDivided =
    split.kind === "tablet" && split.pieces.some(({ from, to }) => from !== undefined || to !== undefined);
  return split.kind !== "hudi" && !isDivided;
}

async function opened(target: SinkInput | (() => Promise<ByteSink>)): Promise<SinkInput> {
  return typeof target === "function" ? target() : target;
}

/** @param recovery if given, only valid rows are returned */
async function* rowsOf(
  split: Split,
  options: ReadOptions,
  recovery: RecoverOptions | undefined,
): AsyncGenerator<TableBatch, void, void> {
  if (split.kind === "cfiles") {
    const wanted = wantedRows(split);
    const recover = recovery && (await import("./recover-files.js")).recoverPiece;
    for (const piece of split.pieces) {
      yield* recover ? recover(piece, wanted, recovery) : readPiece(piece, wanted, options);
    }
  } else if (split.kind === "tablet") {
    const { readTablet, recoverTablet } = await import("./read-tablets.js");
    for (const piece of split.pieces) {
      yield* recovery ? recoverTablet(piece, split, recovery) : readTablet(piece, split, options);
    }
  } else if (split.kind === "hbase") {
    const { readRegion, recoverRegion } = await import("./read-regions.js");
    for (const piece of split.pieces) {
      yield* recovery ? recoverRegion(piece, split, recovery) : readRegion(piece, split, options);
    }
  } else if (split.kind === "hudi") {
    yield* (await import("./read-slices.js")).readSlices(split, options);
  } else {
    if (split.kind === "kudu") {
      requiredDirectories(options);
    }
    const { readRowSet, recoverRowSet } = await import("./read-row-sets.js");
    for (const piece of split.pieces) {
      yield* recovery ? recoverRowSet(piece, split, recovery) : readRowSet(piece, split, options);
    }
  }
}

/** Whether a failed split may succeed if it runs again: the cause is a transient failure of the machine or the network. */
export function isRetryable(error: unknown): boolean {
  return isTransient(error);
}
