/**
 * The kernels in WebAssembly SIMD (sources in `assembly/`). Bytes are copied into the module's memory and results out of
 * it, both at the speed of memory; what is too large for that, the portable versions do.
 */
import { type BlockMemory, freshMemory } from "@cfile/bytes";
import type { DecodedCodes, DecodedStrings, Kernels, PrefixEntries, PrefixState } from "./kernels.js";
import { aligned, KernelsMemory, MARGIN, MAX_MEMORY } from "./kernels-memory.js";
import { type KernelsModule, loadModule } from "./kernels-module.js";

/** Copying into the module costs more than short inputs are worth. */
const SHORTEST_FOR_CRC = 256;

/** Most bytes of LZ4 output for `length` bytes of input. */
function lz4Bound(length: number): number {
  return length + Math.floor(length / 255) + 16;
}

/** Most bytes of Snappy output for `length` bytes of input. */
function snappyBound(length: number): number {
  return 32 + length + Math.floor(length / 6);
}

export class SimdKernels implements Kernels {
  private readonly module: KernelsModule;
  private readonly room: KernelsMemory;

  constructor() {
    const memory = new WebAssembly.Memory({ initial: 2 });
    this.module = loadModule(memory);
    this.room = new KernelsMemory(memory, this.module.heapBase());
  }

  crc32c(bytes: Uint8Array, start: number, end: number): number | undefined {
    const length = end - start;
    if (length < SHORTEST_FOR_CRC || !this.room.reserve(length, 0)) {
      return undefined;
    }
    return this.module.crc32c(this.room.put(bytes, start, end), length, 0) >>> 0;
  }

  lz4Decompress(
    src: Uint8Array,
    srcStart: number,
    srcEnd: number,
    dst: Uint8Array,
    dstStart: number,
    dstEnd: number,
  ): boolean {
    const size = dstEnd - dstStart;
    if (
      !isRange(src, srcStart, srcEnd) ||
      !isRange(dst, dstStart, dstEnd) ||
      !this.room.reserve(srcEnd - srcStart, size)
    ) {
      return false;
    }
    const from = this.room.put(src, srcStart, srcEnd);
    const to = this.room.outputStart(srcEnd - srcStart);
    if (this.module.lz4Decode(from, from + srcEnd - srcStart, to, to + size) !== 0) {
      return false;
    }
    dst.set(this.room.bytes.subarray(to, to + size), dstStart);
    return true;
  }

  lz4Compress(input: Uint8Array): Uint8Array | undefined {
    if (!this.room.reserve(input.length, lz4Bound(input.length))) {
      return undefined;
    }
    const from = this.room.put(input, 0, input.length);
    const to = this.room.outputStart(input.length);
    return this.room.bytes.slice(to, to + this.module.lz4Encode(from, input.length, to));
  }

  snappyDecompress(src: Uint8Array, dst: Uint8Array): boolean {
    if (!this.room.reserve(src.length, dst.length)) {
      return false;
    }
    const from = this.room.put(src, 0, src.length);
    const to = this.room.outputStart(src.length);
    if (this.module.snappyDecode(from, from + src.length, to, to + dst.length) !== 0) {
      return false;
    }
    dst.set(this.room.bytes.subarray(to, to + dst.length));
    return true;
  }

  snappyCompress(input: Uint8Array): Uint8Array | undefined {
    if (!this.room.reserve(input.length, snappyBound(input.length))) {
      return undefined;
    }
    const from = this.room.put(input, 0, input.length);
    const to = this.room.outputStart(input.length);
    return this.room.bytes.slice(to, to + this.module.snappyEncode(from, input.length, to));
  }

  bitshuffleDecode(
    src: Uint8Array,
    srcStart: number,
    srcEnd: number,
    count: number,
    size: number,
    dst: Uint8Array,
    dstStart: number,
  ): boolean {
    const length = count * size;
    if (
      !isRange(src, srcStart, srcEnd) ||
      !isRange(dst, dstStart, dstStart + length) ||
      !isShuffled(count, size) ||
      !this.room.reserve(srcEnd - srcStart, length)
    ) {
      return false;
    }
    const from = this.room.put(src, srcStart, srcEnd);
    const to = this.room.outputStart(srcEnd - srcStart);
    if (this.module.bitshuffleDecode(from, from + srcEnd - srcStart, to, count, size) !== 0) {
      return false;
    }
    dst.set(this.room.bytes.subarray(to, to + length), dstStart);
    return true;
  }

  bitshuffleEncode(input: Uint8Array, count: number, size: number): Uint8Array | undefined {
    const length = count * size;
    const chunks = Math.ceil(length / 8192);
    const bound = chunks * (4 + lz4Bound(8192));
    if (!isRange(input, 0, length) || !isShuffled(count, size) || !this.room.reserve(length, bound)) {
      return undefined;
    }
    const from = this.room.put(input, 0, length);
    const to = this.room.outputStart(length);
    return this.room.bytes.slice(to, to + this.module.bitshuffleEncode(from, count, size, to));
  }

  readOffsets(
    bytes: Uint8Array,
    start: number,
    count: number,
    first: number,
    last: number,
    memory: BlockMemory = freshMemory,
  ): Int32Array | undefined {
    const length = bytes.length - start;
    if (!isRange(bytes, start, bytes.length) || !this.room.reserve(length, 4 * (count + 1))) {
      return undefined;
    }
    const from = this.room.put(bytes, start, bytes.length);
    const to = this.room.outputStart(length);
    return this.module.readOffsets(from, from + length, count, first, last, to) === 0
      ? new Int32Array(this.room.copyOut(to, 4 * (count + 1), memory), 0, count + 1)
      : undefined;
  }

  prefixDecode(
    block: Uint8Array,
    entriesStart: number,
    entriesEnd: number,
    count: number,
    interval: number,
    mostBytes: number,
    memory: BlockMemory = freshMemory,
  ): DecodedStrings | undefined {
    const offsetBytes = 4 * (count + 1);
    if (!isRange(block, entriesStart, entriesEnd) || !this.room.reserve(block.length, offsetBytes)) {
      return undefined;
    }
    const from = this.room.put(block, 0, block.length);
    const entries = from + entriesStart;
    const end = from + entriesEnd;
    const offsets = this.room.outputStart(block.length);
    const most = Math.min(mostBytes, MAX_MEMORY);
    const total = this.module.prefixOffsets(from, entries, end, count, interval, most, offsets);
    if (total < 0 || !this.room.reserve(block.length, offsetBytes + total)) {
      return undefined;
    }
    const data = offsets + offsetBytes;
    this.module.prefixValues(entries, end, count, offsets, data);
    return {
      offsets: new Int32Array(this.room.copyOut(offsets, offsetBytes, memory), 0, count + 1),
      data: new Uint8Array(this.room.copyOut(data, total, memory), 0, total),
    };
  }

  bitshuffleCodes(
    src: Uint8Array,
    srcStart: number,
    srcEnd: number,
    count: number,
    size: number,
    memory: BlockMemory = freshMemory,
  ): DecodedCodes | undefined {
    const length = count * size;
    const input = srcEnd - srcStart;
    if (
      !isRange(src, srcStart, srcEnd) ||
      !isShuffled(count, size) ||
      size > 4 ||
      !this.room.reserve(input, length + MARGIN + 4 * count)
    ) {
      return undefined;
    }
    const from = this.room.put(src, srcStart, srcEnd);
    const narrow = this.room.outputStart(input);
    if (this.module.bitshuffleDecode(from, from + input, narrow, count, size) !== 0) {
      return undefined;
    }
    const wide = aligned(narrow + length + MARGIN);
    const largest = this.module.widenCodes(narrow, count, size, wide) >>> 0;
    return { codes: new Int32Array(this.room.copyOut(wide, 4 * count, memory), 0, count), largest };
  }

  prefixEncode(
    offsets: Int32Array,
    data: Uint8Array,
    from: number,
    to: number,
    state: PrefixState,
  ): PrefixEntries | undefined {
    const { room } = this;
    const count = to - from;
    const start = offsets[from] ?? 0;
    const end = offsets[to] ?? -1;
    const { interval, isFirst, last, untilRestart } = state;
    const input = 4 * (count + 1) + (end - start) + last.length + 3 * MARGIN;
    // A string takes ten bytes more than it has, at most, and four for its restart.
    const output = end - start + 14 * count;
    if (
      !(from >= 0 && count >= 1 && isRange(data, start, end)) ||
      !room.reserve(input, output + 2 * MARGIN)
    ) {
      return undefined;
    }
    const at = room.put(bytesUnder(offsets.subarray(from, to + 1)), 0, 4 * (count + 1));
    const dataAt = aligned(at + 4 * (count + 1) + MARGIN);
    room.bytes.set(data.subarray(start, end), dataAt);
    const lastAt = aligned(dataAt + end - start + MARGIN);
    room.bytes.set(last, lastAt);
    const restartsAt = room.outputStart(input);
    const out = aligned(restartsAt + 4 * count + MARGIN);
    const length = this.module.prefixEncode(
      at,
      count,
      // Offsets count from where the data of the first string is not.
      dataAt - start,
      end,
      lastAt,
      last.length,
      untilRestart,
      interval,
      isFirst ? 1 : 0,
      state.entries,
      state.room,
      out,
      restartsAt,
    );
    if (length < 0) {
      return undefined;
    }
    return {
      taken: this.module.prefixTaken(),
      bytes: room.bytes.subarray(out, out + length),
      restarts: new Uint32Array(room.bytes.buffer, restartsAt, this.module.prefixRestarts()),
    };
  }

  rleDecode(
    bytes: Uint8Array,
    start: number,
    end: number,
    width: number,
    skipped: number,
    count: number,
    memory: BlockMemory = freshMemory,
  ): ArrayBuffer | undefined {
    const input = end - start;
    const output = Math.ceil((count * width) / 8);
    if (!isRange(bytes, start, end) || ![1, 8, 16, 32, 64].includes(width) || !this.room.reserve(input, 0)) {
      return undefined;
    }
    const from = this.room.put(bytes, start, end);
    // A few bytes can claim any number of values: room is made once they are known to be there.
    if (
      this.module.rleHolds(from, from + input, width, skipped, count) === 0 ||
      !this.room.reserve(input, output)
    ) {
      return undefined;
    }
    const to = this.room.outputStart(input);
    if (width === 1) {
      this.module.rleBits(from, from + input, skipped, count, to);
    } else {
      this.module.rleValues(from, from + input, width, skipped, count, to);
    }
    return this.room.copyOut(to, output, memory);
  }

  scatter(
    values: Uint8Array,
    validity: Uint8Array,
    rows: number,
    width: number,
    memory: BlockMemory = freshMemory,
  ): ArrayBuffer | undefined {
    const bitmap = Math.ceil(rows / 8);
    const input = values.length + 2 * MARGIN + bitmap;
    if (
      ![1, 2, 4, 8, 16].includes(width) ||
      validity.length < bitmap ||
      !this.room.reserve(input, rows * width)
    ) {
      return undefined;
    }
    const from = this.room.put(values, 0, values.length);
    const bits = aligned(from + values.length + MARGIN);
    this.room.bytes.set(validity.subarray(0, bitmap), bits);
    const to = this.room.outputStart(input);
    return this.module.scatter(from, from + values.length, bits, rows, width, to) === 0
      ? this.room.copyOut(to, rows * width, memory)
      : undefined;
  }

  dictionaryGather(
    codes: Int32Array,
    offsets: Int32Array,
    data: Uint8Array,
    mostBytes: number,
    memory: BlockMemory = freshMemory,
  ): DecodedStrings | undefined {
    const { length: count } = codes;
    const input = 4 * count + 4 * offsets.length + data.length + 3 * MARGIN;
    const offsetBytes = 4 * (count + 1);
    if (offsets.length === 0 || !this.room.reserve(input, offsetBytes)) {
      return undefined;
    }
    const codesAt = this.room.put(bytesUnder(codes), 0, 4 * count);
    const startsAt = aligned(codesAt + 4 * count);
    this.room.bytes.set(bytesUnder(offsets), startsAt);
    const dataAt = aligned(startsAt + 4 * offsets.length);
    this.room.bytes.set(data, dataAt);
    const out = this.room.outputStart(input);
    const words = offsets.length - 1;
    const most = Math.min(mostBytes, MAX_MEMORY);
    const total = this.module.dictionaryOffsets(codesAt, count, startsAt, words, data.length, most, out);
    if (total < 0 || !this.room.reserve(input, offsetBytes + MARGIN + total)) {
      return undefined;
    }
    const values = aligned(out + offsetBytes);
    this.module.dictionaryValues(codesAt, count, startsAt, dataAt, values);
    return {
      offsets: new Int32Array(this.room.copyOut(out, offsetBytes, memory), 0, count + 1),
      data: new Uint8Array(this.room.copyOut(values, total, memory), 0, total),
    };
  }
}

function bytesUnder(values: Int32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

function isRange(bytes: Uint8Array, start: number, end: number): boolean {
  return start >= 0 && start <= end && end <= bytes.length;
}

function isShuffled(count: number, size: number): boolean {
  return Number.isSafeInteger(count) && count >= 0 && count % 8 === 0 && [1, 2, 4, 8, 16].includes(size);
}
