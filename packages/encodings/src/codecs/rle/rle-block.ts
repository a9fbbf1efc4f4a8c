/**
 * RLE blocks (docs/spec/cfile.md#55-rle).
 *
 * | offset | width | meaning |
 * | --- | --- | --- |
 * | 0 | 8 | count and ordinal, `count-header.ts` |
 * | 8 | rest | one RLE stream (`rle-encoder.ts`): width 1 for BOOL, 8, 16, 32 or 64 for integers |
 */
import { bitmapByteLength, CFileError, freshMemory } from "@cfile/bytes";
import { portableDecoders } from "@cfile/kernels";
import { integerTarget, seekInteger } from "../../keys/seek-target.js";
import { aboveLimit, DECODED, requireRange, unordered } from "../../types/checks.js";
import { type FixedPhysicalType, type PhysicalType, physicalWidth } from "../../types/data-type.js";
import { allocateFixed, type FixedVector, fixedView } from "../../types/vector.js";
import type { BlockDecoder, DecodeContext, SeekPosition, SeekTarget } from "../block-codec.js";
import { DEFAULT_MAX_DECODED_BYTES } from "../block-codec.js";
import { COUNT_HEADER_LENGTH, readCountHeader } from "../headers/count-header.js";
import { decodeRuns } from "./rle-decode.js";
import { RleDecoder } from "./rle-decoder.js";

/** Physical types that have RLE blocks. */
export type RlePhysicalType = "BOOL" | Exclude<FixedPhysicalType, "FLOAT" | "DOUBLE" | "INT128">;

/** @throws {CFileError} `E_UNSUPPORTED` for a type without RLE encoding */
export function rleType(physical: PhysicalType): RlePhysicalType {
  switch (physical) {
    case "FLOAT":
    case "DOUBLE":
    case "INT128":
    case "BINARY":
      throw new CFileError("E_UNSUPPORTED", `${physical} has no RLE encoding`, { field: "encoding" });
    default:
      return physical;
  }
}

/** Bits per value in the stream. */
export function rleWidth(type: RlePhysicalType): number {
  return type === "BOOL" ? 1 : 8 * physicalWidth(type);
}

/**
 * Opens a block. Runs are read when `decode`, `seek` and `check` reach them. Bytes after the last value are
 * accepted, as in Kudu: some writers pad the last group of eight.
 *
 * @param context `maxDecodedBytes` bounds the values of one `decode`: a run of a few bytes can claim 2^30 values. Default 256 MiB
 * @throws {CFileError} `E_TRUNCATED` for an incomplete header; `E_UNSUPPORTED` for a type without RLE encoding
 */
export function openRleBlock(
  physical: PhysicalType,
  bytes: Uint8Array,
  context: Pick<DecodeContext, "maxDecodedBytes" | "kernels" | "memory"> = {},
): BlockDecoder {
  const { maxDecodedBytes = DEFAULT_MAX_DECODED_BYTES, memory = freshMemory } = context;
  const decodeRange = (context.kernels ?? portableDecoders).rleDecode(decodeRuns);
  const type = rleType(physical);
  const width = rleWidth(type);
  const { count, ordinal } = readCountHeader(bytes);
  const stream = new RleDecoder(bytes, COUNT_HEADER_LENGTH, bytes.length, width);
  return {
    ordinal,
    count,
    decode(from, to) {
      requireRange(from, to, count);
      const length = to - from;
      const size = (length * width) / 8;
      if (size > maxDecodedBytes) {
        throw aboveLimit("range", size, maxDecodedBytes, undefined, DECODED);
      }
      const buffer = decodeRange(stream, from, length, memory);
      return type === "BOOL"
        ? { kind: "bool", length, values: new Uint8Array(buffer, 0, bitmapByteLength(length)) }
        : { kind: "fixed", physical: type, length, values: fixedView(type, buffer, length) };
    },
    /** Checks all runs up to the last value. */
    check() {
      stream.seek(0);
      stream.seek(count);
    },
    seek(target) {
      if (type === "BOOL") {
        throw unordered(type);
      }
      return seekRuns(stream, type, count, target);
    },
  };
}

/** Values of a literal run that a search decodes together. */
const SEEK_CHUNK = 512;

/** Searches run by run from the start; a repeated run is one comparison. */
function seekRuns(
  stream: RleDecoder,
  physical: FixedPhysicalType,
  count: number,
  target: SeekTarget,
): SeekPosition {
  const wanted = integerTarget(target);
  const values = allocateFixed(physical, SEEK_CHUNK);
  const chunk: FixedVector = { kind: "fixed", physical, length: SEEK_CHUNK, values };
  stream.seek(0);
  while (stream.position < count) {
    const start = stream.position;
    const run = stream.nextRun();
    const length = Math.min(run.length, count - start);
    const loaded = run.repeated ? 1 : Math.min(length, SEEK_CHUNK);
    stream.decodeInto(values, 0, loaded);
    if (!((values[loaded - 1] as number | bigint) < wanted)) {
      const { position, exact } = seekInteger(chunk, loaded, wanted);
      return { position: start + position, exact };
    }
    if (run.repeated) {
      stream.skip(length - 1);
    }
  }
  return { position: count, exact: false };
}
