/** The kernels of row sets in WebAssembly SIMD, in a module and memory of their own; `choose-row-kernels.ts` completes them. */
import { ROWS_WASM } from "./generated/rows-wasm.js";
import { aligned, bytesUnder, isRange, KernelsMemory, MARGIN, powerOf } from "./kernels-memory.js";
import { type RowsModule, startModule } from "./kernels-module.js";
import type { DecodedDeltas, KeyColumn } from "./row-kernels.js";

/** Words of the summary of delta entries. */
const SUMMARY_WORDS = 6;

/** Each method may decline with `undefined`. */
export class SimdRowKernels {
  private readonly module: RowsModule;
  private readonly room: KernelsMemory;

  constructor() {
    const memory = new WebAssembly.Memory({ initial: 2 });
    this.module = startModule<RowsModule>(ROWS_WASM, memory);
    this.room = new KernelsMemory(memory, this.module.heapBase());
  }

  bloomProbe(
    { bits, hashCount }: { readonly bits: Uint8Array; readonly hashCount: number },
    { data, offsets, width }: KeyColumn,
    from: number,
    to: number,
    answers: Uint8Array,
    at: number,
  ): number | undefined {
    const { room } = this;
    const count = to - from;
    const start = offsets === undefined ? from * width : (offsets[from] ?? -1);
    const end = offsets === undefined ? to * width : (offsets[to] ?? -1);
    const offsetBytes = offsets === undefined ? 0 : 4 * (count + 1);
    const input = bits.length + (end - start) + offsetBytes + 3 * MARGIN;
    if (
      !(from >= 0 && count >= 0 && bits.length > 0) ||
      !isRange(data, start, end) ||
      !isRange(answers, at, at + count) ||
      !room.reserve(input, count)
    ) {
      return undefined;
    }
    const bitsAt = room.put(bits, 0, bits.length);
    const offsetsAt = aligned(bitsAt + bits.length + MARGIN);
    if (offsets !== undefined) {
      room.bytes.set(bytesUnder(offsets.subarray(from, to + 1)), offsetsAt);
    }
    const keysAt = aligned(offsetsAt + offsetBytes + MARGIN);
    room.bytes.set(data.subarray(start, end), keysAt);
    const out = room.outputStart(input);
    const absent = this.module.bloomProbe(
      // Offsets count from where the data of the first key is not.
      offsets === undefined ? keysAt : keysAt - start,
      offsets === undefined ? 0 : offsetsAt,
      width,
      end,
      count,
      bitsAt,
      8 * bits.length,
      hashCount,
      out,
    );
    if (absent < 0) {
      return undefined;
    }
    answers.set(room.bytes.subarray(out, out + count), at);
    return absent;
  }

  integerKeys(values: Uint8Array, width: number, flip: number, target: Uint8Array): number | undefined {
    const { room } = this;
    const { length } = values;
    const power = powerOf(width);
    if (power < 0 || length % width !== 0 || target.length !== length || !room.reserve(length, length)) {
      return undefined;
    }
    const from = room.put(values, 0, length);
    const to = room.outputStart(length);
    this.module.integerKeys(from, length, power, flip, to);
    target.set(room.bytes.subarray(to, to + length));
    // The most significant byte of a signed one is flipped: of an unsigned one, it is to be flipped for comparisons.
    return this.module.integerDescent(from, power, 0x80 ^ flip, false, length / width);
  }

  integerDescent(values: Uint8Array, width: number, isUnsigned: boolean): number | undefined {
    const { room } = this;
    const { length } = values;
    const power = powerOf(width);
    if (power < 0 || length % width !== 0 || !room.reserve(length, 0)) {
      return undefined;
    }
    const from = room.put(values, 0, length);
    return this.module.integerDescent(from, power, isUnsigned ? 0x80 : 0, true, length / width);
  }

  countOnes(bytes: Uint8Array): number | undefined {
    const { room } = this;
    const { length } = bytes;
    if (!room.reserve(length, 0)) {
      return undefined;
    }
    return this.module.countOnes(room.putBeforeZeros(bytes), length);
  }

  firstDescent(offsets: Int32Array, data: Uint8Array, count: number): number | undefined {
    const strings = this.putStrings(offsets, data, count, 0);
    const found = strings && this.module.firstDescent(strings.dataAt, strings.offsetsAt, strings.end, count);
    return found === undefined || found < 0 ? undefined : found;
  }

  deltaEntries(
    offsets: Int32Array,
    data: Uint8Array,
    count: number,
    isBorrowed = false,
  ): DecodedDeltas | undefined {
    const { room } = this;
    const mutationRoom = (offsets[count] ?? 0) - (offsets[0] ?? 0);
    // Rows, timestamps, types and offsets, and room behind each.
    const output = 17 * count + 4 + mutationRoom + 5 * MARGIN;
    const strings = this.putStrings(offsets, data, count, output);
    if (strings === undefined) {
      return undefined;
    }
    const rowsAt = strings.output;
    const timesAt = aligned(rowsAt + 4 * count);
    const offsetsAt = aligned(timesAt + 8 * count);
    const typesAt = aligned(offsetsAt + 4 * (count + 1));
    const mutationsAt = aligned(typesAt + count);
    const length = this.module.deltaEntries(
      strings.dataAt,
      strings.offsetsAt,
      strings.end,
      count,
      rowsAt,
      timesAt,
      typesAt,
      offsetsAt,
      mutationsAt,
    );
    if (length < 0) {
      return undefined;
    }
    const { buffer } = room.bytes;
    const summary = new BigInt64Array(buffer, this.module.deltaSummary(), SUMMARY_WORDS);
    const [isSingle = 0n, deletes = 0n, reinserts = 0n, least = 0n, greatest = 0n, overlong = 0n] = summary;
    const rows = new Uint32Array(buffer, rowsAt, count);
    const timestamps = new BigUint64Array(buffer, timesAt, count);
    const types = new Uint8Array(buffer, typesAt, count);
    const mutationOffsets = new Int32Array(buffer, offsetsAt, count + 1);
    const mutations = new Uint8Array(buffer, mutationsAt, length);
    return {
      rows: isBorrowed ? rows : rows.slice(),
      timestamps: isBorrowed ? timestamps : timestamps.slice(),
      types: isBorrowed ? types : types.slice(),
      offsets: isBorrowed ? mutationOffsets : mutationOffsets.slice(),
      data: isBorrowed ? mutations : mutations.slice(),
      isSingle: isSingle === 1n,
      deletes: Number(deletes),
      reinserts: Number(reinserts),
      minTimestamp: BigInt.asUintN(64, least),
      maxTimestamp: BigInt.asUintN(64, greatest),
      overlong: Number(overlong),
    };
  }

  /** Places strings in memory; `dataAt` is where offset 0 would be. */
  private putStrings(offsets: Int32Array, data: Uint8Array, count: number, output: number) {
    const { room } = this;
    const start = offsets[0] ?? -1;
    const end = offsets[count] ?? -1;
    const input = 4 * (count + 1) + (end - start) + MARGIN;
    if (!(count >= 0) || !isRange(data, start, end) || !room.reserve(input, output)) {
      return undefined;
    }
    const offsetsAt = room.put(bytesUnder(offsets), 0, 4 * (count + 1));
    const stringsAt = aligned(offsetsAt + 4 * (count + 1));
    room.bytes.set(data.subarray(start, end), stringsAt);
    return { offsetsAt, dataAt: stringsAt - start, end, output: room.outputStart(input) };
  }
}
