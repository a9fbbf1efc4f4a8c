/**
 * Size, key count and hash functions of Bloom filters (docs/spec/bloomfile.md#6-sizing-formulas). The results determine the
 * bytes of a file, so the arithmetic is exactly Kudu's, including its rounded ln 2.
 */
import { invalidOption } from "@cfile/bytes";

/** Not `Math.LN2`: Kudu uses these five digits. */
const LN2 = 69_314 / 100_000;

/** Kudu's default, a C++ `float` widened to a double: 9.999999747378752e-5. */
export const DEFAULT_FALSE_POSITIVE_RATE: number = /* @__PURE__ */ Math.fround(0.0001);

/** Kudu's default size of a filter's bit array in bytes. */
export const DEFAULT_FILTER_BYTES = 4096;

/** Maximum bytes of a filter: bit positions are 32 bits wide. */
export const MAX_FILTER_BYTES: number = 2 ** 29;

/** The size of a filter and its derived parameters. */
export interface BloomSizing {
  /** Bytes of the bit array. */
  readonly filterBytes: number;
  /** Capacity in keys; a writer starts a new filter when it is reached. */
  readonly expectedKeys: number;
  /** Bits set and tested per key, at least 1. */
  readonly hashCount: number;
  /** Expected false positive rate of a full filter, 0 to 1. */
  readonly falsePositiveRate: number;
}

/**
 * A filter of the given size, with the capacity that `falsePositiveRate` allows. Kudu sizes Bloom files this way.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` unless `filterBytes` is 1 to 2^29, the rate is between 0 and 1, and the number
 *   of keys a safe integer
 */
export function bloomSizingByBytes(
  filterBytes: number = DEFAULT_FILTER_BYTES,
  falsePositiveRate: number = DEFAULT_FALSE_POSITIVE_RATE,
): BloomSizing {
  checkRate(falsePositiveRate);
  const bits = 8 * filterBytes;
  return sizing(filterBytes, Math.ceil((-bits * LN2 * LN2) / Math.log(falsePositiveRate)));
}

/**
 * A filter of the given capacity, with the size that `falsePositiveRate` requires.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` unless `expectedKeys` is a positive integer, the rate is between 0 and 1, and
 *   the filter has 1 to 2^29 bytes
 */
export function bloomSizingByCount(
  expectedKeys: number,
  falsePositiveRate: number = DEFAULT_FALSE_POSITIVE_RATE,
): BloomSizing {
  checkRate(falsePositiveRate);
  const bits = (-expectedKeys * Math.log(falsePositiveRate)) / LN2 / LN2;
  return sizing(Math.ceil(bits / 8), expectedKeys);
}

function sizing(filterBytes: number, expectedKeys: number): BloomSizing {
  checkExpectedKeys(expectedKeys);
  checkFilterBytes(filterBytes);
  const bits = 8 * filterBytes;
  const hashCount = Math.max(1, Math.trunc((bits * LN2) / expectedKeys));
  const falsePositiveRate = (1 - Math.exp((-hashCount * expectedKeys) / bits)) ** hashCount;
  return { filterBytes, expectedKeys, hashCount, falsePositiveRate };
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` unless it is a positive integer */
export function checkExpectedKeys(expectedKeys: number): void {
  if (!(Number.isSafeInteger(expectedKeys) && expectedKeys >= 1)) {
    throw invalidOption("expectedKeys", expectedKeys, "an integer >= 1");
  }
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` unless it is 1 to 2^29 */
export function checkFilterBytes(filterBytes: number): void {
  if (!(Number.isInteger(filterBytes) && filterBytes >= 1 && filterBytes <= MAX_FILTER_BYTES)) {
    throw invalidOption("filterBytes", filterBytes, `an integer from 1 to ${MAX_FILTER_BYTES}`);
  }
}

function checkRate(falsePositiveRate: number): void {
  if (!(falsePositiveRate > 0 && falsePositiveRate < 1)) {
    throw invalidOption("falsePositiveRate", falsePositiveRate, "between 0 and 1");
  }
}
