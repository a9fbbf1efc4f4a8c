import { fromHex } from "@cfile/bytes";
import { readGoldenJson } from "@cfile-tools/testkit";

interface StoredVector {
  readonly elem_size: number;
  readonly count: number;
  readonly padded_count: number;
  readonly default_block_elems: number;
  readonly kind: string;
  readonly compressed: string;
  readonly input?: string;
  readonly transposed?: string;
  readonly generator?: string;
  readonly input_sha256?: string;
  readonly transposed_sha256?: string;
}

export interface BitshuffleVector {
  readonly name: string;
  readonly elementSize: number;
  readonly paddedCount: number;
  readonly chunkElements: number;
  /** Elements with zeros up to the padded count. */
  readonly padded: Uint8Array;
  readonly input: Uint8Array;
  readonly compressed: Uint8Array;
  readonly transposed: Uint8Array | undefined;
  readonly inputSha256: string | undefined;
  readonly transposedSha256: string | undefined;
}

/** The only formula of the file: element[i] = 3i + 1. */
function generated(elementSize: number, count: number): Uint8Array {
  const bytes = new Uint8Array(elementSize * count);
  for (let i = 0; i < count; i++) {
    let value = 3 * i + 1;
    for (let k = 0; k < elementSize; k++, value = Math.floor(value / 256)) {
      bytes[i * elementSize + k] = value % 256;
    }
  }
  return bytes;
}

function loaded(vector: StoredVector): BitshuffleVector {
  const elementSize = vector.elem_size;
  const input = vector.input === undefined ? generated(elementSize, vector.count) : fromHex(vector.input);
  const padded = new Uint8Array(elementSize * vector.padded_count);
  padded.set(input);
  return {
    name: `${vector.count} ${vector.kind} elements of ${elementSize} bytes`,
    elementSize,
    paddedCount: vector.padded_count,
    chunkElements: vector.default_block_elems,
    padded,
    input,
    compressed: fromHex(vector.compressed),
    transposed: vector.transposed === undefined ? undefined : fromHex(vector.transposed),
    inputSha256: vector.input_sha256,
    transposedSha256: vector.transposed_sha256,
  };
}

/** Streams written by the bitshuffle library as Kudu builds it. */
export const bitshuffleVectors: readonly BitshuffleVector[] = (
  readGoldenJson("blocks/bitshuffle.json") as StoredVector[]
).map(loaded);
