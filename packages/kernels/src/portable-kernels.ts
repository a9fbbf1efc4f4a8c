/** The portable kernels: every method returns its argument. */
import { crc32, crc32c } from "@cfile/bytes";
import type { DecodeKernels } from "./decode-kernels.js";
import type { DigestKernels } from "./digest-kernels.js";
import type { EncodeKernels, Kernels } from "./encode-kernels.js";
import type { PageKernels } from "./page-kernels.js";
import type { RowKernels } from "./row-kernels.js";

function itself<T>(portable: T): T {
  return portable;
}

/** The portable loops for reading. */
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

/** The portable loops for writing. */
export const portableEncoders: EncodeKernels = {
  lz4Compress: itself,
  snappyCompress: itself,
  snappyCompressFast: itself,
  prefixEncode: itself,
  bitTranspose: itself,
  bitshuffleEncode: itself,
  writeOffsets: itself,
  gather: itself,
  wordLookup: itself,
};

/** All portable loops. Created by a call, so that bundlers can omit it from bundles with a single encoder. */
export const portableKernels: Kernels = /* @__PURE__ */ Object.assign({}, portableDecoders, portableEncoders);

/** The portable loops for row sets. */
export const portableRowKernels: RowKernels = {
  bloomProbe: itself,
  integerKeys: itself,
  integerDescent: itself,
  firstDescent: itself,
  countOnes: itself,
  deltaEntries: itself,
};

/** The portable loops for Parquet pages. */
export const portablePageKernels: PageKernels = {
  crc32: (bytes, previous) => crc32(bytes, 0, bytes.length, previous),
  isAscii: itself,
  integerBounds: itself,
  lengthPrefixed: itself,
  stringBounds: itself,
  bloomHashes: itself,
};

/** The portable loops for digests of rows. */
export const portableDigestKernels: DigestKernels = {
  hashStrings: itself,
  sumCells: itself,
};
