/** All kernels in SIMD, complete: what the modules decline goes to the portable implementation. */
import type { BitTransposition } from "./decode-kernels.js";
import type {
  BitshuffleEncoder,
  Compress,
  Gather,
  Kernels,
  PrefixEncode,
  WriteOffsets,
} from "./encode-kernels.js";
import { once } from "./once.js";
import { simdDecodeKernels } from "./simd-decode-kernels.js";
import type { SimdKernels } from "./simd-kernels.js";
import { SimdWordLookup } from "./simd-word-lookup.js";

/** Fewer strings are not worth the copies. */
const FEWEST_STRINGS = 32;

export function simdEncodeKernels(simd: SimdKernels): Kernels {
  return {
    ...simdDecodeKernels(simd),
    lz4Compress: once<Compress>((portable) => (input) => simd.lz4Compress(input) ?? portable(input)),
    snappyCompress: once<Compress>((portable) => (input) => simd.snappyCompress(input) ?? portable(input)),
    prefixEncode: once<PrefixEncode>((portable) => (target, strings, from, to) => {
      const { lastValue: last, entryBytes: entries, blockSize, count, untilRestart, interval } = target;
      const state = {
        last,
        entries,
        room: blockSize - entries,
        isFirst: count === 0,
        untilRestart,
        interval,
      };
      const added =
        to - from < FEWEST_STRINGS || entries > blockSize
          ? undefined
          : simd.prefixEncode(strings.offsets, strings.data, from, to, state);
      return added === undefined ? portable(target, strings, from, to) : target.take(added, strings, from);
    }),
    bitTranspose: once<BitTransposition>((portable) => (input, output, size, count) => {
      if (!simd.bitTranspose(input, output, size, count)) {
        portable(input, output, size, count);
      }
    }),
    bitshuffleEncode: once<BitshuffleEncoder>((portable) => ({
      encode(input, size, count, out) {
        const stream = simd.bitshuffleEncode(input, count, size);
        if (stream === undefined) {
          portable.encode(input, size, count, out);
        } else {
          out.append(stream);
        }
      },
      encodeWords(input, count, out) {
        const words = simd.bitshuffleEncodeWords(input, count);
        if (words === undefined) {
          return portable.encodeWords(input, count, out);
        }
        out.append(words.stream);
        return words.size;
      },
    })),
    writeOffsets: once<WriteOffsets>((portable) => (words, count, out) => {
      const written = simd.writeOffsets(words, count);
      if (written === undefined) {
        portable(words, count, out);
      } else {
        out.append(written);
      }
    }),
    gather: once<Gather>(
      (portable) => (values, rows, width, memory) =>
        simd.gather(values, rows.validity, rows.from, rows.to, width, memory) ??
        portable(values, rows, width, memory),
    ),
    wordLookup: (portable) => new SimdWordLookup(portable, simd),
  };
}
