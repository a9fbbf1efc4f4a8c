/** The SIMD kernels without portable ones: when they decline, the result is `undefined` or `false`. */
import { type BlockMemory, ByteBuilder, freshMemory } from "@cfile/bytes";
import type { DecodedCodes, DecodedStrings, ShuffledElements } from "../src/index.js";
import type { BloomHashes, HashStore, MinAndMax } from "../src/pages.js";
import type { DecodedDeltas } from "../src/rows.js";
import { SimdKernels } from "../src/simd/simd-kernels.js";
import { SimdPageKernels } from "../src/simd/simd-page-kernels.js";
import { SimdRowKernels } from "../src/simd/simd-row-kernels.js";

const DECLINED = new Error("declined");

function decline(): never {
  throw DECLINED;
}

function unlessDeclined<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error === DECLINED) {
      return undefined;
    }
    throw error;
  }
}

function isDone(run: () => void): boolean {
  return (
    unlessDeclined(() => {
      run();
      return true;
    }) === true
  );
}

/** Accepts any number of values, even if there are too few to be worth a copy. */
class AnyNumber extends SimdKernels {
  protected override readonly minRleValues = 0;
}

function elements(
  bytes: Uint8Array,
  start: number,
  end: number,
  count: number,
  elementSize: number,
): ShuffledElements {
  return { bytes, start, end, count, elementSize, decodeChunks: decline, decodeWords: decline };
}

export class KernelsAlone {
  private readonly simd = new AnyNumber();

  crc32c(bytes: Uint8Array, start: number, end: number): number {
    return this.simd.crc32c(bytes, start, end);
  }

  lz4Compress(input: Uint8Array): Uint8Array | undefined {
    return unlessDeclined(() => this.simd.lz4Compress(decline)(input));
  }

  lz4Decompress(
    src: Uint8Array,
    srcStart: number,
    srcEnd: number,
    dst: Uint8Array,
    dstStart: number,
    dstEnd: number,
  ): boolean {
    const expand = this.simd.lz4Decompress(decline);
    return isDone(() => expand(src.subarray(srcStart, srcEnd), dst.subarray(dstStart, dstEnd)));
  }

  snappyCompress(input: Uint8Array): Uint8Array | undefined {
    return unlessDeclined(() => this.simd.snappyCompress(decline)(input));
  }

  snappyCompressFast(input: Uint8Array): Uint8Array | undefined {
    return unlessDeclined(() => this.simd.snappyCompressFast(decline)(input));
  }

  snappyDecompress(input: Uint8Array, output: Uint8Array): boolean {
    return isDone(() => this.simd.snappyDecompress(decline)(input, output));
  }

  bitTranspose(input: Uint8Array, output: Uint8Array, size: number, count: number): boolean {
    return isDone(() => this.simd.bitTranspose(decline)(input, output, size, count));
  }

  bitUntranspose(input: Uint8Array, output: Uint8Array, size: number, count: number): boolean {
    return isDone(() => this.simd.bitUntranspose(decline)(input, output, size, count));
  }

  bitshuffleEncode(input: Uint8Array, count: number, size: number): Uint8Array | undefined {
    const out = new ByteBuilder();
    const encoder = this.simd.bitshuffleEncode({ encode: decline, encodeWords: decline });
    return isDone(() => encoder.encode(input, size, count, out)) ? out.finish() : undefined;
  }

  bitshuffleEncodeWords(input: Uint8Array, count: number): { size: number; stream: Uint8Array } | undefined {
    const out = new ByteBuilder();
    const encoder = this.simd.bitshuffleEncode({ encode: decline, encodeWords: decline });
    const size = unlessDeclined(() => encoder.encodeWords(input, count, out));
    return size === undefined ? undefined : { size, stream: out.finish() };
  }

  bitshuffleDecode(
    src: Uint8Array,
    srcStart: number,
    srcEnd: number,
    count: number,
    size: number,
    dst: Uint8Array,
    dstStart: number,
  ): boolean {
    const decoder = this.simd.bitshuffleDecode({ decodeAll: decline, decodeWords: decline });
    const stream = elements(src, srcStart, srcEnd, count, size);
    return isDone(() => decoder.decodeAll(stream, dst.subarray(dstStart)));
  }

  bitshuffleCodes(
    src: Uint8Array,
    srcStart: number,
    srcEnd: number,
    count: number,
    size: number,
    memory: BlockMemory = freshMemory,
  ): DecodedCodes | undefined {
    const decoder = this.simd.bitshuffleDecode({ decodeAll: decline, decodeWords: decline });
    return unlessDeclined(() => decoder.decodeWords(elements(src, srcStart, srcEnd, count, size), memory));
  }

  readOffsets(
    bytes: Uint8Array,
    start: number,
    count: number,
    first: number,
    last: number,
  ): Int32Array | undefined {
    const stored = { bytes, start, count, first, last };
    return unlessDeclined(() => this.simd.readOffsets(decline)(stored, freshMemory));
  }

  writeOffsets(words: Int32Array, count: number): Uint8Array | undefined {
    const out = new ByteBuilder();
    return isDone(() => this.simd.writeOffsets(decline)(words, count, out)) ? out.finish() : undefined;
  }

  prefixDecode(
    bytes: Uint8Array,
    entriesStart: number,
    entriesEnd: number,
    count: number,
    interval: number,
    maxDecodedBytes: number,
  ): DecodedStrings | undefined {
    const stored = {
      bytes,
      entriesStart,
      entriesEnd,
      count,
      interval,
      maxDecodedBytes,
      decodeEntries: decline,
    };
    return unlessDeclined(() => this.simd.prefixDecode(decline)(stored, freshMemory));
  }

  rleDecode(
    bytes: Uint8Array,
    start: number,
    end: number,
    width: number,
    skipped: number,
    count: number,
    memory: BlockMemory = freshMemory,
  ): ArrayBuffer | undefined {
    const runs = {
      bytes: bytes.subarray(0, end),
      width,
      seek: () => undefined,
      nextValue: () => ({ start, skipped }),
      leap: () => undefined,
      read: decline,
    };
    return unlessDeclined(() => this.simd.rleDecode(decline)(runs, 0, count, memory));
  }

  scatter(
    values: Uint8Array,
    validity: Uint8Array,
    rows: number,
    width: number,
    memory: BlockMemory = freshMemory,
  ): ArrayBuffer | undefined {
    return unlessDeclined(() => this.simd.scatter(decline)(values, validity, rows, width, memory));
  }

  gather(
    values: Uint8Array,
    validity: Uint8Array,
    from: number,
    to: number,
    width: number,
    memory: BlockMemory = freshMemory,
  ): ArrayBuffer | undefined {
    const rows = { validity, from, to, count: 0 };
    return unlessDeclined(() => this.simd.gather(decline)(values, rows, width, memory));
  }

  dictionaryGather(
    codes: Int32Array,
    offsets: Int32Array,
    data: Uint8Array,
    maxBytes: number,
    memory: BlockMemory = freshMemory,
  ): DecodedStrings | undefined {
    const dictionary = { offsets, data, length: offsets.length - 1 };
    const rows = { length: codes.length, codes, validity: undefined, dictionary };
    return unlessDeclined(() => this.simd.dictionaryGather(decline)(rows, maxBytes, memory));
  }
}

export class PagesAlone {
  private readonly simd = new SimdPageKernels();

  crc32(bytes: Uint8Array): number {
    return this.simd.crc32(bytes);
  }

  isAscii(bytes: Uint8Array): boolean | undefined {
    return unlessDeclined(() => this.simd.isAscii(decline)(bytes));
  }

  integerBounds(
    bytes: Uint8Array,
    width: number,
    isUnsigned: boolean,
  ): MinAndMax<number | bigint> | undefined {
    const integers = { values: [], bytes, width, isUnsigned };
    return unlessDeclined(() => this.simd.integerBounds(decline)(integers));
  }

  lengthPrefixed(offsets: Int32Array, data: Uint8Array, from: number, to: number): Uint8Array | undefined {
    const out = new ByteBuilder();
    const strings = { offsets: offsets.subarray(from, to + 1), data };
    const append = this.simd.lengthPrefixed(decline);
    return isDone(() => append(strings, to - from, out)) ? out.finish() : undefined;
  }

  stringBounds(
    offsets: Int32Array,
    data: Uint8Array,
    from: number,
    to: number,
  ): MinAndMax<number> | undefined {
    const strings = { offsets: offsets.subarray(from, to + 1), data };
    const bounds = unlessDeclined(() => this.simd.stringBounds(decline)(strings, to - from));
    return bounds && { min: from + bounds.min, max: from + bounds.max };
  }

  bloomHashes(store: HashStore): BloomHashes {
    return this.simd.bloomHashes(store);
  }
}

export class RowsAlone {
  private readonly simd = new SimdRowKernels();

  integerKeys(values: Uint8Array, width: number, flip: number, target: Uint8Array): number | undefined {
    return unlessDeclined(() => this.simd.integerKeys(decline)(values, width, flip, target));
  }

  integerDescent(bytes: Uint8Array, width: number, isUnsigned: boolean): number | undefined {
    const integers = { values: [], bytes, width, isUnsigned };
    return unlessDeclined(() => this.simd.integerDescent(decline)(integers));
  }

  firstDescent(offsets: Int32Array, data: Uint8Array, count: number): number | undefined {
    return unlessDeclined(() => this.simd.firstDescent(decline)({ offsets, data }, count));
  }

  countOnes(bytes: Uint8Array): number | undefined {
    return unlessDeclined(() => this.simd.countOnes(decline)(bytes));
  }

  deltaEntries(
    offsets: Int32Array,
    data: Uint8Array,
    count: number,
    isBorrowed = false,
  ): DecodedDeltas | undefined {
    return unlessDeclined(() => this.simd.deltaEntries(decline)({ offsets, data }, count, isBorrowed));
  }
}
