/**
 * How large a Bloom filter is, for how many keys, with how many hash functions (docs/spec/bloomfile.md#6-sizing-formulas). The
 * results decide the bytes of a file, so the arithmetic is Kudu's to the digit, its rounded ln 2 included.
 */
import { invalidArgument } from "@cfile/bytes";

/** Not `Math.LN2`: Kudu has these five digits. */
const LN2 = 69_314 / 100_000;

/** Kudu's default, a C++ `float` widened to a double: 9.999999747378752e-5. */
export const DEFAULT_FALSE_POSITIVE_RATE: number = /* @__PURE__ */ Math.fround(0.0001);

/** Kudu's default bytes of a filter's bit array. */
export const DEFAULT_FILTER_BYTES = 4096;

/** Positions are 32 bits wide, so larger filters could not be addressed. */
export const MAX_FILTER_BYTES: number = 2 ** 29;

/** The size of one filter and what follows from it; see docs/spec/bloomfile.md#6-sizing-formulas. */
export interface BloomSizing {
  /** Bytes of the bit array. */
  readonly filterBytes: number;
  /** Keys the filter is made for; a writer closes it when it has taken so many. */
  readonly expectedKeys: number;
  /** Bits that are set and tested for a key, at least 1. */
  readonly hashCount: number;
  /** What the filter is expected to answer wrongly for absent keys once it has its keys, 0 to 1. */
  readonly falsePositiveRate: number;
}

/**
 * A filter of the given size, for as many keys as `falsePositiveRate` allows. This is how Kudu sizes Bloom files.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` unless `filterBytes` is 1 to 2^29, the rate is between 0 and 1, and the number
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
 * A filter for the given number of keys, as large as `falsePositiveRate` demands.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` unless `expectedKeys` is a positive integer, the rate is between 0 and 1, and
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
  return {
    filterBytes,
    expectedKeys,
    hashCount,
    falsePositiveRate: (1 - Math.exp((-hashCount * expectedKeys) / bits)) ** hashCount,
  };
}

/** @throws CFileError `E_INVALID_ARGUMENT` unless a filter can be for so many keys */
export function checkExpectedKeys(expectedKeys: number): void {
  if (!(Number.isSafeInteger(expectedKeys) && expectedKeys >= 1)) {
    throw invalidArgument(`a filter for ${expectedKeys} keys; a positive integer is expected`, {
      field: "expectedKeys",
      actual: String(expectedKeys),
    });
  }
}

/** @throws CFileError `E_INVALID_ARGUMENT` unless the filter can be addressed */
export function checkFilterBytes(filterBytes: number): void {
  if (!(Number.isInteger(filterBytes) && filterBytes >= 1 && filterBytes <= MAX_FILTER_BYTES)) {
    throw invalidArgument(`a filter of ${filterBytes} bytes; 1 to ${MAX_FILTER_BYTES} are possible`, {
      field: "filterBytes",
      actual: String(filterBytes),
    });
  }
}

function checkRate(falsePositiveRate: number): void {
  if (!(falsePositiveRate > 0 && falsePositiveRate < 1)) {
    throw invalidArgument(`the false positive rate is ${falsePositiveRate}, between 0 and 1 is expected`, {
      field: "falsePositiveRate",
      actual: String(falsePositiveRate),
    });
  }
}
