/** The kernels of pages in WebAssembly SIMD, in a module and memory of their own; `choose-page-kernels.ts` completes them. */
import { PAGES_WASM } from "./generated/pages-wasm.js";
import { aligned, bytesUnder, isRange, KernelsMemory, MARGIN, powerOf } from "./kernels-memory.js";
import { type PagesModule, startModule } from "./kernels-module.js";

/** Each method may decline with `undefined`. */
export class SimdPageKernels {
  private readonly module: PagesModule;
  private readonly room: KernelsMemory;

  constructor() {
    const memory = new WebAssembly.Memory({ initial: 2 });
    this.module = startModule<PagesModule>(PAGES_WASM, memory);
    this.room = new KernelsMemory(memory, this.module.heapBase());
  }

  crc32(bytes: Uint8Array): number | undefined {
    const { length } = bytes;
    return this.room.reserve(length, 0)
      ? this.module.crc32(this.room.put(bytes, 0, length), length, 0) >>> 0
      : undefined;
  }

  integerBounds(
    values: Uint8Array,
    width: number,
    isUnsigned: boolean,
  ): { readonly least: bigint; readonly greatest: bigint } | undefined {
    const { room } = this;
    const { length } = values;
    const power = powerOf(width);
    if (power < 0 || length === 0 || length % width !== 0 || !room.reserve(length, 0)) {
      return undefined;
    }
    const at = this.module.integerBounds(room.put(values, 0, length), power, isUnsigned, length / width);
    const { buffer } = room.bytes;
    const [least = 0n, greatest = 0n] = isUnsigned
      ? new BigUint64Array(buffer, at, 2)
      : new BigInt64Array(buffer, at, 2);
    return { least, greatest };
  }

  isAscii(bytes: Uint8Array): boolean | undefined {
    const { room } = this;
    const { length } = bytes;
    if (!room.reserve(length, 0)) {
      return undefined;
    }
    return this.module.isAscii(room.putBeforeZeros(bytes), length) !== 0;
  }

  lengthPrefixed(offsets: Int32Array, data: Uint8Array, from: number, to: number): Uint8Array | undefined {
    const size = (offsets[to] ?? 0) - (offsets[from] ?? 0) + 4 * (to - from);
    const strings = this.putStrings(offsets, data, from, to, size);
    if (strings === undefined) {
      return undefined;
    }
    const { dataAt, offsetsAt, end, output } = strings;
    const length = this.module.lengthPrefixed(dataAt, offsetsAt, end, to - from, output);
    return length < 0 ? undefined : this.room.bytes.subarray(output, output + length);
  }

  stringBounds(
    offsets: Int32Array,
    data: Uint8Array,
    from: number,
    to: number,
  ): { readonly least: number; readonly greatest: number } | undefined {
    const strings = this.putStrings(offsets, data, from, to, 0);
    if (strings === undefined) {
      return undefined;
    }
    const { dataAt, offsetsAt, end } = strings;
    const greatest = this.module.stringGreatest(dataAt, offsetsAt, end, to - from);
    return greatest < 0 ? undefined : { least: from + this.module.stringLeast(), greatest: from + greatest };
  }

  /** Places strings in memory; `dataAt` is where offset 0 would be. */
  private putStrings(offsets: Int32Array, data: Uint8Array, from: number, to: number, output: number) {
    const { room } = this;
    const start = offsets[from] ?? -1;
    const end = offsets[to] ?? -1;
    const offsetBytes = 4 * (to - from + 1);
    const input = offsetBytes + (end - start) + MARGIN;
    if (!(from >= 0 && to > from) || !isRange(data, start, end) || !room.reserve(input, output)) {
      return undefined;
    }
    const offsetsAt = room.put(bytesUnder(offsets.subarray(from, to + 1)), 0, offsetBytes);
    const stringsAt = aligned(offsetsAt + offsetBytes);
    room.bytes.set(data.subarray(start, end), stringsAt);
    return { offsetsAt, dataAt: stringsAt - start, end, output: room.outputStart(input) };
  }
}
