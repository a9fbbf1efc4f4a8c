/**
 * Short index keys that separate blocks and need not be in the file (docs/spec/hfile.md#7-index-blocks). They end with the maximum
 * timestamp and type, which precede all others.
 */
import { commonPrefixLength, concatBytes, equalBytes } from "@cfile/bytes";
import { TIMESTAMP_AND_TYPE } from "../cells/cell-batch.js";
import { rowEndOf } from "../cells/key-order.js";

const NONE = /* @__PURE__ */ new Uint8Array(0);
const FIRST_OF_ALL = /* @__PURE__ */ Uint8Array.of(0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);

/** A key after `last` and not after `first`, both complete keys; a copy. */
export function indexSeparator(last: Uint8Array, first: Uint8Array): Uint8Array {
  const parts = partsOf(first);
  for (const [i, left] of partsOf(last).entries()) {
    const right = parts[i] as Uint8Array;
    if (!equalBytes(left, right)) {
      return makeKey([...parts.slice(0, i), shortBetween(left, right)]);
    }
  }
  return first.slice();
}

/** Row, family and qualifier. */
function partsOf(key: Uint8Array): Uint8Array[] {
  const rowEnd = rowEndOf(key);
  const familyEnd = rowEnd + 1 + (key[rowEnd] as number);
  const qualifier = key.subarray(familyEnd, key.length - TIMESTAMP_AND_TYPE);
  return [key.subarray(2, rowEnd), key.subarray(rowEnd + 1, familyEnd), qualifier];
}

/** `right` up to the first byte that differs from `left`; that byte is replaced by `left`'s plus 1 if this is less. */
function shortBetween(left: Uint8Array, right: Uint8Array): Uint8Array {
  const common = commonPrefixLength(left, right);
  const short = right.slice(0, common + 1);
  if (common < left.length && (left[common] as number) + 1 < (right[common] as number)) {
    short[common] = (left[common] as number) + 1;
  }
  return short;
}

function makeKey([row = NONE, family = NONE, qualifier = NONE]: readonly Uint8Array[]): Uint8Array {
  const rowLength = Uint8Array.of(row.length >>> 8, row.length);
  return concatBytes([rowLength, row, Uint8Array.of(family.length), family, qualifier, FIRST_OF_ALL]);
}
