import { CFileError, DEFAULT_LIMITS, invalidArgument, type Progress } from "@cfile/bytes";
import type { ColumnBatch, EncodingTable } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { DamagedCFileOptions, RecoverableFile, RecoveryLedger } from "@cfile/format/recover";
import { scanDamagedCFile } from "@cfile/format/recover";
import type { WriterOptions, WrittenFile } from "@cfile/format/write";
import { CFileWriter } from "@cfile/format/write";
import { openSink, openSource, type SinkInput, type SourceInput } from "@cfile/io";

export interface RecoverOptions extends DamagedCFileOptions {
  /** Encodings of the damaged and of the new file. Default: `ENCODINGS`, those of Kudu. */
  readonly encodings?: EncodingTable | undefined;
  /**
   * What becomes of lost rows. `"drop"`: the rows behind them move up. `"null"`: they become nulls, the rows keep their numbers, and the
   * new column is nullable. Default `"drop"`.
   */
  readonly lost?: "drop" | "null" | undefined;
  /** Whether a file is on the disk when this is done; see `FileSinkOptions` of `@cfile/io`. Default `true`. */
  readonly sync?: boolean | undefined;
  /** Called after each entry of the ledger that was written. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** What was written, and the exact account of what was in the damaged file. */
export interface RecoveredFile extends WrittenFile {
  readonly ledger: RecoveryLedger;
  /** Rows of the new file that are nulls for lost ones. */
  readonly nullsForLost: number;
  /** Whether the new file has the value index that the damaged one had. */
  readonly validx: boolean;
}

/** Lost rows written at a time. */
const NULLS = 65536;

/**
 * Saves what is undamaged: writes a new file of all rows of `source` that can be trusted, and says what became of each block.
 * Rows whose checksum is right are exactly those that were written; where a file has no checksums, the ledger says so.
 * The source is never changed; encoding, compression and metadata are taken over, as far as they are known.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` when something has to be given that the file no longer tells, or there are more lost rows
 *   than can become nulls; `E_CORRUPT` when there is nothing to recover; `E_UNSUPPORTED` for delta and Bloom files; `E_IO` when source or target
 *   fail. The target is then left as it was
 */
export async function recoverCFile(
  source: SourceInput,
  target: SinkInput,
  options: RecoverOptions = {},
): Promise<RecoveredFile> {
  const { lost = "drop" } = options;
  if (lost !== "drop" && lost !== "null") {
    throw invalidArgument(`lost is ${String(lost)}, "drop" or "null" is expected`, { field: "lost" });
  }
  const input = await openSource(source);
  try {
    const found = await scanDamagedCFile(input, options);
    return await writeRecovered(found, target, lost, options);
  } finally {
    await input.close?.();
  }
}

async function writeRecovered(
  found: RecoverableFile,
  target: SinkInput,
  lost: "drop" | "null",
  options: RecoverOptions,
): Promise<RecoveredFile> {
  const { ledger } = found;
  const asNulls = lost === "null" && ledger.rowsLost > 0;
  requireSomething(ledger);
  if (asNulls) {
    requireFewNulls(ledger, { ...DEFAULT_LIMITS, ...options.limits }.maxBlockRows);
  }
  const settings = await writerOptions(found, asNulls, options);
  const sink = await openSink(target, { sync: options.sync });
  let writer: CFileWriter | undefined;
  try {
    writer = new CFileWriter(sink, settings);
    let rows = 0;
    for await (const { entry, batch } of found.entries()) {
      if (batch !== undefined) {
        await writer.append(batch);
        rows += batch.length;
      } else if (asNulls) {
        await appendNulls(writer, settings, entry.rows ?? 0, options.signal);
      }
      options.onProgress?.({ done: rows, total: ledger.rowsKept });
    }
    const written = await writer.finish();
    return {
      ...written,
      ledger,
      nullsForLost: asNulls ? ledger.rowsLost : 0,
      validx: settings.validx ?? false,
    };
  } catch (error) {
    await (writer?.abort(error) ?? sink.abort(error));
    throw error;
  }
}

function requireSomething({ path, parts, blocks, rowsKept, rowsTotal }: RecoveryLedger): void {
  const framed = parts.some(({ part, state }) => part === "footer" && state === "valid");
  if (rowsKept === 0 && rowsTotal !== 0 && (!framed || blocks.length > 0)) {
    const problem = blocks[0]?.problem;
    throw new CFileError(
      "E_CORRUPT",
      `there is nothing to recover: ${problem?.reason ?? "no block of the column was found"}`,
      { path, block: problem?.block, field: problem?.field },
    );
  }
}

function requireFewNulls({ rowsLost }: RecoveryLedger, limit: number): void {
  if (rowsLost > limit) {
    throw invalidArgument(`${rowsLost} rows are lost, at most ${limit} can become nulls; use "drop"`, {
      field: "lost",
      expected: limit,
      actual: rowsLost,
    });
  }
}

async function writerOptions(
  found: RecoverableFile,
  asNulls: boolean,
  { codecs, encodings, kernels, limits }: RecoverOptions,
): Promise<WriterOptions> {
  const { column } = found.ledger;
  const nullable = column.nullable || asNulls;
  return {
    type: column.type,
    encoding: column.encoding,
    compression: column.compression,
    nullable,
    array: column.array,
    posidx: found.indexes.posidx,
    validx: found.indexes.validx && !nullable && !column.array && (await found.isOrdered()),
    headerMetadata: found.headerMetadata,
    footerMetadata: found.footerMetadata,
    codecs,
    encodings,
    kernels,
    limits,
  };
}

async function appendNulls(
  writer: CFileWriter,
  settings: WriterOptions,
  rows: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  let nulls: ColumnBatch | undefined;
  for (let left = rows; left > 0; left -= NULLS) {
    signal?.throwIfAborted();
    const length = Math.min(left, NULLS);
    if (nulls?.length !== length) {
      nulls = batchFromValues(
        { ...settings, array: settings.array ?? false, nullable: true },
        new Array(length).fill(null),
      );
    }
    await writer.append(nulls);
  }
}
