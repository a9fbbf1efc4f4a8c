import type { KernelChoice } from "./decode-kernels.js";
import { chooser } from "./kernel-choice.js";
import { once } from "./once.js";
import { portableRowKernels } from "./portable-kernels.js";
import type {
  BloomProbe,
  CountOnes,
  DeltaEntries,
  FirstDescent,
  IntegerDescent,
  IntegerKeys,
  RowKernels,
} from "./row-kernels.js";
import { SimdRowKernels } from "./simd-row-kernels.js";

/** Fewer keys are not worth what a call costs. */
const FEWEST_KEYS = 8;

/**
 * The kernels that row sets need, for a choice.
 *
 * @throws CFileError as `chooseKernels`
 */
export const chooseRowKernels: (choice?: KernelChoice) => RowKernels = /* @__PURE__ */ chooser(
  () => portableRowKernels,
  () => simdRowKernels(new SimdRowKernels()),
);

function simdRowKernels(simd: SimdRowKernels): RowKernels {
  return {
    bloomProbe: once<BloomProbe>((portable) => (filter, keys, range, answers, at) => {
      const { from, to } = range;
      if (to - from < FEWEST_KEYS || simd.bloomProbe(filter, keys, from, to, answers, at) === undefined) {
        portable(filter, keys, range, answers, at);
      }
    }),
    integerKeys: once<IntegerKeys>(
      (portable) => (values, width, flip, target) =>
        simd.integerKeys(values, width, flip, target) ?? portable(values, width, flip, target),
    ),
    integerDescent: once<IntegerDescent>(
      (portable) => (integers) =>
        simd.integerDescent(integers.bytes, integers.width, integers.isUnsigned) ?? portable(integers),
    ),
    firstDescent: once<FirstDescent>(
      (portable) => (strings, count) =>
        simd.firstDescent(strings.offsets, strings.data, count) ?? portable(strings, count),
    ),
    countOnes: once<CountOnes>((portable) => (bytes) => simd.countOnes(bytes) ?? portable(bytes)),
    deltaEntries: once<DeltaEntries>(
      (portable) => (values, count, isBorrowed) =>
        simd.deltaEntries(values.offsets, values.data, count, isBorrowed) ??
        portable(values, count, isBorrowed),
    ),
  };
}
