/** The kernels for Parquet pages in WebAssembly SIMD; the portable implementation handles input that the module declines. */
import { crc32 } from "@cfile/bytes";
import type { BloomHashes, HashStore } from "../bloom-hashes.js";
import { PAGES_WASM } from "../generated/pages-wasm.js";
import { once } from "../kernel-choice.js";
import type { AppendStrings, IntegerBounds, IsAscii, PageKernels, StringBounds } from "../page-kernels.js";
import { compiledModule, powerOf, startCompiled } from "./kernels-memory.js";
import type { PagesModule } from "./kernels-module.js";
import { HashInstances, SimdBloomHashes } from "./simd-bloom-hashes.js";

export class SimdPageKernels implements PageKernels {
  private readonly compiled = compiledModule(PAGES_WASM);
  private readonly pages = startCompiled<PagesModule>(this.compiled);
  private readonly instances = new HashInstances(this.compiled);

  readonly crc32 = (bytes: Uint8Array, previous = 0): number => {
    const { module, room } = this.pages;
    const { length } = bytes;
    return room.checksum(module.crc32, bytes, 0, length, previous) ?? crc32(bytes, 0, length, previous);
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

  /** A new instance per store: it has the hashes of one filter. */
  readonly bloomHashes = (store: HashStore): BloomHashes => new SimdBloomHashes(store, this.instances);
}
