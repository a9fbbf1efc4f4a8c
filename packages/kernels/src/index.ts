/** @module @cfile/kernels: the interfaces of the hot loops, and their portable implementations. */
export type {
  BitshuffleDecoder,
  BitTransposition,
  CodedRows,
  DecodedCodes,
  DecodedStrings,
  DecodeKernels,
  DictionaryGather,
  Expand,
  KernelChoice,
  PrefixDecode,
  ReadOffsets,
  RleDecode,
  Scatter,
  ShuffledElements,
  StoredOffsets,
  StoredPrefixes,
  StoredRuns,
} from "./decode-kernels.js";
export type {
  BitshuffleEncoder,
  Compress,
  EncodeKernels,
  Gather,
  Kernels,
  PrefixEncode,
  PrefixEntries,
  PrefixEntriesTarget,
  PresentRows,
  WriteOffsets,
} from "./encode-kernels.js";
export {
  portableDecoders,
  portableEncoders,
  portableKernels,
  portablePageKernels,
  portableRowKernels,
} from "./portable-kernels.js";
export type { CodeTarget, HeldWords, WordLookup, WordStore, WordStrings } from "./word-table.js";
