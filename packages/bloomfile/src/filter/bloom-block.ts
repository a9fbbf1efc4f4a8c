/**
 * The block of a Bloom file, one filter (docs/spec/bloomfile.md#3-bloom-block-layout), without checksum:
 *
 * | bytes | content |
 * | --- | --- |
 * | 4 | u32le L |
 * | L | protobuf: `08` varint, `num_hash_functions`, required int32 |
 * | rest | the bit array; its length stands nowhere else, nor does the number of keys |
 */
import { ByteBuilder, ByteReader, CFileError, corrupt } from "@cfile/bytes";
import { readVarint32, readVarint64BigInt, skipProtobufField, writeVarint32 } from "@cfile/varint";
import { BloomFilter, MAX_HASH_COUNT } from "./bloom-filter.js";
import { MAX_FILTER_BYTES } from "./bloom-sizing.js";

const HASH_COUNT_TAG = 0x08;
const LENGTH_WORD = 4;

/**
 * The filter in a block. Its bits are those of `bytes`, not copied.
 *
 * @throws CFileError `E_TRUNCATED`: the block ends inside its header; `E_CORRUPT`: no header, a number of hash functions
 *   other than 1 to 64, or no bits; `E_LIMIT`: more bits than can be addressed
 */
export function parseBloomBlock(bytes: Uint8Array): BloomFilter {
  const reader = new ByteReader(bytes);
  const headerLength = reader.u32le("bloom header length");
  reader.require(headerLength, "bloom header");
  const hashCount = parseHeader(new ByteReader(bytes, reader.position, reader.position + headerLength));
  reader.skip(headerLength, "bloom header");
  if (reader.remaining === 0) {
    throw corrupt("a Bloom block without a filter", { offset: reader.position, field: "bloom filter" });
  }
  if (reader.remaining > MAX_FILTER_BYTES) {
    throw new CFileError("E_LIMIT", `a filter of ${reader.remaining} bytes cannot be addressed`, {
      offset: reader.position,
      field: "bloom filter",
      expected: MAX_FILTER_BYTES,
      actual: reader.remaining,
    });
  }
  return new BloomFilter(bytes.subarray(reader.position), hashCount);
}

/** As in protobuf, the last of repeated fields counts, unknown fields are skipped, and an int32 has ten bytes if negative. */
function parseHeader(reader: ByteReader): number {
  const start = reader.position;
  let hashCount: number | undefined;
  let offset = start;
  while (reader.remaining > 0) {
    const tagOffset = reader.position;
    const tag = readVarint32(reader, "bloom header tag");
    if (tag === HASH_COUNT_TAG) {
      offset = tagOffset;
      hashCount = Number(BigInt.asIntN(32, readVarint64BigInt(reader, "num_hash_functions")));
    } else {
      skipProtobufField(reader, tag, tagOffset, "bloom header");
    }
  }
  const field = "num_hash_functions";
  if (hashCount === undefined) {
    throw corrupt(`the Bloom block's header has no ${field}`, { offset: start, field });
  }
  if (hashCount < 1 || hashCount > MAX_HASH_COUNT) {
    throw corrupt(`${hashCount} hash functions; 1 to ${MAX_HASH_COUNT} are possible`, {
      offset,
      field,
      expected: MAX_HASH_COUNT,
      actual: hashCount,
    });
  }
  return hashCount;
}

/** The block of a filter; a copy. */
export function encodeBloomBlock(filter: BloomFilter): Uint8Array {
  const out = new ByteBuilder(LENGTH_WORD + 2 + filter.bits.length);
  out.u32le(0);
  out.u8(HASH_COUNT_TAG);
  writeVarint32(out, filter.hashCount);
  out.setU32le(0, out.length - LENGTH_WORD);
  out.append(filter.bits);
  return out.finish();
}
