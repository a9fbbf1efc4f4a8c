/** Hashes the values of a chunk for its Bloom filter. */
import { ByteBuilder } from "@cfile/bytes";
import type { BinaryVector, Vector } from "@cfile/encodings";
import { BloomBuilder } from "../prune/bloom-filter.js";
import { appendPlain, BitBuilder } from "./plain-writer.js";

/** Share of absent values that seem present. */
const FALSE_POSITIVES = 0.01;

export class ValueHashes {
  private readonly builder = new BloomBuilder();
  private readonly plain = new ByteBuilder();
  /** Words of this dictionary are hashed. */
  private dictionary: BinaryVector | undefined;

  /** @param vector values without nulls; booleans have no Bloom filter */
  take(vector: Vector): void {
    switch (vector.kind) {
      case "bool":
        return;
      case "binary":
        this.takeStrings(vector);
        return;
      case "dictionary":
        // Words that no row has only make false positives more likely.
        if (vector.dictionary !== this.dictionary && vector.length > 0) {
          this.dictionary = vector.dictionary;
          this.takeStrings(vector.dictionary);
        }
        return;
      case "fixed": {
        appendPlain(this.plain, new BitBuilder(), vector);
        const bytes = this.plain.take(true);
        const width = bytes.length / vector.length;
        for (let at = 0; at < bytes.length; at += width) {
          this.builder.add(bytes, at, at + width);
        }
      }
    }
  }

  /** The filter of the chunk; starts the next one. */
  finish(): Uint8Array {
    this.dictionary = undefined;
    return this.builder.finish(FALSE_POSITIVES);
  }

  private takeStrings({ offsets, data, length }: BinaryVector): void {
    for (let i = 0; i < length; i++) {
      this.builder.add(data, offsets[i] as number, offsets[i + 1] as number);
    }
  }
}
