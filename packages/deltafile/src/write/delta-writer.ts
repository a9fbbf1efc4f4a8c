/** Writes a delta file from entries. */
import { invalidArgument, type Limits } from "@cfile/bytes";
import type { CodecSet, CompressionType } from "@cfile/compression";
import { DELTA_INDEX_KEYS } from "@cfile/format";
import { CFileWriter, type WrittenFile } from "@cfile/format/write";
import type { ByteSink } from "@cfile/io";
import type { KernelChoice } from "@cfile/kernels";
import { type ChangeType, checkChangeType } from "../changes/change-type.js";
import { checkRow } from "../changes/delta-key.js";
import { checkDeltaKind, type DeltaKind, mayFollow } from "../changes/delta-kind.js";
import { checkTimestamp, wordsOf } from "../changes/timestamp.js";
import { allocateDeltas, type DeltaBatch } from "../read/delta-batch.js";
import {
  compareStatistics,
  type DeltaStatistics,
  DeltaStatisticsCounter,
} from "../stats/delta-statistics.js";
import { DELTA_STATS_KEY, encodeDeltaStats, inKuduOrder } from "../stats/delta-stats-message.js";
import { EntryQueue } from "./entry-queue.js";

/** Options of a new delta file; the defaults are Kudu's. */
export interface DeltaWriterOptions {
  /** The order of entries: the timestamps of a row ascend in REDO and descend in UNDO files. */
  readonly kind: DeltaKind;
  /** Default `LZ4`, as in Kudu. */
  readonly compression?: CompressionType | undefined;
  /** Bytes of entries after which a data block is cut; at least 512. Default 32768. */
  readonly blockSize?: number | undefined;
  /** Bytes after which an index block is cut. Default 32768. */
  readonly indexBlockSize?: number | undefined;
  /** Checksums on header, blocks and footer. Default `true`. */
  readonly checksums?: boolean | undefined;
  /**
   * Statistics of a rewritten file, to keep the order of their columns; they must match the entries. Default: counted, columns
   * in the order of Kudu's servers.
   */
  readonly statistics?: DeltaStatistics | undefined;
  readonly codecs?: CodecSet | undefined;
  /** Implementation of the hot loops; the file is the same. Default `"auto"`. */
  readonly kernels?: KernelChoice | undefined;
  readonly limits?: Partial<Limits> | undefined;
}

const DEFAULT_BLOCK_SIZE = 32768;
const NO_MUTATIONS = /* @__PURE__ */ new Uint8Array(0);

/** Writes one delta file. After any error the write is aborted: the writer accepts nothing more and leaves nothing behind. */
export class DeltaFileWriter {
  readonly kind: DeltaKind;
  private readonly file: CFileWriter;
  private readonly stated: DeltaStatistics | undefined;
  private readonly counter = new DeltaStatisticsCounter();
  private readonly queue = new EntryQueue();
  /** Row and timestamp of the previous entry. */
  private lastRow = -1;
  private lastLow = 0;
  private lastHigh = 0;
  private readonly single = allocateDeltas(1, 0);
  private isClosed = false;

  /** @throws {CFileError} `E_INVALID_ARGUMENT` or `E_UNSUPPORTED` for invalid options */
  constructor(sink: ByteSink, options: DeltaWriterOptions) {
    this.kind = checkDeltaKind(options.kind);
    this.stated = options.statistics;
    const { indexBlockSize, checksums, codecs, kernels, limits } = options;
    this.file = new CFileWriter(sink, {
      type: "BINARY",
      encoding: "PLAIN_ENCODING",
      compression: options.compression ?? "LZ4",
      blockSize: options.blockSize ?? DEFAULT_BLOCK_SIZE,
      posidx: false,
      validx: true,
      indexKeys: DELTA_INDEX_KEYS,
      optimizeIndexKeys: false,
      indexBlockSize,
      checksums,
      codecs,
      kernels,
      limits,
    });
  }

  /** Entries appended so far. */
  get entryCount(): number {
    return this.counter.entries;
  }

  /**
   * Appends an entry.
   *
   * @param mutations from `MutationBuilder`; required for an UPDATE, not allowed for a DELETE
   * @throws {CFileError} `E_INVALID_ARGUMENT` naming row and timestamp: invalid entry, or an entry that must not follow the
   *   previous one in a file of this kind; `E_IO`: the sink fails
   */
  append(
    row: number,
    timestamp: bigint,
    type: ChangeType,
    mutations: Uint8Array = NO_MUTATIONS,
  ): Promise<void> {
    return this.attempt(() => {
      const { single } = this;
      single.timestamps[0] = checkTimestamp(timestamp, "timestamp");
      single.rows[0] = checkRow(row);
      // Truncated to a byte, an invalid number could become a valid type.
      single.types[0] = type === (type & 3) ? type : 0;
      single.offsets[1] = mutations.length;
      this.add({ ...single, data: mutations }, wordsOf(single.timestamps), 0);
    });
  }

  /** Appends all entries of a batch; its arrays may be reused afterwards. @throws {CFileError} as {@link append} */
  appendBatch(batch: DeltaBatch): Promise<void> {
    return this.attempt(() => {
      const { length, rows, types, offsets } = batch;
      const words = wordsOf(batch.timestamps);
      if (Math.min(rows.length, types.length, words.length / 2, offsets.length - 1) < length) {
        throw invalidArgument(`arrays of the batch are too short for ${length} entries`, { field: "batch" });
      }
      for (let i = 0; i < length; i++) {
        this.add(batch, words, i);
      }
    });
  }

  /**
   * Writes the last block, index, statistics and footer, then closes the sink.
   *
   * @throws {CFileError} `E_INVALID_ARGUMENT` without entries (Kudu does not write such files either), or if the given
   *   statistics differ from the entries; `E_IO`: the sink fails
   */
  async finish(): Promise<WrittenFile> {
    await this.attempt(() => {
      if (this.counter.entries === 0) {
        throw invalidArgument("delta file without entries", { field: "entries", actual: 0 });
      }
      this.file.addMetadata(DELTA_STATS_KEY, encodeDeltaStats(this.statistics()));
    });
    this.isClosed = true;
    await this.file.append(this.queue.take());
    return this.file.finish();
  }

  /** Aborts the write and leaves nothing behind; does nothing after `finish`. */
  abort(reason?: unknown): Promise<void> {
    this.isClosed = true;
    return this.file.abort(reason);
  }

  /** Calls `abort` at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.abort();
  }

  private statistics(): DeltaStatistics {
    const counted = this.counter.finish();
    if (this.stated === undefined) {
      return inKuduOrder(counted);
    }
    const [difference] = compareStatistics(this.stated, counted);
    if (difference !== undefined) {
      const { field, stated, counted: expected } = difference;
      throw invalidArgument(`${field} differs from the entries`, { field, expected, actual: stated });
    }
    return this.stated;
  }

  private add(batch: DeltaBatch, words: Uint32Array, at: number): void {
    const { types, offsets } = batch;
    try {
      checkChangeType(types[at] as number, (offsets[at + 1] as number) - (offsets[at] as number));
      this.counter.add(batch, words, at);
    } catch (cause) {
      throw misfit(batch, at, cause instanceof Error ? cause.message : String(cause), cause);
    }
    const row = batch.rows[at] as number;
    const follows =
      row > this.lastRow ||
      (row === this.lastRow && mayFollow(this.kind, words, at, this.lastLow, this.lastHigh));
    if (!follows) {
      const last = (BigInt(this.lastHigh) << 32n) | BigInt(this.lastLow);
      const order = this.kind === "redo" ? "ascend" : "descend";
      const before = `row ${this.lastRow} at ${last}`;
      throw misfit(batch, at, `must not follow ${before}: rows ascend, timestamps of a row ${order}`);
    }
    this.lastRow = row;
    this.lastLow = words[2 * at] as number;
    this.lastHigh = words[2 * at + 1] as number;
    this.queue.push(batch, words, at);
  }

  /** Runs `step`, then writes a full queue; an error of either aborts the write. */
  private async attempt(step: () => void): Promise<void> {
    if (this.isClosed) {
      throw invalidArgument("the write is finished or aborted");
    }
    try {
      step();
      if (this.queue.isFull) {
        await this.file.append(this.queue.take());
      }
    } catch (error) {
      await this.abort(error);
      throw error;
    }
  }
}

function misfit({ rows, timestamps }: DeltaBatch, index: number, reason: string, cause?: unknown): Error {
  const actual = `row ${rows[index]} at ${timestamps[index]}`;
  return invalidArgument(`${actual}: ${reason}`, { field: "entry", actual, cause });
}
