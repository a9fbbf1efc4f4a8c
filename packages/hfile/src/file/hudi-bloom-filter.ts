/**
 * The bloom filter that Hudi keeps in a meta block, as base64 text (docs/spec/hfile.md#8-meta-blocks). A simple filter,
 * decoded:
 *
 * | size | field, big-endian |
 * | --- | --- |
 * | 4 | version, -1 |
 * | 4 | number of hashes |
 * | 1 | kind of hash, 1 for murmur |
 * | 4 | bits |
 * | n | the bits |
 *
 * `hudiBloomLookup` queries it.
 */
import { CFileError, corrupt } from "@cfile/bytes";
import { mismatch } from "../blocks/mismatch.js";

/** Name of the meta block. */
export const HUDI_BLOOM_FILTER_BLOCK = "bloomFilter";

/** The Bloom filter that Hudi keeps in an HFile. */
export interface HudiBloomFilter {
  /** `bloomFilterTypeCode` in the file info; default `SIMPLE`. */
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

/** @throws {CFileError} `E_CORRUPT` when the block is not base64, or the parts of a simple filter contradict each other */
export function parseHudiBloomFilter(block: Uint8Array, typeCode = SIMPLE): HudiBloomFilter {
  const serialized = fromBase64(new TextDecoder("latin1").decode(block));
  if (typeCode !== SIMPLE) {
    return { typeCode, serialized, simple: undefined };
  }
  if (serialized.length < SIMPLE_HEAD) {
    const size = { expected: SIMPLE_HEAD, actual: serialized.length };
    const reason = `Bloom filter of ${serialized.length} bytes is too short (at least ${SIMPLE_HEAD} expected)`;
    throw new CFileError("E_TRUNCATED", reason, { offset: 0, field: "bloom filter", ...size });
  }
  const view = new DataView(serialized.buffer, serialized.byteOffset);
  const bits = view.getInt32(9);
  const words = serialized.subarray(SIMPLE_HEAD);
  if (bits < 0 || bits > 8 * words.length) {
    throw mismatch("bloom filter", 9, `at most ${8 * words.length}`, bits);
  }
  const simple = { hashes: view.getInt32(4), hashKind: view.getUint8(8), bits, words };
  return { typeCode, serialized, simple };
}

function fromBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch (cause) {
    throw corrupt("Bloom filter is not valid base64", { offset: 0, field: "bloom filter", cause });
  }
}
