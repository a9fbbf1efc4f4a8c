/** Decoder of plain binary blocks (docs/spec/cfile.md#53-plain-binary); see `plain-binary-builder.ts` for their layout. */
import { type BlockMemory, ByteReader, freshMemory } from "@cfile/bytes";
import { portableDecoders, type StoredOffsets } from "@cfile/kernels";
import { MIN_GROUP_LENGTH, readGroupVarintSequence } from "@cfile/varint/group-varint";
import { MAX_BINARY_BYTES, tooManyBytes } from "../../batch/binary-values.js";
import { seekBytes } from "../../keys/seek-target.js";
import { badField, requireRange } from "../../types/checks.js";
import type { BinaryVector } from "../../types/vector.js";
import type { BlockDecoder, DecodeContext } from "../block-codec.js";

/** Bytes before the values. */
export const HEADER_LENGTH = 12;

/**
 * Opens the plain binary block in `bytes[start ..)`.
 *
 * @throws {CFileError} `E_TRUNCATED` or `E_CORRUPT` when header and offsets do not fit the bytes
 */
export function openPlainBinaryBlock(
  bytes: Uint8Array,
  start = 0,
  { kernels = portableDecoders, memory = freshMemory }: Pick<DecodeContext, "kernels" | "memory"> = {},
): BlockDecoder<BinaryVector> {
  const reader = new ByteReader(bytes, start);
  const { remaining } = reader;
  const ordinal = reader.u32le("ordinal");
  const count = reader.u32le("count");
  const last = reader.u32le("offsets position");
  if (last < HEADER_LENGTH || last > remaining) {
    throw badField("offsets position", start + 8, last, `${HEADER_LENGTH} to ${remaining}`);
  }
  if (last > MAX_BINARY_BYTES) {
    throw tooManyBytes("block");
  }
  reader.skip(last - HEADER_LENGTH, "values");
  const offsetsStart = reader.position;
  reader.require(Math.ceil(count / 4) * MIN_GROUP_LENGTH, "offsets");
  let vector: BinaryVector | undefined;
  const all = (): BinaryVector => {
    if (vector === undefined) {
      const stored = { bytes, start: offsetsStart, count, first: HEADER_LENGTH, last };
      const offsets = kernels.readOffsets(readStoredOffsets)(stored, memory);
      vector = { kind: "binary", length: count, offsets, data: bytes.subarray(start, offsetsStart) };
    }
    return vector;
  };
  return {
    ordinal,
    count,
    decode(from, to) {
      requireRange(from, to, count);
      const { offsets, data } = all();
      return { kind: "binary", length: to - from, offsets: offsets.subarray(from, to + 1), data };
    },
    check() {
      all();
    },
    seek: (target) => seekBytes(all(), count, target),
  };
}

function readStoredOffsets(stored: StoredOffsets, memory: BlockMemory): Int32Array {
  const { bytes, start, count, first, last } = stored;
  const offsets = new Int32Array(memory.take(4 * (count + 1)), 0, count + 1);
  readGroupVarintSequence(new ByteReader(bytes, start), count, offsets, 0, "offsets");
  offsets[count] = last;
  let previous = first;
  for (let i = 0; i <= count; i++) {
    const offset = offsets[i] as number;
    if (offset < previous) {
      const index = Math.min(i, count - 1);
      const actual = (offsets[index] as number) >>> 0;
      throw badField("offsets", start, actual, `${previous} to ${last}`, `value ${index}`);
    }
    previous = offset;
  }
  return offsets;
}
