/** Collects entries as values of delta key and change list, for a `CFileWriter`. */
import { ByteBuilder } from "@cfile/bytes";
import { BinaryBatch } from "@cfile/encodings";
import { copyRange } from "@cfile/encodings/batches";
import { MAX_DELTA_KEY_LENGTH } from "../changes/delta-key.js";
import { writeMemcmpVarint } from "../changes/memcmp-varint.js";
import type { DeltaBatch } from "../read/delta-batch.js";

const FULL_BYTES = 256 * 1024;

export class EntryQueue {
  private readonly values = new ByteBuilder();
  private offsets = new Int32Array(1024);
  private count = 0;

  get isFull(): boolean {
    return this.values.length >= FULL_BYTES;
  }

  /** Adds the entry `index` of a batch with the timestamps `words`. */
  push({ rows, types, offsets, data }: DeltaBatch, words: Uint32Array, index: number): void {
    const { values } = this;
    const start = offsets[index] as number;
    const end = offsets[index + 1] as number;
    const bytes = values.reserve(MAX_DELTA_KEY_LENGTH + 1 + end - start);
    let position = writeMemcmpVarint(bytes, values.length, rows[index] as number, 0);
    position = writeMemcmpVarint(bytes, position, words[2 * index] as number, words[2 * index + 1] as number);
    bytes[position] = types[index] as number;
    copyRange(data, start, end, bytes, position + 1);
    values.length = position + 1 + end - start;
    this.count++;
    if (this.count === this.offsets.length) {
      const grown = new Int32Array(2 * this.count);
      grown.set(this.offsets);
      this.offsets = grown;
    }
    this.offsets[this.count] = values.length;
  }

  /** Empties the queue into a batch in new memory. */
  take(): BinaryBatch {
    const { count } = this;
    const data = this.values.finish();
    const offsets = this.offsets.slice(0, count + 1);
    this.values.clear();
    this.count = 0;
    const rows = { type: "BINARY" as const, length: count, firstRow: 0, validity: undefined, nullCount: 0 };
    return new BinaryBatch(rows, offsets, data);
  }
}
