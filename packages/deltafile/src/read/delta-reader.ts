/** Reads a delta file: all entries in order, those of a range of rows or timestamps, or those of one row. */
import { invalidOption } from "@cfile/bytes";
import type { BlockReadOptions, FileStructure, OpenCFileOptions, Range } from "@cfile/format";
import { type ByteSource, openWith, type SourceInput } from "@cfile/io";
import { checkRow } from "../changes/delta-key.js";
import { mayHoldTimestamps } from "../changes/snapshot.js";
import { checkTimestamps } from "../changes/timestamp.js";
import type { DeltaStatistics } from "../stats/delta-statistics.js";
import type { DeltaVerifyOptions, DeltaVerifyReport } from "../verify/verify-delta-file.js";
import { concatDeltas, type DeltaBatch, deltasWithin, EMPTY_DELTAS } from "./delta-batch.js";
import { DeltaBlocks } from "./delta-blocks.js";
import { type DeltaFile, readDeltaFile } from "./delta-file.js";
import { entriesOf, scanDeltaBlocks } from "./delta-scan.js";

/** Which entries of a row to read. */
export interface RowDeltaOptions extends BlockReadOptions {
  /** Entries with timestamps `from` (inclusive) to `to` (exclusive). Default: all. See `appliedTimestamps`. */
  readonly timestamps?: Range<bigint> | undefined;
  /** Whether to skip a file whose statistics exclude these timestamps. Default `true`, as in Kudu. */
  readonly trustStatistics?: boolean | undefined;
}

/** Which entries to read. */
export interface DeltaEntriesOptions extends RowDeltaOptions {
  /** Entries of rows `from` (inclusive) to `to` (exclusive). Default: all. */
  readonly rows?: Range<number> | undefined;
}

/**
 * Opens a delta file: a path, URL, `ByteSource` or any other input of `openCFile`. Reads and checks only footer, header and
 * statistics.
 *
 * @throws {CFileError} `E_UNSUPPORTED`: a CFile, but not a delta file; and as `openCFile`
 */
export function openDeltaFile(
  input: SourceInput,
  { file, http, s3, ...options }: OpenCFileOptions = {},
): Promise<DeltaFileReader> {
  const open = async (source: ByteSource): Promise<DeltaFileReader> =>
    new DeltaFileReader(await readDeltaFile(source, options));
  return openWith(input, open, { file, http, s3 });
}

/** An open delta file: its entries by row and timestamp. Reads only the blocks that can hold them. */
export class DeltaFileReader {
  /** @internal */
  readonly file: DeltaFile;
  private readonly blocks: DeltaBlocks;

  /** @internal Use {@link openDeltaFile}. */
  constructor(file: DeltaFile) {
    this.file = file;
    this.blocks = new DeltaBlocks(file);
  }

  get path(): string {
    return this.structure.path;
  }

  get structure(): FileStructure {
    return this.file.structure;
  }

  /** Statistics from the footer; `verify` compares them with the entries. */
  get statistics(): DeltaStatistics {
    return this.file.statistics;
  }

  /** Number of entries. */
  get entryCount(): number {
    return this.structure.footer.rowCount;
  }

  /**
   * The entries in file order, one batch per data block with matching entries. Blocks that are not cached are read one group
   * ahead of the consumer; ending the iteration stops reading.
   *
   * @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED`, `E_CHECKSUM`, `E_LIMIT`: the file is damaged; `E_IO`: the source fails;
   *   `E_INVALID_ARGUMENT`: a bound is not a row or timestamp
   */
  async *entries(options: DeltaEntriesOptions = {}): AsyncGenerator<DeltaBatch, void, void> {
    const { timestamps = {}, signal } = options;
    const from = rowBound(options.rows?.from ?? 0);
    const to = rowBound(options.rows?.to ?? Number.POSITIVE_INFINITY);
    if (!this.mayHold(options) || from >= to) {
      return;
    }
    for await (const { batch } of scanDeltaBlocks({ blocks: this.blocks, from, to, signal })) {
      const wanted = deltasWithin(batch, timestamps);
      if (wanted.length > 0) {
        yield wanted;
      }
    }
  }

  /**
   * The entries of one row in file order, the order in which they are applied; an empty batch if it has no entries.
   *
   * @throws {CFileError} as {@link entries}
   */
  async deltasOf(row: number, options: RowDeltaOptions = {}): Promise<DeltaBatch> {
    checkRow(row);
    if (!this.mayHold(options)) {
      return EMPTY_DELTAS;
    }
    const { blocks } = this;
    const cursor = await blocks.seek(row, options);
    if (cursor === undefined) {
      return EMPTY_DELTAS;
    }
    const parts: DeltaBatch[] = [];
    let block = await blocks.load(cursor.pointer, cursor.key, options);
    for (;;) {
      const { batch } = block;
      const part = entriesOf(batch, row, row + 1);
      if (part.length > 0) {
        parts.push(part);
      }
      const isPast = (batch.rows[batch.length - 1] as number) > row;
      if (isPast || !(await cursor.next()) || blocks.rowOf(cursor.key) > row) {
        break;
      }
      const next = await blocks.load(cursor.pointer, cursor.key, options);
      blocks.checkContinuity(block, next, cursor.pointer);
      block = next;
    }
    return parts.length === 0 ? EMPTY_DELTAS : deltasWithin(concatDeltas(parts), options.timestamps ?? {});
  }

  /**
   * Checks the whole file, including the order and values of its entries and the statistics, and reports all problems.
   *
   * @throws {CFileError} `E_IO`, `E_SOURCE_CHANGED`: the source fails; `E_INVALID_ARGUMENT`: invalid options
   */
  async verify(options: DeltaVerifyOptions = {}): Promise<DeltaVerifyReport> {
    const { verifyDeltaFile } = await import("../verify/verify-delta-file.js");
    return verifyDeltaFile(this.file, options);
  }

  /** Drops cached blocks and closes the source. */
  async close(): Promise<void> {
    this.blocks.clear();
    await this.file.source.close?.();
  }

  /** Calls `close` at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private mayHold({ timestamps = {}, trustStatistics = true }: RowDeltaOptions): boolean {
    checkTimestamps(timestamps);
    return !trustStatistics || mayHoldTimestamps(this.statistics, timestamps);
  }
}

/** A bound above all rows is equivalent to no bound. */
function rowBound(row: number): number {
  if (row !== Number.POSITIVE_INFINITY && !(Number.isInteger(row) && row >= 0)) {
    throw invalidOption("rows", row, "integers >= 0");
  }
  return row > 0xffffffff ? Number.POSITIVE_INFINITY : row;
}
