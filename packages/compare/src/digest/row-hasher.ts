/** Hashes of rows, 64 bits in two words: of the key, and of all cells together. */
import type { TableBatch } from "@cfile/encodings/batches";
import { BatchWords } from "./batch-words.js";
import { HashedRows } from "./cell-sums.js";

/** Hashes of the rows of a batch. */
export interface RowHashes {
  readonly length: number;
  readonly keyLow: Int32Array;
  readonly keyHigh: Int32Array;
  readonly rowLow: Int32Array;
  readonly rowHigh: Int32Array;
}

export class RowHasher {
  private readonly words: BatchWords;
  private readonly hashed = new HashedRows();

  /** @param keyNames as {@link BatchWords} */
  constructor(names: readonly string[], keyNames: readonly string[]) {
    this.words = new BatchWords(names, keyNames);
  }

  /**
   * @returns the hashes, in memory that the next call reuses
   * @throws {CFileError} as {@link BatchWords.of}
   */
  hash(batch: TableBatch): RowHashes {
    const { length } = batch;
    this.hashed.hash(this.words.of(batch), length);
    const { keys, rows } = this.hashed;
    return { length, keyLow: keys.low, keyHigh: keys.high, rowLow: rows.low, rowHigh: rows.high };
  }
}
