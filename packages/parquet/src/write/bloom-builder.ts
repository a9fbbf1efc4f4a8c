/** Builds the Bloom filter of a chunk (format: `../prune/bloom-filter.ts`) from hashes of its values. */
import { ArenaBuilder, type ByteBuilder, type MemoryArena } from "@cfile/bytes";
import type { BinaryVector, FixedVector, Vector } from "@cfile/encodings";
import { type BloomHashes, choosePageKernels, type HashedValues } from "@cfile/kernels/pages";
import { BLOCK_BYTES, MAX_BYTES } from "../prune/bloom-filter.js";
import { HeldHashes } from "./held-hashes.js";
import { appendPlain, BitBuilder, plainView } from "./plain-writer.js";
import type { StoredBytes } from "./stored-bytes.js";

/** Maximum share of absent values that seem present. */
const FALSE_POSITIVES = 0.01;

export class BloomBuilder {
  private readonly plain: ByteBuilder;
  private readonly hashes: BloomHashes;
  /** The dictionary whose words are hashed already. */
  private dictionary: BinaryVector | undefined;

  /** @param arena of the output to which the filters are written; hashes are released at the end of each filter */
  constructor(arena: MemoryArena) {
    this.plain = new ArenaBuilder(1 << 16, arena);
    this.hashes = choosePageKernels().bloomHashes(new HeldHashes(arena));
  }

  /** @param vector values without nulls; booleans have no Bloom filter */
  take(vector: Vector): void {
    switch (vector.kind) {
      case "bool":
        return;
      case "binary":
        this.add(vector, vector.length);
        return;
      case "dictionary":
        // Words that no row uses only make false positives more likely.
        if (vector.dictionary !== this.dictionary && vector.length > 0) {
          this.dictionary = vector.dictionary;
          this.add(vector.dictionary, vector.dictionary.length);
        }
        return;
      case "fixed":
        this.addFixed(vector);
    }
  }

  /**
   * Appends the filter with its header, and starts the next one.
   *
   * @returns the bytes of both
   */
  finish(target: StoredBytes): number {
    let size = 0;
    this.hashes.finish(filterBytes(this.hashes.count), FALSE_POSITIVES, (filter) => {
      const header = filterHeader(filter.length);
      target.append(header);
      target.append(filter);
      size = header.length + filter.length;
    });
    this.dictionary = undefined;
    return size;
  }

  private addFixed(vector: FixedVector): void {
    let data = plainView(vector);
    if (data === undefined) {
      appendPlain(this.plain, new BitBuilder(), vector);
      data = this.plain.take(true);
    }
    this.add({ data, width: data.length / vector.length }, vector.length);
  }

  private add(values: HashedValues, count: number): void {
    if (count > 0) {
      this.hashes.add(values, count);
    }
  }
}

/** The size that parquet-java chooses for distinct values: a power of two. */
function filterBytes(distinct: number): number {
  const bits = (-8 * distinct) / Math.log(1 - FALSE_POSITIVES ** (1 / 8));
  const exponent = Math.ceil(Math.log2(Math.max(1, bits / 8)));
  return Math.min(MAX_BYTES, Math.max(BLOCK_BYTES, 2 ** exponent));
}

function filterHeader(size: number): Uint8Array {
  const zigzag: number[] = [];
  for (let left = 2 * size; ; left >>>= 7) {
    if (left < 0x80) {
      zigzag.push(left);
      break;
    }
    zigzag.push((left & 0x7f) | 0x80);
  }
  // Field 1 is an i32; fields 2 to 4 are structs with an empty struct as field 1.
  const union = [0x1c, 0x1c, 0x00, 0x00];
  return Uint8Array.of(0x15, ...zigzag, ...union, ...union, ...union, 0x00);
}
