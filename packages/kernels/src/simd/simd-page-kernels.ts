/** The kernels for Parquet pages in WebAssembly SIMD; the portable implementation handles input that the module declines. */
import { crc32 } from "@cfile/bytes";
import { PAGES_WASM } from "../generated/pages-wasm.js";
import { once } from "../kernel-choice.js";
import type {
  AppendStrings,
  FillBloom,
  FixedValues,
  HashValues,
  IntegerBounds,
  IsAscii,
  PageKernels,
  StringBounds,
} from "../page-kernels.js";
import type { WordStrings } from "../word-table.js";
import { bytesUnder, powerOf, startModule } from "./kernels-memory.js";
import type { PagesModule } from "./kernels-module.js";

/** Number of hashes copied at a time. */
const HASHES = 1 << 16;

export class SimdPageKernels implements PageKernels {
  private readonly pages = startModule<PagesModule>(PAGES_WASM);

  readonly crc32 = (bytes: Uint8Array, previous = 0): number => {
    const { module, room } = this.pages;
    const { length } = bytes;
    return room.reserve(length, 0)
      ? module.crc32(room.put(bytes), length, previous) >>> 0
      : crc32(bytes, 0, length, previous);
  };

  readonly isAscii = once<IsAscii>((portable) => (bytes) => {
    const { module, room } = this.pages;
    const { length } = bytes;
    return room.reserve(length, 0)
      ? module.isAscii(room.putBeforeZeros(bytes), length) !== 0
      : portable(bytes);
  });

  readonly integerBounds = once<IntegerBounds>((portable) => (integers) => {
    const { module, room } = this.pages;
    const { bytes, width, isUnsigned } = integers;
    const { length } = bytes;
    const power = powerOf(width);
    if (power < 0 || length === 0 || length % width !== 0 || !room.reserve(length, 0)) {
      return portable(integers);
    }
    const at = module.integerBounds(room.put(bytes), power, isUnsigned, length / width);
    const { buffer } = room.bytes;
    const bounds = isUnsigned ? new BigUint64Array(buffer, at, 2) : new BigInt64Array(buffer, at, 2);
    const [min = 0n, max = 0n] = bounds;
    return width === 8 ? { min, max } : { min: Number(min), max: Number(max) };
  });

  readonly lengthPrefixed = once<AppendStrings>((portable) => (strings, count, out) => {
    const { module, room } = this.pages;
    const { offsets, data } = strings;
    const size = (offsets[count] ?? 0) - (offsets[0] ?? 0) + 4 * count;
    const put = count > 0 ? room.putStrings(offsets, data, count, size) : undefined;
    const length = put ? module.lengthPrefixed(put.dataAt, put.offsetsAt, put.end, count, put.output) : -1;
    if (put === undefined || length < 0) {
      portable(strings, count, out);
    } else {
      out.append(room.bytes.subarray(put.output, put.output + length));
    }
  });

  readonly stringBounds = once<StringBounds>((portable) => (strings, count) => {
    const { module, room } = this.pages;
    const put = count > 0 ? room.putStrings(strings.offsets, strings.data, count, 0) : undefined;
    const max = put ? module.stringMaximum(put.dataAt, put.offsetsAt, put.end, count) : -1;
    return max < 0 ? portable(strings, count) : { min: module.stringMinimum(), max };
  });

  readonly hashValues = once<HashValues>((portable) => (values, count, hashes) => {
    const at = "width" in values ? this.hashFixed(values, count) : this.hashStrings(values, count);
    if (at === undefined) {
      portable(values, count, hashes);
    } else {
      hashes.set(new Uint32Array(this.pages.room.bytes.buffer, at, 2 * count));
    }
  });

  readonly fillBloom = once<FillBloom>((portable) => (hashes, blocks) => {
    const { module, room } = this.pages;
    const { length } = blocks;
    if (length < 32 || !room.reserve(8 * HASHES, length)) {
      portable(hashes, blocks);
      return;
    }
    const output = room.outputStart(8 * HASHES);
    room.bytes.set(blocks, output);
    for (const piece of hashes) {
      const count = piece.length >>> 1;
      for (let from = 0; from < count; from += HASHES) {
        const to = Math.min(count, from + HASHES);
        module.fillBloom(room.put(bytesUnder(piece), 8 * from, 8 * to), to - from, output, length >>> 5);
      }
    }
    blocks.set(room.bytes.subarray(output, output + length));
  });

  /** @returns the address of the hashes */
  private hashStrings({ offsets, data }: WordStrings, count: number): number | undefined {
    const { module, room } = this.pages;
    const put = count > 0 ? room.putStrings(offsets, data, count, 8 * count) : undefined;
    const status = put ? module.xxhashStrings(put.dataAt, put.offsetsAt, put.end, count, put.output) : -1;
    return status < 0 ? undefined : put?.output;
  }

  private hashFixed({ data, width }: FixedValues, count: number): number | undefined {
    const { module, room } = this.pages;
    const length = width * count;
    if (length > data.length || !room.reserve(length, 8 * count)) {
      return undefined;
    }
    const output = room.outputStart(length);
    module.xxhashValues(room.put(data, 0, length), width, count, output);
    return output;
  }
}
