/** The kernels of reading in SIMD, complete: what the module declines goes to the portable implementation. */
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
} from "./decode-kernels.js";
import { once } from "./once.js";
import type { SimdDecoders } from "./simd-decoders.js";

/** Fewer values of an RLE stream are not worth the copies. */
const FEWEST_RLE_VALUES = 256;

export function simdDecodeKernels(simd: SimdDecoders): DecodeKernels {
  return {
    crc32c: (bytes, start, end) => simd.crc32c(bytes, start, end) ?? crc32c(bytes, start, end),
    lz4Decompress: once<Expand>((portable) => (input, output) => {
      if (!simd.lz4Decompress(input, 0, input.length, output, 0, output.length)) {
        portable(input, output);
      }
    }),
    snappyDecompress: once<Expand>((portable) => (input, output) => {
      if (!simd.snappyDecompress(input, output)) {
        portable(input, output);
      }
    }),
    bitUntranspose: once<BitTransposition>((portable) => (input, output, size, count) => {
      if (!simd.bitUntranspose(input, output, size, count)) {
        portable(input, output, size, count);
      }
    }),
    bitshuffleDecode: once<BitshuffleDecoder>((portable) => ({
      decodeAll(stream, output) {
        const { bytes, start, end, count, elementSize } = stream;
        if (!simd.bitshuffleDecode(bytes, start, end, count, elementSize, output, 0)) {
          portable.decodeAll(stream, output);
        }
      },
      decodeWords(stream, memory) {
        const { bytes, start, end, count, elementSize } = stream;
        return (
          simd.bitshuffleCodes(bytes, start, end, count, elementSize, memory) ??
          portable.decodeWords(stream, memory)
        );
      },
    })),
    readOffsets: once<ReadOffsets>((portable) => (stored, memory) => {
      const { bytes, start, count, first, last } = stored;
      return simd.readOffsets(bytes, start, count, first, last, memory) ?? portable(stored, memory);
    }),
    prefixDecode: once<PrefixDecode>((portable) => (stored, memory) => {
      const { bytes, entriesStart, entriesEnd, count, interval, maxDecodedBytes } = stored;
      return (
        simd.prefixDecode(bytes, entriesStart, entriesEnd, count, interval, maxDecodedBytes, memory) ??
        portable(stored, memory)
      );
    }),
    rleDecode: once<RleDecode>((portable) => (runs, from, count, memory) => {
      if (count < FEWEST_RLE_VALUES) {
        return portable(runs, from, count, memory);
      }
      runs.seek(from);
      const { start, end, skipped } = runs.span(count);
      return (
        simd.rleDecode(runs.bytes, start, end, runs.width, skipped, count, memory) ??
        portable(runs, from, count, memory)
      );
    }),
    scatter: once<Scatter>(
      (portable) => (values, validity, rows, width, memory) =>
        simd.scatter(values, validity, rows, width, memory) ??
        portable(values, validity, rows, width, memory),
    ),
    dictionaryGather: once<DictionaryGather>((portable) => (rows, mostBytes, memory) => {
      const { codes, dictionary, validity } = rows;
      const { data, offsets } = dictionary;
      return (
        (validity === undefined
          ? simd.dictionaryGather(codes, offsets, data, mostBytes, memory)
          : undefined) ?? portable(rows, mostBytes, memory)
      );
    }),
  };
}
