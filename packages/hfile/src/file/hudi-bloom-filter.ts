/**
 * The bloom filter that Hudi keeps in a meta block, as base64 text (docs/spec/hfile.md#8-meta-blocks). Decoded, a simple one
 * is:
 *
 * | size | field, big-endian |
 * | --- | --- |
 * | 4 | version, -1 |
 * | 4 | number of hashes |
 * | 1 | kind of hash, 1 for murmur |
 * | 4 | bits |
 * | n | the bits |
 *
 * Which bits a key sets is not specified: the filter is given out, not asked.
 */
import { CFileError, corrupt } from "@cfile/bytes";

/** Name of the meta block. */
export const HUDI_BLOOM_FILTER_BLOCK = "bloomFilter";

export interface HudiBloomFilter {
  /** `SIMPLE`, or what the file info says under `bloomFilterTypeCode`. */
  readonly typeCode: string;
  /** What the text stands for. */
  readonly serialized: Uint8Array;
  /** Fields of a simple filter; `undefined` for other kinds. */
  readonly simple:
    | {
        readonly hashes: number;
        readonly hashKind: number;
        readonly bits: number;
        readonly words: Uint8Array;
      }
    | undefined;
}

const SIMPLE = "SIMPLE";
const SIMPLE_HEAD = 13;

/** @throws CFileError `E_CORRUPT` when the block is no base64 text, or a simple filter's parts do not fit */
export function parseHudiBloomFilter(block: Uint8Array, typeCode = SIMPLE): HudiBloomFilter {
  const serialized = fromBase64(new TextDecoder("latin1").decode(block));
  if (typeCode !== SIMPLE) {
    return { typeCode, serialized, simple: undefined };
  }
  if (serialized.length < SIMPLE_HEAD) {
    throw new CFileError("E_TRUNCATED", `a bloom filter of ${serialized.length} bytes`, {
      offset: 0,
      field: "bloom filter",
      expected: SIMPLE_HEAD,
      actual: serialized.length,
    });
  }
  const view = new DataView(serialized.buffer, serialized.byteOffset);
  const bits = view.getInt32(9);
  const words = serialized.subarray(SIMPLE_HEAD);
  if (bits < 0 || bits > 8 * words.length) {
    throw corrupt(`a bloom filter of ${bits} bits in ${words.length} bytes`, {
      offset: 9,
      field: "bloom filter",
      expected: 8 * words.length,
      actual: bits,
    });
  }
  return {
    typeCode,
    serialized,
    simple: { hashes: view.getInt32(4), hashKind: view.getUint8(8), bits, words },
  };
}

function fromBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch (cause) {
    throw corrupt("a bloom filter that is no base64 text", { offset: 0, field: "bloom filter", cause });
  }
}
