/**
 * What conditions on key columns say of the key as a whole: equalities on the first key columns and bounds on the one after
 * them are a range of keys, in which rows are found without reading a column.
 */

import { compareBytes } from "@cfile/bytes";
import type { CellValue } from "@cfile/encodings";
import type { ColumnCondition } from "@cfile/encodings/conditions";
import { afterPrefix } from "@cfile/encodings/keys";
import { keyColumns } from "../schema/check-schema.js";
import type { RowSetColumn, RowSetSchema } from "../schema/schema.js";
import { type EncodedRange, encodeKeyStart, type KeyRange, keyAfter } from "./row-key.js";

/** A condition, checked, on a column of the schema. */
export type RowSetCondition = ColumnCondition<RowSetColumn>;

export interface KeyConditions {
  readonly range: EncodedRange;
  /** The one key that fulfils the conditions, when there is but one: a Bloom file can be asked for it. */
  readonly only: Uint8Array | undefined;
  /** The conditions that the range does not say. */
  readonly rest: readonly RowSetCondition[];
}

const NO_KEYS: EncodedRange = /* @__PURE__ */ Object.freeze({ to: /* @__PURE__ */ new Uint8Array(0) });

/** @throws CFileError `E_INVALID_ARGUMENT` for keys that do not fit the schema */
export function keyConditions(
  schema: RowSetSchema,
  keys: KeyRange,
  conditions: readonly RowSetCondition[],
): KeyConditions {
  let range: EncodedRange = {
    from: keys.from && encodeKeyStart(schema, keys.from),
    to: keys.to && encodeKeyStart(schema, keys.to),
  };
  if (keys.prefix !== undefined) {
    range = intersect(range, {
      from: encodeKeyStart(schema, keys.prefix),
      to: keyAfter(schema, keys.prefix),
    });
  }
  const said = new Set<RowSetCondition>();
  const equal: CellValue[] = [];
  const columns = keyColumns(schema);
  for (const { id } of columns) {
    const own = conditions.filter(({ column }) => column.id === id);
    const equality = own.find(({ op, cells }) => op === "=" || (op === "in" && cells.length === 1));
    if (equality === undefined) {
      for (const condition of own) {
        const bounds = boundsOf(schema, equal, condition);
        if (bounds !== undefined) {
          range = intersect(range, bounds);
          said.add(condition);
        }
      }
      break;
    }
    said.add(equality);
    equal.push(equality.cells[0] ?? null);
  }
  if (equal.length > 0) {
    range = intersect(range, { from: encodeKeyStart(schema, equal), to: keyAfter(schema, equal) });
  }
  return {
    range,
    only: onlyKey(schema, equal) ?? onlyKey(schema, keys.prefix),
    rest: conditions.filter((condition) => !said.has(condition)),
  };
}

function onlyKey(schema: RowSetSchema, key: KeyRange["prefix"]): Uint8Array | undefined {
  const isWhole =
    key !== undefined && !(key instanceof Uint8Array) && key.length === keyColumns(schema).length;
  return isWhole ? encodeKeyStart(schema, key) : undefined;
}

/** The range of keys that a condition on the column behind the cells stands for; `undefined` where it is none. */
function boundsOf(
  schema: RowSetSchema,
  equal: readonly CellValue[],
  { op, cells }: RowSetCondition,
): EncodedRange | undefined {
  const key = [...equal, cells[0] ?? null];
  switch (op) {
    case "<":
      return { to: encodeKeyStart(schema, key) };
    case "<=":
      return { to: keyAfter(schema, key) };
    case ">": {
      const from = keyAfter(schema, key);
      return from === undefined ? NO_KEYS : { from };
    }
    case ">=":
      return { from: encodeKeyStart(schema, key) };
    case "prefix": {
      const start = withoutTerminator(schema, key);
      return { from: start, to: afterPrefix(start) };
    }
    default:
      return undefined;
  }
}

/** The beginning of all keys whose last given cell begins with the given one. */
function withoutTerminator(schema: RowSetSchema, key: readonly CellValue[]): Uint8Array {
  const start = encodeKeyStart(schema, key);
  return key.length < keyColumns(schema).length ? start.subarray(0, start.length - 2) : start;
}

function intersect(left: EncodedRange, right: EncodedRange): EncodedRange {
  return {
    from: later(left.from, right.from),
    to: earlier(left.to, right.to),
  };
}

function later(left: Uint8Array | undefined, right: Uint8Array | undefined): Uint8Array | undefined {
  return left === undefined || (right !== undefined && compareBytes(left, right) < 0) ? right : left;
}

function earlier(left: Uint8Array | undefined, right: Uint8Array | undefined): Uint8Array | undefined {
  return left === undefined || (right !== undefined && compareBytes(left, right) > 0) ? right : left;
}
