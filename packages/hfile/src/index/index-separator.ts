/**
 * Short index keys that separate blocks and need not be in the file (docs/spec/hfile.md#7-index-blocks). They end with the maximum
 * timestamp and type, which precede all others.
 */
import { commonPrefixLength, equalBytes } from "@cfile/bytes";
import { TIMESTAMP_AND_TYPE } from "../cells/cell-batch.js";
import { rowEndOf } from "../cells/key-order.js";

const FIRST_OF_ALL = /* @__PURE__ */ Uint8Array.of(0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);

/** Both keys whole; the result is a copy. */
export function indexSeparator(last: Uint8Array, first: Uint8Array): Uint8Array {
  const [lastRow, lastFamily, lastQualifier] = partsOf(last);
  const [row, family, qualifier] = partsOf(first);
  const none = new Uint8Array(0);
  if (!equalBytes(lastRow, row)) {
    return makeKey(shortBetween(lastRow, row), none, none);
  }
  if (!equalBytes(lastFamily, family)) {
    return makeKey(row, shortBetween(lastFamily, family), none);
  }
  if (!equalBytes(lastQualifier, qualifier)) {
    return makeKey(row, family, shortBetween(lastQualifier, qualifier));
  }
  return first.slice();
}

function partsOf(key: Uint8Array): [Uint8Array, Uint8Array, Uint8Array] {
  const rowEnd = rowEndOf(key);
  const familyEnd = rowEnd + 1 + (key[rowEnd] as number);
  return [
    key.subarray(2, rowEnd),
    key.subarray(rowEnd + 1, familyEnd),
    key.subarray(familyEnd, key.length - TIMESTAMP_AND_TYPE),
  ];
}

/** Up to the first byte that differs; of `left`, raised by one, when that is still below `right`. */
function shortBetween(left: Uint8Array, right: Uint8Array): Uint8Array {
  const common = commonPrefixLength(left, right);
  const short = right.slice(0, common + 1);
  if (common < left.length && (left[common] as number) + 1 < (right[common] as number)) {
    short[common] = (left[common] as number) + 1;
  }
  return short;
}

function makeKey(row: Uint8Array, family: Uint8Array, qualifier: Uint8Array): Uint8Array {
  const key = new Uint8Array(3 + row.length + family.length + qualifier.length + TIMESTAMP_AND_TYPE);
  key[0] = row.length >>> 8;
  key[1] = row.length;
  key.set(row, 2);
  key[2 + row.length] = family.length;
  key.set(family, 3 + row.length);
  key.set(qualifier, 3 + row.length + family.length);
  key.set(FIRST_OF_ALL, key.length - TIMESTAMP_AND_TYPE);
  return key;
}
