/**
 * RLE blocks (docs/spec/cfile.md#55-rle).
 *
 * | offset | width | meaning |
 * | --- | --- | --- |
 * | 0 | 8 | count and ordinal, `count-header.ts` |
 * | 8 | rest | one RLE stream (`rle-encoder.ts`): width 1 for BOOL, 8, 16, 32 or 64 for integers |
 */
import { type BlockMemory, bitmapByteLength, CFileError, freshMemory } from "@cfile/bytes";
import { portableDecoders, type RleDecode } from "@cfile/kernels";
import { requireRange } from "../../conditions/value-range.js";
import { integerTarget, seekInteger } from "../../keys/seek-target.js";
import { type FixedPhysicalType, type PhysicalType, physicalWidth } from "../../types/data-type.js";
import {
  allocateFixed,
  type BoolVector,
  type FixedVector,
  fixedView,
  type Vector,
} from "../../types/vector.js";
import {
  type BlockDecoder,
  DEFAULT_MAX_DECODED_BYTES,
  type DecodeContext,
  type SeekPosition,
  type SeekTarget,
} from "../block-codec.js";
import { COUNT_HEADER_LENGTH, type CountHeader, readCountHeader } from "../headers/count-header.js";
import { RleDecoder } from "./rle-decoder.js";

/** Physical types that have RLE blocks. */
export type RlePhysicalType = "BOOL" | Exclude<FixedPhysicalType, "FLOAT" | "DOUBLE" | "INT128">;

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

/** Bits of a value in the stream. */
export function rleWidth(type: RlePhysicalType): number {
  return type === "BOOL" ? 1 : 8 * physicalWidth(type);
}

/**
 * Opens a block. Runs are read as `decode`, `seek` and `check` come to them. Bytes behind the last value are
 * accepted, as in Kudu: some writers fill up the last group of eight.
 *
 * @param context `maxDecodedBytes` bounds what the values of one `decode` may take: a run of a few bytes can claim 2^30
 *   values. Default 256 MiB
 * @throws CFileError `E_TRUNCATED` without a whole header; `E_UNSUPPORTED` for a type without RLE encoding
 */
export function openRleBlock(
  physical: PhysicalType,
  bytes: Uint8Array,
  context: RleContext = {},
): BlockDecoder {
  const type = rleType(physical);
  const header = readCountHeader(bytes);
  const stream = new RleDecoder(bytes, COUNT_HEADER_LENGTH, bytes.length, rleWidth(type));
  return type === "BOOL"
    ? new RleBoolBlock(header, stream, context)
    : new RleIntegerBlock(header, stream, context, type);
}

type RleContext = Pick<DecodeContext, "maxDecodedBytes" | "kernels" | "memory">;

/** So many values are allocated only once their runs were walked: a few bytes can claim any number. */
const FEWEST_TO_WALK_FIRST = 65_536;

const decodeRuns: RleDecode = (runs, from, count, memory) => {
  runs.seek(from);
  if (count >= FEWEST_TO_WALK_FIRST) {
    runs.span(count);
    runs.seek(from);
  }
  return runs.read(count, memory);
};

abstract class RleBlock implements BlockDecoder {
  readonly ordinal: number;
  readonly count: number;
  protected readonly stream: RleDecoder;
  private readonly memory: BlockMemory;
  private readonly maxDecodedBytes: number;
  private readonly decodeRuns: RleDecode;

  constructor({ ordinal, count }: CountHeader, stream: RleDecoder, context: RleContext) {
    this.ordinal = ordinal;
    this.count = count;
    this.stream = stream;
    this.maxDecodedBytes = context.maxDecodedBytes ?? DEFAULT_MAX_DECODED_BYTES;
    this.memory = context.memory ?? freshMemory;
    this.decodeRuns = (context.kernels ?? portableDecoders).rleDecode(decodeRuns);
  }

  abstract decode(from: number, to: number): Vector;
  abstract seek(target: SeekTarget): SeekPosition;

  /** Walks all runs up to the last value. */
  check(): void {
    this.stream.seek(0);
    this.stream.seek(this.count);
  }

  /** Values `from` to `to`, once they are known to be there and may be allocated. */
  protected decodeValues(from: number, to: number): ArrayBuffer {
    requireRange(from, to, this.count);
    const size = ((to - from) * this.stream.width) / 8;
    if (size > this.maxDecodedBytes) {
      throw new CFileError(
        "E_LIMIT",
        `${to - from} values decode to more than ${this.maxDecodedBytes} bytes`,
        {
          field: "range",
          expected: this.maxDecodedBytes,
          actual: size,
        },
      );
    }
    return this.decodeRuns(this.stream, from, to - from, this.memory);
  }
}

class RleBoolBlock extends RleBlock {
  override decode(from: number, to: number): BoolVector {
    const values = new Uint8Array(this.decodeValues(from, to), 0, bitmapByteLength(to - from));
    return { kind: "bool", length: to - from, values };
  }

  override seek(): SeekPosition {
    throw new CFileError("E_UNSUPPORTED", "BOOL values have no key order", { field: "data_type" });
  }
}

/** Values of a literal run that `seek` looks at together. */
const SEEK_CHUNK = 512;

class RleIntegerBlock extends RleBlock {
  private readonly physical: FixedPhysicalType;

  constructor(header: CountHeader, stream: RleDecoder, context: RleContext, physical: FixedPhysicalType) {
    super(header, stream, context);
    this.physical = physical;
  }

  override decode(from: number, to: number): FixedVector {
    const values = fixedView(this.physical, this.decodeValues(from, to), to - from);
    return { kind: "fixed", physical: this.physical, length: to - from, values };
  }

  /** Run by run from the start; a repeated run is one comparison. */
  override seek(target: SeekTarget): SeekPosition {
    const wanted = integerTarget(target);
    const { stream } = this;
    const values = allocateFixed(this.physical, SEEK_CHUNK);
    const chunk: FixedVector = { kind: "fixed", physical: this.physical, length: SEEK_CHUNK, values };
    stream.seek(0);
    while (stream.position < this.count) {
      const start = stream.position;
      const run = stream.nextRun();
      const length = Math.min(run.length, this.count - start);
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
    return { position: this.count, exact: false };
  }
}
