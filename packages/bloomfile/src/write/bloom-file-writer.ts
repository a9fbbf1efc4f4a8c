/**
 * Writes a Bloom file: ascending keys are inserted into a filter, which is written as a block when it reaches its capacity
 * (docs/spec/bloomfile.md#2-cfile-options and docs/spec/bloomfile.md#5-when-a-block-is-cut). The last filter has the same size
 * as the others.
 */
import { compareBytes, equalBytes, invalidArgument, type Limits } from "@cfile/bytes";
import { separatingKey } from "@cfile/encodings/keys";
import { CFileContainerWriter } from "@cfile/format/write";
import type { ByteSink } from "@cfile/io";
import { encodeBloomBlock } from "../filter/bloom-block.js";
import { BloomFilter } from "../filter/bloom-filter.js";
import { type BloomSizing, bloomSizingByBytes, checkExpectedKeys } from "../filter/bloom-sizing.js";
import { CheckedKeys, type KeyBatch } from "../filter/key-batch.js";

/** Options of the filters and their file; the defaults are Kudu's. */
export interface BloomFileWriterOptions {
  /** Bytes of each filter's bit array. Default 4096. */
  readonly filterBytes?: number | undefined;
  /** Fraction of absent keys that may get the answer "maybe"; determines the keys per filter. Default 0.0001, as a float. */
  readonly falsePositiveRate?: number | undefined;
  /** Size and capacity of the filters, instead of the two options above. */
  readonly sizing?: BloomSizing | undefined;
  /** Checksums on header, blocks and footer. Default `true`. */
  readonly checksums?: boolean | undefined;
  /** Bytes after which an index block is cut. Default 32768. */
  readonly indexBlockSize?: number | undefined;
  readonly limits?: Partial<Limits> | undefined;
}

/** Size of a written Bloom file. */
export interface WrittenBloomFile {
  /** Keys appended, repeats included. */
  readonly keys: number;
  /** Number of filters, one per block. */
  readonly blocks: number;
  /** Size of the file in bytes. */
  readonly bytes: number;
}

/**
 * Writes one Bloom file. After any error the write is aborted: the writer accepts nothing more and leaves nothing behind.
 */
export class BloomFileWriter {
  /** Size and capacity of the filters. */
  readonly sizing: BloomSizing;
  private readonly container: CFileContainerWriter;
  private readonly filter: BloomFilter;
  private keys = 0;
  /** Keys in the current filter. */
  private held = 0;
  private firstKey: Uint8Array = new Uint8Array(0);
  private lastKey: Uint8Array = new Uint8Array(0);
  /** Last key of the last block, and that block's key in the index. */
  private lastBlockKey: Uint8Array = new Uint8Array(0);
  private lastIndexKey: Uint8Array | undefined;

  /** @throws {CFileError} `E_INVALID_ARGUMENT` for invalid options */
  constructor(sink: ByteSink, options: BloomFileWriterOptions = {}) {
    const { checksums, indexBlockSize, limits } = options;
    this.sizing = options.sizing ?? bloomSizingByBytes(options.filterBytes, options.falsePositiveRate);
    const { expectedKeys, filterBytes, hashCount } = this.sizing;
    checkExpectedKeys(expectedKeys);
    this.filter = BloomFilter.empty(filterBytes, hashCount);
    this.container = new CFileContainerWriter(sink, {
      type: "BINARY",
      encoding: "PLAIN_ENCODING",
      posidx: false,
      validx: true,
      // This class shortens the keys itself, to detect equal ones.
      optimizeIndexKeys: false,
      checksums,
      indexBlockSize,
      limits,
    });
  }

  /** Keys appended so far. */
  get keyCount(): number {
    return this.keys;
  }

  /** {@link appendMany} for a single key, which is slower than one call for many keys. */
  append(key: Uint8Array): Promise<void> {
    return this.appendMany({ offsets: Int32Array.of(0, key.length), data: key });
  }

  /**
   * Appends encoded primary keys in ascending order. Repeated keys count each time. The arrays may be reused once the
   * promise is settled.
   *
   * @throws {CFileError} `E_INVALID_ARGUMENT`: invalid batch, keys descend, or one key fills several filters; `E_LIMIT`: a
   *   key is too long for an index; `E_IO`: the sink fails
   */
  appendMany(keys: KeyBatch): Promise<void> {
    return this.container.run(() => {
      const checked = new CheckedKeys(keys);
      this.checkOrder(checked);
      this.take(checked);
    });
  }

  /**
   * Writes the last filter, index and footer, then closes the sink.
   *
   * @throws {CFileError} `E_IO` when the sink fails, `E_INVALID_ARGUMENT` after `finish` or an error; no file is left behind
   */
  async finish(): Promise<WrittenBloomFile> {
    const { bytes, dataBlocks } = await this.container.finish(() => {
      if (this.held > 0) {
        this.writeFilter();
      }
      return { rows: 0 };
    });
    return { keys: this.keys, blocks: dataBlocks, bytes };
  }

  /** Aborts the write and leaves nothing behind; does nothing after `finish`. */
  abort(reason?: unknown): Promise<void> {
    return this.container.abort(reason);
  }

  /** Calls `abort` at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.abort();
  }

  private checkOrder(keys: CheckedKeys): void {
    const isLess = keys.length > 0 && this.keys > 0 && compareBytes(keys.copy(0), this.lastKey) < 0;
    const descent = isLess ? 0 : keys.findDescent();
    if (descent !== undefined) {
      const actual = this.keys + descent;
      throw invalidArgument(`key ${actual} is less than the key before it`, { field: "keys", actual });
    }
  }

  private take(keys: CheckedKeys): void {
    const { expectedKeys } = this.sizing;
    for (let from = 0; from < keys.length; ) {
      if (this.held === 0) {
        this.firstKey = keys.copy(from);
      }
      const to = Math.min(keys.length, from + expectedKeys - this.held);
      this.filter.insertRange(keys, from, to);
      this.lastKey = keys.copy(to - 1);
      this.held += to - from;
      this.keys += to - from;
      from = to;
      if (this.held >= expectedKeys) {
        this.writeFilter();
      }
    }
  }

  private writeFilter(): void {
    const indexKey = separatingKey(this.lastBlockKey, this.firstKey);
    if (this.lastIndexKey !== undefined && equalBytes(indexKey, this.lastIndexKey)) {
      const reason = "a repeated key fills several filters: lookups would find only the last one";
      throw invalidArgument(reason, { field: "keys", actual: this.keys });
    }
    this.container.appendRawBlock({
      bytes: encodeBloomBlock(this.filter),
      firstRow: 0,
      firstKey: indexKey,
      lastKey: this.lastKey,
    });
    this.lastIndexKey = indexKey;
    this.lastBlockKey = this.lastKey;
    this.filter.bits.fill(0);
    this.held = 0;
  }
}
