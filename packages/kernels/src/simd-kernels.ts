/**
 * The kernels in WebAssembly SIMD (sources in `assembly/`). Bytes are copied into the module's memory and results out of
 * it, both at the speed of memory; what is too large for that, the portable versions do.
 *
 * | memory | content |
 * | --- | --- |
 * | 0 .. heap base | tables and scratch of the module |
 * | heap base .. | input, and room behind it for whole vectors |
 * | .. end | output, and room behind it |
 */
import { KERNELS_WASM } from "./generated/kernels-wasm.js";
import type { DecodedStrings, Kernels } from "./kernels.js";

interface Module {
  heapBase(): number;
  crc32c(start: number, length: number, previous: number): number;
  lz4Decode(src: number, srcEnd: number, dst: number, dstEnd: number): number;
  lz4Encode(src: number, length: number, dst: number): number;
  bitshuffleDecode(src: number, srcEnd: number, dst: number, count: number, size: number): number;
  bitshuffleEncode(src: number, count: number, size: number, dst: number): number;
  snappyDecode(src: number, srcEnd: number, dst: number, dstEnd: number): number;
  snappyEncode(src: number, length: number, dst: number): number;
  readOffsets(src: number, srcEnd: number, count: number, first: number, last: number, out: number): number;
  prefixOffsets(
    block: number,
    entries: number,
    end: number,
    count: number,
    interval: number,
    most: number,
    offsets: number,
  ): number;
  prefixValues(entries: number, end: number, count: number, offsets: number, data: number): void;
}

const PAGE = 65536;
/** Room behind input and output: functions read and write up to 128 elements of 16 bytes too many. */
const MARGIN = 2048 + 64;
/** Most memory that the module may take; more than two blocks of Kudu's largest size. */
const MAX_MEMORY = 64 * 1024 * 1024;
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
  private readonly module: Module;
  private readonly memory: WebAssembly.Memory;
  private readonly base: number;
  private bytes: Uint8Array;

  constructor() {
    this.memory = new WebAssembly.Memory({ initial: 2 });
    const binary = Uint8Array.from(atob(KERNELS_WASM), (unit) => unit.charCodeAt(0));
    const instance = new WebAssembly.Instance(new WebAssembly.Module(binary), {
      env: { memory: this.memory },
    });
    this.module = instance.exports as WebAssembly.Exports & Module;
    this.base = (this.module.heapBase() + 15) & ~15;
    this.bytes = new Uint8Array(this.memory.buffer);
  }

  crc32c(bytes: Uint8Array, start: number, end: number): number | undefined {
    const length = end - start;
    if (length < SHORTEST_FOR_CRC || !this.reserve(length, 0)) {
      return undefined;
    }
    return this.module.crc32c(this.put(bytes, start, end), length, 0) >>> 0;
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
      !this.reserve(srcEnd - srcStart, size)
    ) {
      return false;
    }
    const from = this.put(src, srcStart, srcEnd);
    const to = this.outputStart(srcEnd - srcStart);
    if (this.module.lz4Decode(from, from + srcEnd - srcStart, to, to + size) !== 0) {
      return false;
    }
    dst.set(this.bytes.subarray(to, to + size), dstStart);
    return true;
  }

  lz4Compress(input: Uint8Array): Uint8Array | undefined {
    if (!this.reserve(input.length, lz4Bound(input.length))) {
      return undefined;
    }
    const from = this.put(input, 0, input.length);
    const to = this.outputStart(input.length);
    return this.bytes.slice(to, to + this.module.lz4Encode(from, input.length, to));
  }

  snappyDecompress(src: Uint8Array, dst: Uint8Array): boolean {
    if (!this.reserve(src.length, dst.length)) {
      return false;
    }
    const from = this.put(src, 0, src.length);
    const to = this.outputStart(src.length);
    if (this.module.snappyDecode(from, from + src.length, to, to + dst.length) !== 0) {
      return false;
    }
    dst.set(this.bytes.subarray(to, to + dst.length));
    return true;
  }

  snappyCompress(input: Uint8Array): Uint8Array | undefined {
    if (!this.reserve(input.length, snappyBound(input.length))) {
      return undefined;
    }
    const from = this.put(input, 0, input.length);
    const to = this.outputStart(input.length);
    return this.bytes.slice(to, to + this.module.snappyEncode(from, input.length, to));
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
      !this.reserve(srcEnd - srcStart, length)
    ) {
      return false;
    }
    const from = this.put(src, srcStart, srcEnd);
    const to = this.outputStart(srcEnd - srcStart);
    if (this.module.bitshuffleDecode(from, from + srcEnd - srcStart, to, count, size) !== 0) {
      return false;
    }
    dst.set(this.bytes.subarray(to, to + length), dstStart);
    return true;
  }

  bitshuffleEncode(input: Uint8Array, count: number, size: number): Uint8Array | undefined {
    const length = count * size;
    const chunks = Math.ceil(length / 8192);
    const bound = chunks * (4 + lz4Bound(8192));
    if (!isRange(input, 0, length) || !isShuffled(count, size) || !this.reserve(length, bound)) {
      return undefined;
    }
    const from = this.put(input, 0, length);
    const to = this.outputStart(length);
    return this.bytes.slice(to, to + this.module.bitshuffleEncode(from, count, size, to));
  }

  readOffsets(
    bytes: Uint8Array,
    start: number,
    count: number,
    first: number,
    last: number,
  ): Int32Array | undefined {
    const length = bytes.length - start;
    if (!isRange(bytes, start, bytes.length) || !this.reserve(length, 4 * (count + 1))) {
      return undefined;
    }
    const from = this.put(bytes, start, bytes.length);
    const to = this.outputStart(length);
    return this.module.readOffsets(from, from + length, count, first, last, to) === 0
      ? new Int32Array(this.memory.buffer, to, count + 1).slice()
      : undefined;
  }

  prefixDecode(
    block: Uint8Array,
    entriesStart: number,
    entriesEnd: number,
    count: number,
    interval: number,
    mostBytes: number,
  ): DecodedStrings | undefined {
    const offsetBytes = 4 * (count + 1);
    if (!isRange(block, entriesStart, entriesEnd) || !this.reserve(block.length, offsetBytes)) {
      return undefined;
    }
    const from = this.put(block, 0, block.length);
    const entries = from + entriesStart;
    const end = from + entriesEnd;
    const offsets = this.outputStart(block.length);
    const most = Math.min(mostBytes, MAX_MEMORY);
    const total = this.module.prefixOffsets(from, entries, end, count, interval, most, offsets);
    if (total < 0 || !this.reserve(block.length, offsetBytes + total)) {
      return undefined;
    }
    const data = offsets + offsetBytes;
    this.module.prefixValues(entries, end, count, offsets, data);
    return {
      offsets: new Int32Array(this.memory.buffer, offsets, count + 1).slice(),
      data: this.bytes.slice(data, data + total),
    };
  }

  /** Makes room for input and output of these lengths; `false` when that is more than the module may take. */
  private reserve(input: number, output: number): boolean {
    const needed = this.base + input + output + 2 * MARGIN + 32;
    if (!(needed <= MAX_MEMORY)) {
      return false;
    }
    if (needed > this.bytes.length) {
      try {
        this.memory.grow(Math.ceil((needed - this.bytes.length) / PAGE));
      } catch {
        return false;
      }
      this.bytes = new Uint8Array(this.memory.buffer);
    }
    return true;
  }

  private put(source: Uint8Array, start: number, end: number): number {
    this.bytes.set(source.subarray(start, end), this.base);
    return this.base;
  }

  private outputStart(inputLength: number): number {
    return (this.base + inputLength + MARGIN + 15) & ~15;
  }
}

function isRange(bytes: Uint8Array, start: number, end: number): boolean {
  return start >= 0 && start <= end && end <= bytes.length;
}

function isShuffled(count: number, size: number): boolean {
  return Number.isSafeInteger(count) && count >= 0 && count % 8 === 0 && [1, 2, 4, 8, 16].includes(size);
}
