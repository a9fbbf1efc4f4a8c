/** All kernels in WebAssembly SIMD; those for writing have a separate module and memory. */
import { bitmapByteLength, copyBits, freshMemory } from "@cfile/bytes";
import type { BitTransposition } from "../decode-kernels.js";
import type {
  BitshuffleEncoder,
  Compress,
  Gather,
  Kernels,
  PrefixEncode,
  WriteOffsets,
} from "../encode-kernels.js";
import { ENCODERS_WASM } from "../generated/encoders-wasm.js";
import { once } from "../kernel-choice.js";
import type { WordLookup } from "../word-table.js";
import {
  aligned,
  bytesUnder,
  isRange,
  isShuffled,
  type KernelsMemory,
  MARGIN,
  startModule,
} from "./kernels-memory.js";
import type { EncodersModule } from "./kernels-module.js";
import { SimdDecoders, transposition } from "./simd-decoders.js";
import { SimdWordLookup } from "./simd-word-lookup.js";
import type { SimdWordTable } from "./simd-word-table.js";

/** Minimum number of strings that is worth a copy. */
const MIN_STRINGS = 32;

/** Maximum LZ4 output for `length` bytes of input. */
function lz4Bound(length: number): number {
  return length + Math.floor(length / 255) + 16;
}

/** Maximum chunk stream for `length` bytes of elements. */
function chunkStreamBound(length: number): number {
  return Math.ceil(length / 8192) * (4 + lz4Bound(8192));
}

/** Maximum Snappy output for `length` bytes of input. */
function snappyBound(length: number): number {
  return 32 + length + Math.floor(length / 6);
}

export class SimdKernels extends SimdDecoders implements Kernels {
  private readonly encoders = startModule<EncodersModule>(ENCODERS_WASM);
  /** Released tables, to be reused for other dictionaries. */
  private readonly tables: SimdWordTable[] = [];

  readonly lz4Compress = once<Compress>((portable) =>
    compression(this.encoders.room, this.encoders.module.lz4Encode, lz4Bound, portable),
  );

  readonly snappyCompress = once<Compress>((portable) =>
    compression(this.encoders.room, this.encoders.module.snappyEncode, snappyBound, portable),
  );

  readonly snappyCompressFast = once<Compress>((portable) =>
    compression(this.encoders.room, this.encoders.module.snappyEncodeFast, snappyBound, portable),
  );

  readonly bitTranspose = once<BitTransposition>((portable) =>
    transposition(this.encoders.room, this.encoders.module.bitTranspose, portable),
  );

  readonly bitshuffleEncode = once<BitshuffleEncoder>((portable) => {
    const { module, room } = this.encoders;
    return {
      encode(input, size, count, out) {
        const length = count * size;
        if (
          isRange(input, 0, length) &&
          isShuffled(count, size) &&
          room.reserve(length, chunkStreamBound(length))
        ) {
          const from = room.put(input, 0, length);
          const to = room.outputStart(length);
          out.append(room.bytes.subarray(to, to + module.bitshuffleEncode(from, count, size, to)));
        } else {
          portable.encode(input, size, count, out);
        }
      },
      encodeWords(input, count, out) {
        const length = 4 * count;
        const bound = chunkStreamBound(length);
        if (
          !isRange(input, 0, length) ||
          !isShuffled(count, 4) ||
          !room.reserve(2 * (length + MARGIN), bound)
        ) {
          return portable.encodeWords(input, count, out);
        }
        const from = room.put(input, 0, length);
        const narrow = room.outputStart(length);
        const to = room.outputStart(2 * (length + MARGIN));
        const size = module.narrowWords(from, count, narrow);
        out.append(room.bytes.subarray(to, to + module.bitshuffleEncode(narrow, count, size, to)));
        return size;
      },
    };
  });

  readonly writeOffsets = once<WriteOffsets>((portable) => (words, count, out) => {
    const { module, room } = this.encoders;
    // Four words take a selector and up to 16 bytes.
    if (count >= 0 && count <= words.length && room.reserve(4 * count, 5 * count + 17)) {
      const from = room.put(bytesUnder(words), 0, 4 * count);
      const to = room.outputStart(4 * count);
      out.append(room.bytes.subarray(to, to + module.writeOffsets(from, count, to)));
    } else {
      portable(words, count, out);
    }
  });

  readonly gather = once<Gather>((portable) => (values, present, width, memory) => {
    const { module, room } = this.encoders;
    const { validity, from, to } = present;
    const rows = to - from;
    const bitmap = bitmapByteLength(rows);
    const length = rows * width;
    const input = length + 2 * MARGIN + bitmap;
    if (
      ![1, 2, 4, 8, 16].includes(width) ||
      !isRange(values, from * width, to * width) ||
      validity.length < bitmapByteLength(to) ||
      !room.reserve(input, length)
    ) {
      return portable(values, present, width, memory);
    }
    const source = room.put(values, from * width, to * width);
    const bits = aligned(source + length + MARGIN);
    if (from % 8 === 0) {
      room.bytes.set(validity.subarray(from >>> 3, (from >>> 3) + bitmap), bits);
    } else {
      copyBits(validity, from, room.bytes, 8 * bits, rows);
    }
    const target = room.outputStart(input);
    return room.copyOut(target, module.gather(source, bits, rows, width, target), memory);
  });

  readonly prefixEncode = once<PrefixEncode>((portable) => (target, strings, from, to) => {
    const { module, room } = this.encoders;
    const { offsets, data } = strings;
    const { lastValue: last, entryBytes: entries, blockSize, interval, untilRestart } = target;
    const count = to - from;
    const start = offsets[from] ?? 0;
    const end = offsets[to] ?? -1;
    const input = 4 * (count + 1) + (end - start) + last.length + 3 * MARGIN;
    // An entry takes at most ten bytes more than its string, and its restart four more.
    const output = end - start + 14 * count + 2 * MARGIN;
    if (
      !(count >= MIN_STRINGS && entries <= blockSize && from >= 0) ||
      !isRange(data, start, end) ||
      !room.reserve(input, output)
    ) {
      return portable(target, strings, from, to);
    }
    const at = room.put(bytesUnder(offsets.subarray(from, to + 1)));
    const dataAt = aligned(at + 4 * (count + 1) + MARGIN);
    room.bytes.set(data.subarray(start, end), dataAt);
    const lastAt = aligned(dataAt + end - start + MARGIN);
    room.bytes.set(last, lastAt);
    const restartsAt = room.outputStart(input);
    const out = aligned(restartsAt + 4 * count + MARGIN);
    const length = module.prefixEncode(
      at,
      count,
      // The address that offset 0 would have.
      dataAt - start,
      end,
      lastAt,
      last.length,
      untilRestart,
      interval,
      target.count === 0 ? 1 : 0,
      entries,
      blockSize - entries,
      out,
      restartsAt,
    );
    if (length < 0) {
      return portable(target, strings, from, to);
    }
    const taken = module.prefixTaken();
    const bytes = room.bytes.subarray(out, out + length);
    const restarts = new Uint32Array(room.bytes.buffer, restartsAt, module.prefixRestarts());
    return target.take({ taken, bytes, restarts }, strings, from);
  });

  readonly wordLookup = (portable: WordLookup): WordLookup => new SimdWordLookup(portable, this.tables);
}

function compression(
  room: KernelsMemory,
  encode: EncodersModule["lz4Encode"],
  bound: (length: number) => number,
  portable: Compress,
): Compress {
  return (input, memory = freshMemory) => {
    const { length } = input;
    if (!room.reserve(length, bound(length))) {
      return portable(input);
    }
    const from = room.put(input);
    const to = room.outputStart(length);
    const written = encode(from, length, to);
    return new Uint8Array(room.copyOut(to, written, memory), 0, written);
  };
}
