/**
 * The kernels for reading in WebAssembly SIMD (sources in `assembly/`). Bytes are copied into the module's memory, and results
 * out of it. The portable implementation handles input that is bad, too short to be worth a copy or too large.
 */
import { crc32c } from "@cfile/bytes";
import type {
  BitshuffleDecoder,
  BitTransposition,
  DecodeKernels,
  DictionaryGather,
  Expand,
  PrefixDecode,
  ReadOffsets,
  RleDecode,
  Scatter,
  ShuffledElements,
} from "../decode-kernels.js";
import { DECODERS_WASM } from "../generated/decoders-wasm.js";
import { once } from "../kernel-choice.js";
import {
  aligned,
  bytesUnder,
  isRange,
  isShuffled,
  type KernelsMemory,
  MARGIN,
  MAX_MEMORY,
  startModule,
} from "./kernels-memory.js";
import type { DecodersModule } from "./kernels-module.js";

/** Values of prefix blocks rarely exceed the size of the block by more than this factor. */
const LIKELY_EXPANSION = 8;

export class SimdDecoders implements DecodeKernels {
  /** Minimum number of values that is worth a copy; tests lower it. */
  protected readonly minRleValues: number = 256;
  private readonly decoders = startModule<DecodersModule>(DECODERS_WASM);

  readonly crc32c = (bytes: Uint8Array, start: number, end: number): number => {
    const { module, room } = this.decoders;
    return room.checksum(module.crc32c, bytes, start, end) ?? crc32c(bytes, start, end);
  };

  readonly lz4Decompress = once<Expand>((portable) =>
    expansion(this.decoders.room, this.decoders.module.lz4Decode, portable),
  );

  readonly snappyDecompress = once<Expand>((portable) =>
    expansion(this.decoders.room, this.decoders.module.snappyDecode, portable),
  );

  readonly bitUntranspose = once<BitTransposition>((portable) =>
    transposition(this.decoders.room, this.decoders.module.bitUntranspose, portable),
  );

  readonly bitshuffleDecode = once<BitshuffleDecoder>((portable) => ({
    decodeAll: (stream, output) => {
      const length = stream.count * stream.elementSize;
      const from = length > output.length ? -1 : this.unshuffle(stream, 0);
      if (from < 0) {
        portable.decodeAll(stream, output);
      } else {
        output.set(this.decoders.room.bytes.subarray(from, from + length));
      }
    },
    decodeWords: (stream, memory) => {
      const { count, elementSize } = stream;
      const { module, room } = this.decoders;
      const from = elementSize > 4 ? -1 : this.unshuffle(stream, MARGIN + 4 * count);
      if (from < 0) {
        return portable.decodeWords(stream, memory);
      }
      const wide = aligned(from + count * elementSize + MARGIN);
      const largest = module.widenCodes(from, count, elementSize, wide) >>> 0;
      return { codes: room.wordsOut(wide, count, memory), largest };
    },
  }));

  /** Decodes a stream in the module's memory, with room for `extra` bytes after it; returns the address, or -1 for a bad stream. */
  private unshuffle({ bytes, start, end, count, elementSize }: ShuffledElements, extra: number): number {
    const { module, room } = this.decoders;
    const input = end - start;
    if (
      !isRange(bytes, start, end) ||
      !isShuffled(count, elementSize) ||
      !room.reserve(input, count * elementSize + extra)
    ) {
      return -1;
    }
    const from = room.put(bytes, start, end);
    const to = room.outputStart(input);
    return module.bitshuffleDecode(from, from + input, to, count, elementSize) === 0 ? to : -1;
  }

  readonly readOffsets = once<ReadOffsets>((portable) => (stored, memory) => {
    const { module, room } = this.decoders;
    const { bytes, start, count, first, last } = stored;
    const length = bytes.length - start;
    if (isRange(bytes, start, bytes.length) && room.reserve(length, 4 * (count + 1))) {
      const from = room.put(bytes, start);
      const to = room.outputStart(length);
      if (module.readOffsets(from, from + length, count, first, last, to) === 0) {
        return room.wordsOut(to, count + 1, memory);
      }
    }
    return portable(stored, memory);
  });

  readonly prefixDecode = once<PrefixDecode>((portable) => (stored, memory) => {
    const { module, room } = this.decoders;
    const { bytes, entriesStart, entriesEnd, count, interval } = stored;
    const maxBytes = Math.min(stored.maxDecodedBytes, MAX_MEMORY);
    const offsetBytes = 4 * (count + 1) + MARGIN;
    let size = Math.min(maxBytes, LIKELY_EXPANSION * bytes.length);
    while (isRange(bytes, entriesStart, entriesEnd) && room.reserve(bytes.length, offsetBytes + size)) {
      const from = room.put(bytes);
      const offsets = room.outputStart(bytes.length);
      const data = aligned(offsets + offsetBytes);
      const [entries, end] = [from + entriesStart, from + entriesEnd];
      const total = module.prefixValues(from, entries, end, count, interval, maxBytes, offsets, data, size);
      if (total < 0) {
        break;
      }
      if (total <= size) {
        const values = new Uint8Array(room.copyOut(data, total, memory), 0, total);
        return { offsets: room.wordsOut(offsets, count + 1, memory), data: values };
      }
      // Repeatedly shared prefixes can expand to any number of bytes: decode again, with room for them.
      size = total;
    }
    return portable(stored, memory);
  });

  readonly rleDecode = once<RleDecode>((portable) => (runs, position, count, memory) => {
    const { module, room } = this.decoders;
    const { bytes, width } = runs;
    if (count >= this.minRleValues && [1, 8, 16, 32, 64].includes(width)) {
      runs.seek(position);
      const { start, skipped } = runs.nextValue();
      // Runs of writers take at most twice the bytes of their values: eight equal bits are two bytes.
      const input = bytes.subarray(start, start + ((skipped + count) * width) / 4 + MARGIN);
      const from = room.reserve(input.length, 0) ? room.put(input) : 0;
      const end = from + input.length;
      // A few bytes can claim any number of values: check the runs before reserving memory.
      const lastRun = from > 0 ? module.rleLastRun(from, end, width, skipped, count) : 0;
      const output = Math.ceil((count * width) / 8);
      if (lastRun > 0 && room.reserve(input.length, output)) {
        const to = room.outputStart(input.length);
        module.rleValues(from, end, width, skipped, count, to);
        runs.leap(count, start + lastRun - from, module.rleReached());
        return room.copyOut(to, output, memory);
      }
    }
    return portable(runs, position, count, memory);
  });

  readonly scatter = once<Scatter>((portable) => (values, validity, rows, width, memory) => {
    const { module, room } = this.decoders;
    const bitmap = Math.ceil(rows / 8);
    const input = values.length + 2 * MARGIN + bitmap;
    if ([1, 2, 4, 8, 16].includes(width) && validity.length >= bitmap && room.reserve(input, rows * width)) {
      const from = room.put(values);
      const bits = aligned(from + values.length + MARGIN);
      room.bytes.set(validity.subarray(0, bitmap), bits);
      const to = room.outputStart(input);
      if (module.scatter(from, from + values.length, bits, rows, width, to) === 0) {
        return room.copyOut(to, rows * width, memory);
      }
    }
    return portable(values, validity, rows, width, memory);
  });

  readonly dictionaryGather = once<DictionaryGather>((portable) => (rows, maxBytes, memory) => {
    const { module, room } = this.decoders;
    const max = Math.min(maxBytes, MAX_MEMORY);
    const { codes, dictionary, validity } = rows;
    const { data, offsets } = dictionary;
    const { length: count } = codes;
    const input = 4 * count + 4 * offsets.length + data.length + 3 * MARGIN;
    const offsetBytes = 4 * (count + 1);
    if (validity === undefined && offsets.length > 0 && room.reserve(input, offsetBytes)) {
      const codesAt = room.put(bytesUnder(codes));
      const startsAt = aligned(codesAt + 4 * count);
      room.bytes.set(bytesUnder(offsets), startsAt);
      const dataAt = aligned(startsAt + 4 * offsets.length);
      room.bytes.set(data, dataAt);
      const out = room.outputStart(input);
      const words = offsets.length - 1;
      const total = module.dictionaryOffsets(codesAt, count, startsAt, words, data.length, max, out);
      if (total >= 0 && room.reserve(input, offsetBytes + MARGIN + total)) {
        const valuesAt = aligned(out + offsetBytes);
        module.dictionaryValues(codesAt, count, startsAt, dataAt, valuesAt);
        const values = new Uint8Array(room.copyOut(valuesAt, total, memory), 0, total);
        return { offsets: room.wordsOut(out, count + 1, memory), data: values };
      }
    }
    return portable(rows, maxBytes, memory);
  });
}

function expansion(room: KernelsMemory, decode: DecodersModule["lz4Decode"], portable: Expand): Expand {
  return (input, output) => {
    if (room.reserve(input.length, output.length)) {
      const from = room.put(input);
      const to = room.outputStart(input.length);
      const end = to + output.length;
      if (decode(from, from + input.length, to, end) === 0) {
        output.set(room.bytes.subarray(to, end));
        return;
      }
    }
    portable(input, output);
  };
}

/** Transposes elements to rows, or rows to elements. */
export function transposition(
  room: KernelsMemory,
  transpose: DecodersModule["bitUntranspose"],
  portable: BitTransposition,
): BitTransposition {
  return (input, output, size, count) => {
    const length = count * size;
    if (
      isRange(input, 0, length) &&
      isRange(output, 0, length) &&
      isShuffled(count, size) &&
      room.reserve(length, length)
    ) {
      const from = room.put(input, 0, length);
      const to = room.outputStart(length);
      transpose(from, count, size, to);
      output.set(room.bytes.subarray(to, to + length));
    } else {
      portable(input, output, size, count);
    }
  };
}
