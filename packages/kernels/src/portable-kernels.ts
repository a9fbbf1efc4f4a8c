/** The portable kernels: every loop as the package has it that brings it along. */
import { crc32, crc32c } from "@cfile/bytes";
import type { DecodeKernels } from "./decode-kernels.js";
import type { EncodeKernels, Kernels } from "./encode-kernels.js";
import { itself } from "./once.js";
import type { PageKernels } from "./page-kernels.js";
import type { RowKernels } from "./row-kernels.js";

/** The portable loops of reading. */
export const portableDecoders: DecodeKernels = {
  crc32c,
  lz4Decompress: itself,
  snappyDecompress: itself,
  bitUntranspose: itself,
  bitshuffleDecode: itself,
  readOffsets: itself,
  prefixDecode: itself,
  rleDecode: itself,
  scatter: itself,
  dictionaryGather: itself,
};

/** The portable loops of writing. */
export const portableEncoders: EncodeKernels = {
  lz4Compress: itself,
  snappyCompress: itself,
  prefixEncode: itself,
  bitTranspose: itself,
  bitshuffleEncode: itself,
  writeOffsets: itself,
  gather: itself,
  wordLookup: itself,
};

/** All portable loops of reading and writing. Made by a call, so that bundles of a single encoder leave it and its decoders out. */
export const portableKernels: Kernels = /* @__PURE__ */ both();

function both(): Kernels {
  return { ...portableDecoders, ...portableEncoders };
}

/** The portable loops of row sets. */
export const portableRowKernels: RowKernels = {
  bloomProbe: itself,
  integerKeys: itself,
  integerDescent: itself,
  firstDescent: itself,
  countOnes: itself,
  deltaEntries: itself,
};

/** The portable loops of Parquet pages. */
export const portablePageKernels: PageKernels = {
  crc32,
  isAscii: itself,
  integerBounds: itself,
  lengthPrefixed: itself,
  stringBounds: itself,
};
