/**
 * Reading a split, and writing what it has as one Parquet file. The code for row sets and for what is damaged is loaded when a split
 * needs it.
 */
import { invalidArgument, isDamage, MemoryArena } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import type { TableColumn, TableRows } from "@cfile/format";
import type { ByteSink, SinkInput } from "@cfile/io";
import { isTransient } from "@cfile/io/decorators";

import type { KuduDir } from "@cfile/kudu-dir";
import type { RowSetAccount } from "@cfile/kudu-dir/recover";
import type { ExportOptions } from "@cfile/parquet/write";
import { exportParquet } from "@cfile/parquet/write";
import type { RowSetColumn } from "@cfile/rowset";
import type { Split } from "../lines/split.js";
import type { OpenLocation } from "../plan/source-identity.js";
import { readPiece, wantedRows } from "./read-files.js";
import type { RecoveredFile } from "./recover-files.js";

/** How the files of a split are opened. */
export interface ReadSplitOptions {
  /** Opens a path or URL. */
  readonly open: OpenLocation;
  /** The directories of a split of kind `kudu` or `tablet`, opened with its `dirs`. */
  readonly dir?: KuduDir | undefined;
  /** Whether batches stay valid. Default `false`: each is valid until the next is asked for, and its memory used again. */
  readonly keepBatches?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How a split is read and written. */
export interface WriteSplitOptions extends ReadSplitOptions {
  /**
   * Whether, of sources that are damaged, what is left is written. Default `false`: damage is thrown, as it always is for a range of a
   * tablet's keys: recover the `wholeTablet`.
   */
  readonly recover?: boolean | undefined;
}

/** The same, written as Parquet. */
export interface RunSplitOptions extends WriteSplitOptions {
  /** How the file is written. */
  readonly parquet?: ExportOptions | undefined;
}

/** What became of something that is damaged. */
export type Recovered =
  | ({ readonly kind: "file" } & RecoveredFile)
  | { readonly kind: "row set"; readonly tablet: string | undefined; readonly account: RowSetAccount };

/** What a split gave. */
export interface SplitResult {
  readonly rows: number;
  readonly bytes: number;
  readonly recovered: readonly Recovered[];
  readonly rowsLost: number;
}

/** Name of the file that a split becomes. */
export function splitFileName({ id }: Split): string {
  return `part-${id}.parquet`;
}

/** The columns of what a split becomes. */
export function splitColumns({ schema, columns }: Split): readonly TableColumn[] {
  return columns.map((name) => schema.find((column) => column.name === name) as RowSetColumn);
}

/**
 * The rows of a split.
 *
 * @throws CFileError `E_SOURCE_CHANGED` when a source is another one than when the split was made; as scanning does
 */
export async function* readSplit(
  split: Split,
  options: ReadSplitOptions,
): AsyncGenerator<TableBatch, void, void> {
  if (split.kind === "kudu") {
    requiredDirectories(options);
  }
  const arena = options.keepBatches ? undefined : new MemoryArena();
  if (split.kind === "cfiles") {
    const wanted = wantedRows(split);
    for (const piece of split.pieces) {
      yield* readPiece(piece, wanted, { ...options, arena });
    }
  } else if (split.kind === "tablet") {
    const { readTablet } = await import("./read-tablets.js");
    const dir = requiredDirectories(options);
    for (const piece of split.pieces) {
      yield* readTablet(piece, split, { ...options, dir, arena });
    }
  } else {
    const { readRowSet } = await import("./read-row-sets.js");
    for (const piece of split.pieces) {
      yield* readRowSet(piece, split, { ...options, arena });
    }
  }
}

/**
 * Writes the rows of a split to a new Parquet file: the same bytes each time. After an error nothing of it remains.
 *
 * @param target a path, or what opens the sink, which is asked twice when something is recovered
 * @throws CFileError as {@link readSplit} and `exportParquet`
 */
export async function runSplit(
  split: Split,
  target: SinkInput | (() => Promise<ByteSink>),
  options: RunSplitOptions,
): Promise<SplitResult> {
  const { written, recovered, rowsLost } = await writeSplit(split, options, async (table) =>
    exportParquet(await opened(target), table, options.parquet),
  );
  return { rows: written.rows, bytes: written.bytes, recovered, rowsLost };
}

/**
 * Writes the rows of a split in any format.
 *
 * @param write called again, to write anew, when something is recovered
 * @throws CFileError as {@link readSplit}; what `write` throws
 */
export async function writeSplit<W>(
  split: Split,
  options: WriteSplitOptions,
  write: (table: TableRows) => Promise<W>,
): Promise<{ readonly written: W; readonly recovered: readonly Recovered[]; readonly rowsLost: number }> {
  const columns = splitColumns(split);
  try {
    const written = await write({ columns, rows: readSplit(split, options) });
    return { written, recovered: [], rowsLost: 0 };
  } catch (error) {
    if (options.recover !== true || !isDamage(error) || isDivided(split)) {
      throw error;
    }
  }
  const recovered: Recovered[] = [];
  let rowsLost = 0;
  const onLost = (rows: number): void => {
    rowsLost += rows;
  };
  const written = await write({ columns, rows: recoverSplit(split, options, recovered, onLost) });
  return { written, recovered, rowsLost };
}

function isDivided(split: Split): boolean {
  return (
    split.kind === "tablet" && split.pieces.some(({ from, to }) => from !== undefined || to !== undefined)
  );
}

async function opened(target: SinkInput | (() => Promise<ByteSink>)): Promise<SinkInput> {
  return typeof target === "function" ? target() : target;
}

async function* recoverSplit(
  split: Split,
  options: ReadSplitOptions,
  recovered: Recovered[],
  onLost: (rows: number) => void,
): AsyncGenerator<TableBatch, void, void> {
  if (split.kind === "cfiles") {
    const wanted = wantedRows(split);
    const onFile = (file: RecoveredFile): void => void recovered.push({ kind: "file", ...file });
    const arena = new MemoryArena();
    const { recoverPiece } = await import("./recover-files.js");
    for (const piece of split.pieces) {
      yield* recoverPiece(piece, wanted, { ...options, arena, onFile, onLost });
    }
    return;
  }
  const onAccount = (account: RowSetAccount, tablet: string | undefined): void =>
    void recovered.push({ kind: "row set", tablet, account });
  if (split.kind === "tablet") {
    const { recoverTablet } = await import("./read-tablets.js");
    const dir = requiredDirectories(options);
    for (const piece of split.pieces) {
      const onTabletAccount = (account: RowSetAccount): void => {
        onAccount(account, piece.tablet);
        onLost(account.rowsLost);
      };
      yield* recoverTablet(piece, split, { ...options, dir, onAccount: onTabletAccount });
    }
  } else {
    const { recoverRowSet } = await import("./read-row-sets.js");
    for (const piece of split.pieces) {
      yield* recoverRowSet(piece, split, { ...options, onAccount, onLost });
    }
  }
}

function requiredDirectories({ dir }: ReadSplitOptions): KuduDir {
  if (dir === undefined) {
    throw invalidArgument("the directories of the server are needed", { field: "dir" });
  }
  return dir;
}

/** Whether a split that failed so may succeed when it is tried again: the machine or the network failed for a reason that may pass. */
export function isRetryable(error: unknown): boolean {
  return isTransient(error);
}
