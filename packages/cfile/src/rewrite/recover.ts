import { CFileError, DEFAULT_LIMITS, invalidArgument, type Progress } from "@cfile/bytes";
import type { ColumnBatch, EncodingTable } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { DamagedCFileOptions, RecoverableFile, RecoveryLedger } from "@cfile/format/recover";
import { scanDamagedCFile } from "@cfile/format/recover";
import type { WriterOptions, WrittenFile } from "@cfile/format/write";
import { CFileWriter } from "@cfile/format/write";
import { openSink, openSource, type SinkInput, type SourceInput } from "@cfile/io";

export interface RecoverOptions extends DamagedCFileOptions {
  /** Encodings of the damaged and the new file. Default: `ENCODINGS`, those of Kudu. */
  readonly encodings?: EncodingTable | undefined;
  /**
   * How to treat lost rows: `"drop"` moves later rows up; `"null"` makes them nulls, so that rows keep their numbers and the new
   * column is nullable. Default `"drop"`.
   */
  readonly lost?: "drop" | "null" | undefined;
  /** Whether to sync the file to disk, as in `FileSinkOptions` of `@cfile/io`. Default `true`. */
  readonly sync?: boolean | undefined;
  /** Called after each entry of the ledger with the number of rows written so far. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** The new file, and an exact account of the damaged one. */
export interface RecoveredFile extends WrittenFile {
  readonly ledger: RecoveryLedger;
  /** Number of nulls written in place of lost rows. */
  readonly nullsForLost: number;
  /** Whether the new file has a value index, as the damaged one had. */
  readonly validx: boolean;
}

/** Maximum number of nulls appended at a time. */
const NULL_ROWS = 65536;

/**
 * Recovers a damaged file: writes all rows that can be trusted into a new file and reports what happened to each block. Rows with a
 * valid checksum are exactly as written; for files without checksums, the ledger says so. The source is never changed;
 * encoding, compression and metadata are copied, as far as they are known.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` when the file lacks what an option must then state, or too many lost rows would become nulls;
 *   `E_CORRUPT` when nothing can be recovered; `E_UNSUPPORTED` for delta and Bloom files; `E_IO`. The target is then unchanged
 */
export async function recoverCFile(
  source: SourceInput,
  target: SinkInput,
  options: RecoverOptions = {},
): Promise<RecoveredFile> {
  const { lost = "drop" } = options;
  if (lost !== "drop" && lost !== "null") {
    throw invalidArgument(`invalid lost: ${String(lost)} (must be "drop" or "null")`, { field: "lost" });
  }
  const input = await openSource(source);
  try {
    return await writeRecovered(await scanDamagedCFile(input, options), target, lost, options);
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
  const { rowsLost } = ledger;
  requireRows(ledger);
  const nullsForLost = lost === "null" ? rowsLost : 0;
  const { maxBlockRows } = { ...DEFAULT_LIMITS, ...options.limits };
  if (nullsForLost > maxBlockRows) {
    const reason = `too many lost rows to become nulls: ${rowsLost} (maximum ${maxBlockRows}); use "drop"`;
    throw invalidArgument(reason, { field: "lost", expected: maxBlockRows, actual: rowsLost });
  }
  const settings = await writerOptions(found, nullsForLost > 0, options);
  const sink = await openSink(target, { sync: options.sync });
  let writer: CFileWriter | undefined;
  try {
    writer = new CFileWriter(sink, settings);
    let rows = 0;
    for await (const { entry, batch } of found.entries()) {
      if (batch !== undefined) {
        await writer.append(batch);
        rows += batch.length;
      } else if (nullsForLost > 0) {
        await appendNulls(writer, settings, entry.rows ?? 0, options.signal);
      }
      options.onProgress?.({ done: rows, total: ledger.rowsKept });
    }
    return { ...(await writer.finish()), ledger, nullsForLost, validx: settings.validx ?? false };
  } catch (error) {
    await (writer?.abort(error) ?? sink.abort(error));
    throw error;
  }
}

function requireRows({ path, parts, blocks, rowsKept, rowsTotal }: RecoveryLedger): void {
  const hasFooter = parts.some(({ part, state }) => part === "footer" && state === "valid");
  if (rowsKept === 0 && rowsTotal !== 0 && (!hasFooter || blocks.length > 0)) {
    const { reason = "no block of the column was found", block, field } = blocks[0]?.problem ?? {};
    throw new CFileError("E_CORRUPT", `nothing to recover: ${reason}`, { path, block, field });
  }
}

async function writerOptions(
  found: RecoverableFile,
  hasNulls: boolean,
  { codecs, encodings, kernels, limits }: RecoverOptions,
): Promise<WriterOptions> {
  const { indexes, headerMetadata, footerMetadata } = found;
  const { type, encoding, compression, array, nullable: wasNullable } = found.ledger.column;
  const nullable = wasNullable || hasNulls;
  const validx = indexes.validx && !nullable && !array && (await found.isOrdered());
  const column = { type, encoding, compression, nullable, array, posidx: indexes.posidx, validx };
  return { ...column, headerMetadata, footerMetadata, codecs, encodings, kernels, limits };
}

async function appendNulls(
  writer: CFileWriter,
  settings: WriterOptions,
  rows: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const column = { type: settings.type, array: settings.array, nullable: true };
  let nulls: ColumnBatch | undefined;
  for (let left = rows; left > 0; left -= NULL_ROWS) {
    signal?.throwIfAborted();
    const length = Math.min(left, NULL_ROWS);
    nulls = nulls?.length === length ? nulls : batchFromValues(column, new Array(length).fill(null));
    await writer.append(nulls);
  }
}
