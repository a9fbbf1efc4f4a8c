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
 * Which bits a key sets is not specified, so the filter is returned but not queried.
 */
import { CFileError, corrupt } from "@cfile/bytes";

/** Name of the meta block. */
export const HUDI_BLOOM_FILTER_BLOCK = "bloomFilter";

/** The Bloom filter that Hudi keeps in an HFile. */
export interface HudiBloomFilter {
  /** `SIMPLE`, or what the file info says under `bloomFilterTypeCode`. */
  readonly typeCode: string;
  /** The decoded base64 text. */
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

/** @throws CFileError `E_CORRUPT` when the block is not base64, or the parts of a simple filter contradict each other */
export function parseHudiBloomFilter(block: Uint8Array, typeCode = SIMPLE): HudiBloomFilter {
  const serialized = fromBase64(new TextDecoder("latin1").decode(block));
  if (typeCode !== SIMPLE) {
    return { typeCode, serialized, simple: undefined };
  }
  if (serialized.length < SIMPLE_HEAD) {
    throw new CFileError(
      "E_TRUNCATED",
      `Bloom filter of ${serialized.length} bytes is too short (at least ${SIMPLE_HEAD} expected)`,
      {
        offset: 0,
        field: "bloom filter",
        expected: SIMPLE_HEAD,
        actual: serialized.length,
      },
    );
  }
  const view = new DataView(serialized.buffer, serialized.byteOffset);
  const bits = view.getInt32(9);
  const words = serialized.subarray(SIMPLE_HEAD);
  if (bits < 0 || bits > 8 * words.length) {
    throw corrupt(`Bloom filter has ${words.length} bytes, too few for its ${bits} bits`, {
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
    throw corrupt("Bloom filter is not valid base64", { offset: 0, field: "bloom filter", cause });
  }
}
