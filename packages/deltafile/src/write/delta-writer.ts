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
import { checkTimestamp, wordsOf } from "../changes/timestamp.js";
import { allocateDeltas, type DeltaBatch } from "../read/delta-batch.js";
import {
  compareStatistics,
  type DeltaStatistics,
  DeltaStatisticsCounter,
} from "../stats/delta-statistics.js";
import { DELTA_STATS_KEY, encodeDeltaStats, inKuduOrder } from "../stats/delta-stats-message.js";
import { EntryQueue } from "./entry-queue.js";

/** Kind of the new file, and how it is written. Defaults are Kudu's. */
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
  private readonly single = allocateDeltas(1, 0);
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
      const { single } = this;
      single.timestamps[0] = checkTimestamp(timestamp, "timestamp");
      single.rows[0] = checkRow(row);
      // Any other number would be cut to a byte, and may then be a type.
      single.types[0] = type === (type & 3) ? type : 0;
      single.offsets[1] = mutations.length;
      this.add({ ...single, data: mutations }, wordsOf(single.timestamps), 0);
    });
  }

  /** Appends all entries of a batch, which is not kept. Errors are those of {@link append}. */
  appendBatch(batch: DeltaBatch): Promise<void> {
    return this.attempt(() => {
      const { length, rows, types, offsets } = batch;
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
        this.add(batch, words, i);
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

  /** Runs `abort` at the end of an `await using` block; after `finish` this does nothing. */
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
      throw misfit(
        batch,
        at,
        `the entry before is of row ${this.lastRow} at ${last}; rows ascend, timestamps of a row ${this.kind === "redo" ? "ascend" : "descend"}`,
      );
    }
    this.lastRow = row;
    this.lastLow = words[2 * at] as number;
    this.lastHigh = words[2 * at + 1] as number;
    this.queue.push(batch, words, at);
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

function misfit({ rows, timestamps }: DeltaBatch, index: number, reason: string, cause?: unknown): Error {
  const actual = `row ${rows[index]} at ${timestamps[index]}`;
  return invalidArgument(`${actual}: ${reason}`, { field: "entry", actual, cause });
}
