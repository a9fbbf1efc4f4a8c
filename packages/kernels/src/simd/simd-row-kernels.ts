/** The kernels for row sets in WebAssembly SIMD; the portable implementation handles input that the module declines. */
import { ROWS_WASM } from "../generated/rows-wasm.js";
import { once } from "../kernel-choice.js";
import type {
  BloomProbe,
  CountOnes,
  DeltaEntries,
  FirstDescent,
  IntegerDescent,
  IntegerKeys,
  RowKernels,
} from "../row-kernels.js";
import { aligned, bytesUnder, isRange, MARGIN, powerOf, startModule } from "./kernels-memory.js";
import type { RowsModule } from "./kernels-module.js";

/** Minimum number of keys that is worth a call. */
const MIN_KEYS = 8;
/** Words of the summary of delta entries. */
const SUMMARY_WORDS = 6;

export class SimdRowKernels implements RowKernels {
  private readonly rows = startModule<RowsModule>(ROWS_WASM);

  readonly bloomProbe = once<BloomProbe>((portable) => (filter, keys, range, answers, at) => {
    const { module, room } = this.rows;
    const { bits, hashCount } = filter;
    const { data, offsets, width } = keys;
    const { from, to } = range;
    const count = to - from;
    const start = offsets === undefined ? from * width : (offsets[from] ?? -1);
    const end = offsets === undefined ? to * width : (offsets[to] ?? -1);
    const offsetBytes = offsets === undefined ? 0 : 4 * (count + 1);
    const input = bits.length + (end - start) + offsetBytes + 3 * MARGIN;
    if (
      !(count >= MIN_KEYS && from >= 0 && bits.length > 0) ||
      !isRange(data, start, end) ||
      !isRange(answers, at, at + count) ||
      !room.reserve(input, count)
    ) {
      portable(filter, keys, range, answers, at);
      return;
    }
    const bitsAt = room.put(bits);
    let offsetsAt = aligned(bitsAt + bits.length + MARGIN);
    const stringsAt = aligned(offsetsAt + offsetBytes + MARGIN);
    room.bytes.set(data.subarray(start, end), stringsAt);
    let keysAt = stringsAt;
    if (offsets === undefined) {
      offsetsAt = 0;
    } else {
      room.bytes.set(bytesUnder(offsets.subarray(from, to + 1)), offsetsAt);
      // The address that offset 0 would have.
      keysAt -= start;
    }
    const out = room.outputStart(input);
    const bitCount = 8 * bits.length;
    const absent = module.bloomProbe(keysAt, offsetsAt, width, end, count, bitsAt, bitCount, hashCount, out);
    if (absent < 0) {
      portable(filter, keys, range, answers, at);
    } else {
      answers.set(room.bytes.subarray(out, out + count), at);
    }
  });

  readonly integerKeys = once<IntegerKeys>((portable) => (values, width, flip, target) => {
    const { module, room } = this.rows;
    const { length } = values;
    const power = powerOf(width);
    if (power < 0 || length % width !== 0 || target.length !== length || !room.reserve(length, length)) {
      return portable(values, width, flip, target);
    }
    const from = room.put(values);
    const to = room.outputStart(length);
    module.integerKeys(from, length, power, flip, to);
    target.set(room.bytes.subarray(to, to + length));
    // Keys flip the highest bit of signed integers; comparisons flip that of unsigned ones.
    return module.integerDescent(from, power, 0x80 ^ flip, false, length / width);
  });

  readonly integerDescent = once<IntegerDescent>((portable) => (integers) => {
    const { module, room } = this.rows;
    const { bytes, width, isUnsigned } = integers;
    const { length } = bytes;
    const power = powerOf(width);
    return power < 0 || length % width !== 0 || !room.reserve(length, 0)
      ? portable(integers)
      : module.integerDescent(room.put(bytes), power, isUnsigned ? 0x80 : 0, true, length / width);
  });

  readonly firstDescent = once<FirstDescent>((portable) => (strings, count) => {
    const { module, room } = this.rows;
    const put = room.putStrings(strings.offsets, strings.data, count, 0);
    const found = put ? module.firstDescent(put.dataAt, put.offsetsAt, put.end, count) : -1;
    return found < 0 ? portable(strings, count) : found;
  });

  readonly countOnes = once<CountOnes>((portable) => (bytes) => {
    const { module, room } = this.rows;
    const { length } = bytes;
    return room.reserve(length, 0) ? module.countOnes(room.putBeforeZeros(bytes), length) : portable(bytes);
  });

  readonly deltaEntries = once<DeltaEntries>((portable) => (values, count, isBorrowed) => {
    const { module, room } = this.rows;
    const { offsets, data } = values;
    const mutationRoom = (offsets[count] ?? 0) - (offsets[0] ?? 0);
    // Rows, timestamps, types and offsets, each followed by a margin.
    const put = room.putStrings(offsets, data, count, 17 * count + 4 + mutationRoom + 5 * MARGIN);
    if (put === undefined) {
      return portable(values, count, isBorrowed);
    }
    const { dataAt, offsetsAt, end, output: rowsAt } = put;
    const timesAt = aligned(rowsAt + 4 * count);
    const endsAt = aligned(timesAt + 8 * count);
    const typesAt = aligned(endsAt + 4 * (count + 1));
    const mutationsAt = aligned(typesAt + count);
    const length = module.deltaEntries(
      dataAt,
      offsetsAt,
      end,
      count,
      rowsAt,
      timesAt,
      typesAt,
      endsAt,
      mutationsAt,
    );
    if (length < 0) {
      return portable(values, count, isBorrowed);
    }
    const { buffer } = room.bytes;
    const summary = new BigInt64Array(buffer, module.deltaSummary(), SUMMARY_WORDS);
    const own = <T extends { slice(): T }>(values: T): T => (isBorrowed ? values : values.slice());
    const [isSingle = 0n, deletes = 0n, reinserts = 0n, minTime = 0n, maxTime = 0n, overlong = 0n] = summary;
    return {
      rows: own<Uint32Array>(new Uint32Array(buffer, rowsAt, count)),
      timestamps: own<BigUint64Array>(new BigUint64Array(buffer, timesAt, count)),
      types: own<Uint8Array>(new Uint8Array(buffer, typesAt, count)),
      offsets: own<Int32Array>(new Int32Array(buffer, endsAt, count + 1)),
      data: own<Uint8Array>(new Uint8Array(buffer, mutationsAt, length)),
      isSingle: isSingle === 1n,
      deletes: Number(deletes),
      reinserts: Number(reinserts),
      minTimestamp: BigInt.asUintN(64, minTime),
      maxTimestamp: BigInt.asUintN(64, maxTime),
      overlong: Number(overlong),
    };
  });
}
