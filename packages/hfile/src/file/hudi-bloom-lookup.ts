/**
 * Lookups in Hudi's Bloom filters, simple and dynamic. A dynamic filter is a list of simple ones that were filled one after the other:
 *
 * | size | field of a dynamic filter, big-endian |
 * | --- | --- |
 * | 13 | version, number of hashes, kind of hash, bits, as in a simple filter |
 * | 4, 4 | keys per filter, keys in the last filter |
 * | 4 | number of filters |
 * | var | the simple filters, each with its own head |
 *
 * A key's bits are h1, h2, … modulo the number of bits, where h1 = hash(key, 0), h2 = hash(key, h1). Bit i is bit i % 8 of byte i / 8.
 * The hash is Hadoop's MurmurHash 2 with 32 bits. In the tail, bytes are signed.
 */
import { ByteReader, CFileError, corrupt } from "@cfile/bytes";
import type { HudiBloomFilter } from "./hudi-bloom-filter.js";

const MURMUR = 1;
const M = 0x5bd1e995;
const DYNAMIC = "DYNAMIC_V0";
const MAX_HASHES = 1000;
const MAX_FILTERS = 100_000;

interface SimpleFilter {
  readonly hashes: number;
  readonly bits: number;
  readonly words: Uint8Array;
}

/**
 * Prepares a filter for lookups: the result says whether a key, as UTF-8 bytes, may be in it.
 * @throws {CFileError} `E_UNSUPPORTED` for other types and hashes; `E_CORRUPT`, `E_TRUNCATED` when the filter is malformed
 */
export function hudiBloomLookup({ typeCode, serialized }: HudiBloomFilter): (key: Uint8Array) => boolean {
  const reader = new ByteReader(serialized);
  const filters = typeCode === "SIMPLE" ? [simpleFilter(reader)] : dynamicFilters(reader, typeCode);
  return (key) => filters.some((filter) => mayContain(filter, key));
}

function dynamicFilters(reader: ByteReader, typeCode: string): SimpleFilter[] {
  if (typeCode !== DYNAMIC) {
    throw new CFileError("E_UNSUPPORTED", `unsupported type of Bloom filter: ${typeCode}`, {
      field: "bloom filter",
    });
  }
  readHead(reader);
  reader.skip(8, "keys per filter");
  const count = reader.u32be("number of filters");
  if (count > MAX_FILTERS) {
    throw corrupt(`Bloom filter of ${count} parts`, {
      field: "number of filters",
      expected: MAX_FILTERS,
      actual: count,
    });
  }
  return Array.from({ length: count }, () => simpleFilter(reader));
}

function readHead(reader: ByteReader): { hashes: number; bits: number } {
  const offset = reader.position;
  const version = reader.u32be("version") | 0;
  const hashes = reader.u32be("number of hashes");
  const kind = reader.u8("kind of hash");
  const bits = reader.u32be("bits");
  if (version !== -1 || kind !== MURMUR) {
    const reason = `unsupported Bloom filter: version ${version}, hash ${kind} (expected -1 and 1)`;
    throw new CFileError("E_UNSUPPORTED", reason, { offset, field: "bloom filter" });
  }
  if (hashes > MAX_HASHES || bits === 0 || bits > 0x7fffffff) {
    throw corrupt(`invalid Bloom filter: ${hashes} hashes, ${bits} bits`, { offset, field: "bloom filter" });
  }
  return { hashes, bits };
}

function simpleFilter(reader: ByteReader): SimpleFilter {
  const { hashes, bits } = readHead(reader);
  return { hashes, bits, words: reader.take(Math.ceil(bits / 8), "bits") };
}

function mayContain({ hashes, bits, words }: SimpleFilter, key: Uint8Array): boolean {
  let hash = 0;
  for (let i = 0; i < hashes; i++) {
    hash = murmur(key, hash);
    const bit = Math.abs(hash % bits);
    if ((((words[bit >>> 3] as number) >>> (bit & 7)) & 1) === 0) {
      return false;
    }
  }
  return true;
}

function murmur(key: Uint8Array, seed: number): number {
  const { length } = key;
  const whole = length & ~3;
  const signed = (at: number): number => ((key[at] as number) << 24) >> 24;
  let hash = seed ^ length;
  for (let i = 0; i < whole; i += 4) {
    const word =
      (key[i] as number) |
      ((key[i + 1] as number) << 8) |
      ((key[i + 2] as number) << 16) |
      ((key[i + 3] as number) << 24);
    let k = Math.imul(word, M);
    k ^= k >>> 24;
    hash = Math.imul(hash, M) ^ Math.imul(k, M);
  }
  const left = length - whole;
  if (left > 0) {
    hash ^= left >= 3 ? signed(length - 3) << 16 : 0;
    hash ^= left >= 2 ? signed(length - 2) << 8 : 0;
    hash ^= signed(length - 1);
    hash = Math.imul(hash, M);
  }
  hash ^= hash >>> 13;
  hash = Math.imul(hash, M);
  return hash ^ (hash >>> 15);
}
