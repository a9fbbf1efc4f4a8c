import { crc32 } from "@cfile/bytes";
import type { KernelChoice } from "./decode-kernels.js";
import { chooser } from "./kernel-choice.js";
import { once } from "./once.js";
import type { AppendStrings, IntegerBounds, IsAscii, PageKernels, StringBounds } from "./page-kernels.js";
import { portablePageKernels } from "./portable-kernels.js";
import { SimdPageKernels } from "./simd-page-kernels.js";

/**
 * The kernels that pages of Parquet need, for a choice.
 *
 * @throws CFileError as `chooseKernels`
 */
export const choosePageKernels: (choice?: KernelChoice) => PageKernels = /* @__PURE__ */ chooser(
  () => portablePageKernels,
  () => simdPageKernels(new SimdPageKernels()),
);

function simdPageKernels(simd: SimdPageKernels): PageKernels {
  return {
    crc32: (bytes) => simd.crc32(bytes) ?? crc32(bytes),
    isAscii: once<IsAscii>((portable) => (bytes) => simd.isAscii(bytes) ?? portable(bytes)),
    integerBounds: once<IntegerBounds>((portable) => (integers) => {
      const { bytes, isUnsigned, width } = integers;
      const found = simd.integerBounds(bytes, width, isUnsigned);
      if (found === undefined) {
        return portable(integers);
      }
      const { least, greatest } = found;
      return width === 8 ? found : { least: Number(least), greatest: Number(greatest) };
    }),
    lengthPrefixed: once<AppendStrings>((portable) => (strings, count, out) => {
      const written = simd.lengthPrefixed(strings.offsets, strings.data, 0, count);
      if (written === undefined) {
        portable(strings, count, out);
      } else {
        out.append(written);
      }
    }),
    stringBounds: once<StringBounds>(
      (portable) => (strings, count) =>
        simd.stringBounds(strings.offsets, strings.data, 0, count) ?? portable(strings, count),
    ),
  };
}
