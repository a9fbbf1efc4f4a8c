/** The kernels in WebAssembly SIMD: those of reading, and those that only writing needs in a module and memory of their own. */
import { type BlockMemory, bitmapByteLength, copyBits, freshMemory } from "@cfile/bytes";
import type { PrefixEntries } from "./encode-kernels.js";
import { ENCODERS_WASM } from "./generated/encoders-wasm.js";
import { unlessForbidden } from "./kernel-choice.js";
import { aligned, bytesUnder, isRange, isShuffled, KernelsMemory, MARGIN } from "./kernels-memory.js";
import { type EncodersModule, startModule } from "./kernels-module.js";
import { SimdDecoders } from "./simd-decoders.js";
import { SimdWordTable } from "./simd-word-table.js";

/** Most bytes of LZ4 output for `length` bytes of input. */
function lz4Bound(length: number): number {
  return length + Math.floor(length / 255) + 16;
}

/** Most bytes of a chunk stream of `length` bytes of elements. */
function chunkStreamBound(length: number): number {
  return Math.ceil(length / 8192) * (4 + lz4Bound(8192));
}

/** Most bytes of Snappy output for `length` bytes of input. */
function snappyBound(length: number): number {
  return 32 + length + Math.floor(length / 6);
}

/** Words in as few bytes as the largest needs. */
export interface ShuffledWords {
  /** Bytes of each. */
  readonly size: number;
  readonly stream: Uint8Array;
}

/** Where a prefix block under construction stands. */
export interface PrefixState {
  /** The last value. */
  readonly last: Uint8Array;
  /** Bytes of the entries so far. */
  readonly entries: number;
  /** Bytes that entries may still take before the block is full. */
  readonly room: number;
  /** Whether there is no entry yet. */
  readonly isFirst: boolean;
  /** Entries before the next restart. */
  readonly untilRestart: number;
  readonly interval: number;
}

/** As of `SimdDecoders`, each method may decline; what it returns of its memory is valid until the next call. */
export class SimdKernels extends SimdDecoders {
  private readonly encoders: EncodersModule;
  private readonly encoderRoom: KernelsMemory;
  /** Tables that nobody uses at the moment. */
  private readonly tables: SimdWordTable[] = [];

  constructor() {
    super();
    const memory = new WebAssembly.Memory({ initial: 2 });
    this.encoders = startModule<EncodersModule>(ENCODERS_WASM, memory);
    this.encoderRoom = new KernelsMemory(memory, this.encoders.heapBase());
  }

  lz4Compress(input: Uint8Array): Uint8Array | undefined {
    if (!this.encoderRoom.reserve(input.length, lz4Bound(input.length))) {
      return undefined;
    }
    const from = this.encoderRoom.put(input, 0, input.length);
    const to = this.encoderRoom.outputStart(input.length);
    return this.encoderRoom.bytes.slice(to, to + this.encoders.lz4Encode(from, input.length, to));
  }

  snappyCompress(input: Uint8Array): Uint8Array | undefined {
    if (!this.encoderRoom.reserve(input.length, snappyBound(input.length))) {
      return undefined;
    }
    const from = this.encoderRoom.put(input, 0, input.length);
    const to = this.encoderRoom.outputStart(input.length);
    return this.encoderRoom.bytes.slice(to, to + this.encoders.snappyEncode(from, input.length, to));
  }

  bitTranspose(input: Uint8Array, output: Uint8Array, size: number, count: number): boolean {
    const length = count * size;
    const { encoderRoom: room } = this;
    if (
      !isRange(input, 0, length) ||
      !isRange(output, 0, length) ||
      !isShuffled(count, size) ||
      !room.reserve(length, length)
    ) {
      return false;
    }
    const from = room.put(input, 0, length);
    const to = room.outputStart(length);
    this.encoders.bitTranspose(from, count, size, to);
    output.set(room.bytes.subarray(to, to + length));
    return true;
  }

  bitshuffleEncode(input: Uint8Array, count: number, size: number): Uint8Array | undefined {
    const length = count * size;
    const { encoderRoom: room } = this;
    if (
      !isRange(input, 0, length) ||
      !isShuffled(count, size) ||
      !room.reserve(length, chunkStreamBound(length))
    ) {
      return undefined;
    }
    const from = room.put(input, 0, length);
    const to = room.outputStart(length);
    return room.bytes.subarray(to, to + this.encoders.bitshuffleEncode(from, count, size, to));
  }

  bitshuffleEncodeWords(input: Uint8Array, count: number): ShuffledWords | undefined {
    const length = 4 * count;
    const { encoderRoom: room } = this;
    if (
      !isRange(input, 0, length) ||
      !isShuffled(count, 4) ||
      !room.reserve(2 * (length + MARGIN), chunkStreamBound(length))
    ) {
      return undefined;
    }
    const from = room.put(input, 0, length);
    const narrow = room.outputStart(length);
    const to = room.outputStart(2 * (length + MARGIN));
    const size = this.encoders.narrowWords(from, count, narrow);
    const end = to + this.encoders.bitshuffleEncode(narrow, count, size, to);
    return { size, stream: room.bytes.subarray(to, end) };
  }

  writeOffsets(words: Int32Array, count: number): Uint8Array | undefined {
    const { encoderRoom: room } = this;
    // A selector for every four of up to four bytes.
    if (!(count >= 0 && count <= words.length && room.reserve(4 * count, 5 * count + 17))) {
      return undefined;
    }
    const from = room.put(bytesUnder(words), 0, 4 * count);
    const to = room.outputStart(4 * count);
    return room.bytes.subarray(to, to + this.encoders.writeOffsets(from, count, to));
  }

  gather(
    values: Uint8Array,
    validity: Uint8Array,
    from: number,
    to: number,
    width: number,
    memory: BlockMemory = freshMemory,
  ): ArrayBuffer | undefined {
    const { encoderRoom: room } = this;
    const rows = to - from;
    const bitmap = bitmapByteLength(rows);
    const length = rows * width;
    if (
      ![1, 2, 4, 8, 16].includes(width) ||
      !isRange(values, from * width, to * width) ||
      validity.length < bitmapByteLength(to) ||
      !room.reserve(length + 2 * MARGIN + bitmap, length)
    ) {
      return undefined;
    }
    const source = room.put(values, from * width, to * width);
    const bits = aligned(source + length + MARGIN);
    if (from % 8 === 0) {
      room.bytes.set(validity.subarray(from >>> 3, (from >>> 3) + bitmap), bits);
    } else {
      copyBits(validity, from, room.bytes, 8 * bits, rows);
    }
    const target = room.outputStart(length + 2 * MARGIN + bitmap);
    return room.copyOut(target, this.encoders.gather(source, bits, rows, width, target), memory);
  }

  wordTable(): SimdWordTable | undefined {
    return this.tables.pop() ?? unlessForbidden(() => new SimdWordTable(this.tables));
  }

  prefixEncode(
    offsets: Int32Array,
    data: Uint8Array,
    from: number,
    to: number,
    state: PrefixState,
  ): PrefixEntries | undefined {
    const { encoderRoom: room } = this;
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
    const length = this.encoders.prefixEncode(
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
      taken: this.encoders.prefixTaken(),
      bytes: room.bytes.subarray(out, out + length),
      restarts: new Uint32Array(room.bytes.buffer, restartsAt, this.encoders.prefixRestarts()),
    };
  }
}
