/** Writing a delta file: entries in, one file out, complete or not at all. */
import { invalidArgument, type Limits } from "@cfile/bytes";
import type { CodecSet, CompressionType } from "@cfile/compression";
import { DELTA_INDEX_KEYS } from "@cfile/format";
import type { WrittenFile } from "@cfile/format/write";
import { CFileWriter } from "@cfile/format/write";
import type { ByteSink } from "@cfile/io";
import type { KernelChoice } from "@cfile/kernels";
import { type ChangeType, checkChangeType } from "../changes/change-type.js";
import { checkRow } from "../changes/delta-key.js";
import { checkDeltaKind, type DeltaKind, mayFollow } from "../changes/delta-kind.js";
import { checkTimestamp, highWord, lowWord, wordsOf } from "../changes/timestamp.js";
import type { DeltaBatch } from "../read/delta-batch.js";
import {
  compareStatistics,
  type DeltaStatistics,
  DeltaStatisticsCounter,
} from "../stats/delta-statistics.js";
import { DELTA_STATS_KEY, encodeDeltaStats, inKuduOrder } from "../stats/delta-stats-message.js";
import { EntryQueue } from "./entry-queue.js";

export interface DeltaWriterOptions {
  /** In which order the entries come: of a row, timestamps ascend in REDO and descend in UNDO files. */
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
   * Statistics to write as they are, with the columns in this order: those of a file that is written again. They must
   * agree with the entries. Default: counted, columns in the order of Kudu's servers.
   */
  readonly statistics?: DeltaStatistics | undefined;
  readonly codecs?: CodecSet | undefined;
  /** Which version of the hot loops is used; the file is the same. Default `"auto"`. */
  readonly kernels?: KernelChoice | undefined;
  readonly limits?: Partial<Limits> | undefined;
}

const DEFAULT_BLOCK_SIZE = 32768;
const NO_MUTATIONS = /* @__PURE__ */ new Uint8Array(0);

/**
 * Writes one delta file. After any error the sink is aborted and the writer takes nothing more; a writer closed before
 * `finish` leaves nothing behind.
 */
export class DeltaFileWriter {
  readonly kind: DeltaKind;
  private readonly file: CFileWriter;
  private readonly stated: DeltaStatistics | undefined;
  private readonly counter = new DeltaStatisticsCounter();
  private readonly queue = new EntryQueue();
  /** The entry before, in the form in which it is compared. */
  private lastRow = -1;
  private lastLow = 0;
  private lastHigh = 0;
  private readonly words = new Uint32Array(2);
  private isClosed = false;

  /** @throws CFileError `E_INVALID_ARGUMENT` or `E_UNSUPPORTED` for options no delta file can have */
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
   * Appends an entry. `mutations` are those of `MutationBuilder`: an UPDATE has some, a DELETE none.
   *
   * @throws CFileError `E_INVALID_ARGUMENT` naming row and timestamp: no such entry, or it does not follow the one before
   *   in a file of this kind; `E_IO`: the sink failed
   */
  append(
    row: number,
    timestamp: bigint,
    type: ChangeType,
    mutations: Uint8Array = NO_MUTATIONS,
  ): Promise<void> {
    return this.attempt(() => {
      this.words[0] = lowWord(checkTimestamp(timestamp, "timestamp"));
      this.words[1] = highWord(timestamp);
      this.add(checkRow(row), this.words, 0, type, mutations, 0, mutations.length);
    });
  }

  /** Appends all entries of a batch, which is not kept. Errors are those of {@link append}. */
  appendBatch(batch: DeltaBatch): Promise<void> {
    return this.attempt(() => {
      const { length, rows, types, offsets, data } = batch;
      const words = wordsOf(batch.timestamps);
      if (
        !(
          rows.length >= length &&
          types.length >= length &&
          words.length >= 2 * length &&
          offsets.length > length
        )
      ) {
        throw invalidArgument(`the arrays of a batch are shorter than its ${length} entries`, {
          field: "batch",
        });
      }
      for (let i = 0; i < length; i++) {
        const start = offsets[i] as number;
        this.add(rows[i] as number, words, i, types[i] as number, data, start, offsets[i + 1] as number);
      }
    });
  }

  /**
   * Writes what is left: last block, index, statistics, footer; then closes the sink.
   *
   * @throws CFileError `E_INVALID_ARGUMENT` without any entry, which Kudu does not write either, or when the statistics
   *   that were given are not those of the entries; `E_IO`: the sink failed
   */
  async finish(): Promise<WrittenFile> {
    await this.attempt(() => {
      if (this.counter.entries === 0) {
        throw invalidArgument("a delta file has at least one entry", { field: "entries", actual: 0 });
      }
      this.file.addMetadata(DELTA_STATS_KEY, encodeDeltaStats(this.statistics()));
    });
    this.isClosed = true;
    await this.file.append(this.queue.take());
    return this.file.finish();
  }

  /** Gives the file up: nothing stays behind. Does nothing after `finish`. */
  abort(reason?: unknown): Promise<void> {
    this.isClosed = true;
    return this.file.abort(reason);
  }

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
      throw invalidArgument(
        `${difference.field} is stated as ${difference.stated}, the entries make it ${difference.counted}`,
        { field: difference.field, expected: difference.counted, actual: difference.stated },
      );
    }
    return this.stated;
  }

  private add(
    row: number,
    words: Uint32Array,
    at: number,
    type: number,
    data: Uint8Array,
    start: number,
    end: number,
  ): void {
    const low = words[2 * at] as number;
    const high = words[2 * at + 1] as number;
    try {
      checkChangeType(type, end - start);
      this.counter.add(low, high, type, data, start, end);
    } catch (cause) {
      throw this.misfit(row, low, high, cause instanceof Error ? cause.message : String(cause), cause);
    }
    const follows =
      row > this.lastRow ||
      (row === this.lastRow && mayFollow(this.kind, words, at, this.lastLow, this.lastHigh));
    if (!follows) {
      const last = timestampOf(this.lastLow, this.lastHigh);
      throw this.misfit(
        row,
        low,
        high,
        `the entry before is of row ${this.lastRow} at ${last}; rows ascend, timestamps of a row ${this.kind === "redo" ? "ascend" : "descend"}`,
      );
    }
    this.lastRow = row;
    this.lastLow = low;
    this.lastHigh = high;
    this.queue.push(row, low, high, type, data, start, end);
  }

  private misfit(row: number, low: number, high: number, reason: string, cause?: unknown): Error {
    const timestamp = timestampOf(low, high);
    return invalidArgument(`row ${row} at ${timestamp}: ${reason}`, {
      field: "entry",
      actual: `row ${row} at ${timestamp}`,
      cause,
    });
  }

  /** Runs `step`, then writes a full queue; an error of either gives the file up. */
  private async attempt(step: () => void): Promise<void> {
    if (this.isClosed) {
      throw invalidArgument("the file is finished or was given up");
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

function timestampOf(low: number, high: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}
