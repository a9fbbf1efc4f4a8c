/**
 * A block of a Bloom file: one filter (docs/spec/bloomfile.md#3-bloom-block-layout), without checksum:
 *
 * | bytes | content |
 * | --- | --- |
 * | 4 | u32le L |
 * | L | protobuf `BloomBlockHeader`: the number of hash functions |
 * | rest | the bit array; neither its length nor the number of keys is stored |
 */
import { ByteBuilder, ByteReader, CFileError, corrupt, mismatch } from "@cfile/bytes";
import { MessageReader } from "@cfile/protobuf/read";
import { messageBytes } from "@cfile/protobuf/write";
import { decodeBloomBlockHeader } from "../generated/decode.js";
import { encodeBloomBlockHeader } from "../generated/encode.js";
import { BloomFilter, MAX_HASH_COUNT } from "./bloom-filter.js";
import { MAX_FILTER_BYTES } from "./bloom-sizing.js";

const LENGTH_WORD = 4;

/**
 * The filter in a block. It shares the memory of `bytes`.
 *
 * @throws {CFileError} `E_TRUNCATED`: the block ends inside its header; `E_CORRUPT`: invalid header, a hash count other than
 *   1 to 64, or no bits; `E_LIMIT`: too many bits to address
 */
export function parseBloomBlock(bytes: Uint8Array): BloomFilter {
  const reader = new ByteReader(bytes);
  const headerLength = reader.u32le("bloom header length");
  reader.require(headerLength, "bloom header");
  const hashCount = hashCountOf(bytes, reader.position, reader.position + headerLength);
  reader.skip(headerLength, "bloom header");
  if (reader.remaining === 0) {
    throw corrupt("Bloom block without a filter", { offset: reader.position, field: "bloom filter" });
  }
  if (reader.remaining > MAX_FILTER_BYTES) {
    const expected = `at most ${MAX_FILTER_BYTES}`;
    const details = { offset: reader.position, field: "bloom filter", expected, actual: reader.remaining };
    throw new CFileError("E_LIMIT", "filter has too many bytes", details);
  }
  return new BloomFilter(bytes.subarray(reader.position), hashCount);
}

function hashCountOf(bytes: Uint8Array, start: number, end: number): number {
  const reader = new MessageReader(bytes, "bloom header", start, end);
  const { numHashFunctions } = decodeBloomBlockHeader(reader);
  if (numHashFunctions < 1 || numHashFunctions > MAX_HASH_COUNT) {
    const details = { offset: start, field: "num_hash_functions" };
    throw mismatch("invalid number of hash functions", `1 to ${MAX_HASH_COUNT}`, numHashFunctions, details);
  }
  return numHashFunctions;
}

/** Encodes the block of a filter; copies its bits. */
export function encodeBloomBlock({ bits, hashCount }: BloomFilter): Uint8Array {
  const header = messageBytes(encodeBloomBlockHeader, { numHashFunctions: hashCount });
  const out = new ByteBuilder(LENGTH_WORD + header.length + bits.length);
  out.u32le(header.length);
  out.append(header);
  out.append(bits);
  return out.finish();
}
