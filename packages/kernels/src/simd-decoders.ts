/**
 * The kernels that reading needs in WebAssembly SIMD (sources in `assembly/`). Bytes are copied into the module's memory and
 * results out of it, both at the speed of memory; `simd-decode-kernels.ts` makes complete kernels of these.
 */
import { type BlockMemory, freshMemory } from "@cfile/bytes";
import type { DecodedCodes, DecodedStrings } from "./decode-kernels.js";
import { DECODERS_WASM } from "./generated/decoders-wasm.js";
import {
  aligned,
  bytesUnder,
  isRange,
  isShuffled,
  KernelsMemory,
  MARGIN,
  MAX_MEMORY,
} from "./kernels-memory.js";
import { type DecodersModule, startModule } from "./kernels-module.js";

/** Copying into the module costs more than short inputs are worth. */
const SHORTEST_FOR_CRC = 256;
/** Values of prefix blocks are hardly ever longer than so many times their entries. */
const LIKELY_EXPANSION = 8;

/** Each method declines, with `undefined` or `false`, what is bad, too short to be worth a copy, or too large. */
export class SimdDecoders {
  private readonly module: DecodersModule;
  private readonly room: KernelsMemory;

  constructor() {
    const memory = new WebAssembly.Memory({ initial: 2 });
    this.module = startModule<DecodersModule>(DECODERS_WASM, memory);
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

  bitUntranspose(input: Uint8Array, output: Uint8Array, size: number, count: number): boolean {
    const length = count * size;
    if (
      !isRange(input, 0, length) ||
      !isRange(output, 0, length) ||
      !isShuffled(count, size) ||
      !this.room.reserve(length, length)
    ) {
      return false;
    }
    const from = this.room.put(input, 0, length);
    const to = this.room.outputStart(length);
    this.module.bitUntranspose(from, count, size, to);
    output.set(this.room.bytes.subarray(to, to + length));
    return true;
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
    const most = Math.min(mostBytes, MAX_MEMORY);
    // Prefixes that are shared over and over can make any number of bytes: for more room the values are made again.
    let room = Math.min(most, LIKELY_EXPANSION * block.length);
    if (
      !isRange(block, entriesStart, entriesEnd) ||
      !this.room.reserve(block.length, offsetBytes + MARGIN + room)
    ) {
      return undefined;
    }
    const from = this.room.put(block, 0, block.length);
    const offsets = this.room.outputStart(block.length);
    const data = aligned(offsets + offsetBytes + MARGIN);
    const decode = (): number =>
      this.module.prefixValues(
        from,
        from + entriesStart,
        from + entriesEnd,
        count,
        interval,
        most,
        offsets,
        data,
        room,
      );
    let total = decode();
    if (total > room) {
      room = total;
      if (!this.room.reserve(block.length, offsetBytes + MARGIN + room)) {
        return undefined;
      }
      total = decode();
    }
    if (total < 0) {
      return undefined;
    }
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
