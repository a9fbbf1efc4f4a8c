/**
 * The key range that conditions on key columns imply: equalities on the first key columns and bounds on the next one. Rows in it
 * are found through the key index, without reading a column.
 */
import { compareBytes } from "@cfile/bytes";
import type { CellValue } from "@cfile/encodings";
import type { ColumnCondition } from "@cfile/encodings/conditions";
import { afterPrefix } from "@cfile/encodings/keys";
import { keyColumns, type RowSetColumn, type RowSetSchema } from "../schema/schema.js";
import {
  type EncodedRange,
  encodeKeyPrefix,
  isWhole,
  type KeyRange,
  keyAfter,
  type RowKey,
} from "./row-key.js";

/** A checked condition on a column of the schema. */
export type RowSetCondition = ColumnCondition<RowSetColumn>;

export interface KeyConditions {
  readonly range: EncodedRange;
  /** The only key that can match, if there is one: the Bloom file can rule it out. */
  readonly only: Uint8Array | undefined;
  /** The conditions that the range does not imply. */
  readonly rest: readonly RowSetCondition[];
}

const NO_KEYS: EncodedRange = /* @__PURE__ */ Object.freeze({ to: /* @__PURE__ */ new Uint8Array(0) });

/** @throws {CFileError} `E_INVALID_ARGUMENT` for keys that do not fit the schema */
export function keyConditions(
  schema: RowSetSchema,
  { from, to, prefix }: KeyRange,
  conditions: readonly RowSetCondition[],
): KeyConditions {
  let range: EncodedRange = {
    from: from && encodeKeyPrefix(schema, from),
    to: to && encodeKeyPrefix(schema, to),
  };
  if (prefix !== undefined) {
    range = intersect(range, keysWith(schema, prefix));
  }
  const implied = new Set<RowSetCondition>();
  const equal: CellValue[] = [];
  for (const { id } of keyColumns(schema)) {
    const own = conditions.filter(({ column }) => column.id === id);
    const equality = own.find(({ op, cells }) => op === "=" || (op === "in" && cells.length === 1));
    if (equality === undefined) {
      for (const condition of own) {
        const bounds = boundsOf(schema, equal, condition);
        if (bounds !== undefined) {
          range = intersect(range, bounds);
          implied.add(condition);
        }
      }
      break;
    }
    implied.add(equality);
    equal.push(equality.cells[0] ?? null);
  }
  if (equal.length > 0) {
    range = intersect(range, keysWith(schema, equal));
  }
  const only = [equal, prefix].find((key) => key !== undefined && isWhole(schema, key));
  return {
    range,
    only: only && encodeKeyPrefix(schema, only),
    rest: conditions.filter((condition) => !implied.has(condition)),
  };
}

function keysWith(schema: RowSetSchema, prefix: RowKey): EncodedRange {
  return { from: encodeKeyPrefix(schema, prefix), to: keyAfter(schema, prefix) };
}

/** The key range of a condition on the key column after the `equal` cells; `undefined` when it is not a range. */
function boundsOf(
  schema: RowSetSchema,
  equal: readonly CellValue[],
  { op, cells }: RowSetCondition,
): EncodedRange | undefined {
  const key = [...equal, cells[0] ?? null];
  switch (op) {
    case "<":
      return { to: encodeKeyPrefix(schema, key) };
    case "<=":
      return { to: keyAfter(schema, key) };
    case ">": {
      const from = keyAfter(schema, key);
      return from === undefined ? NO_KEYS : { from };
    }
    case ">=":
      return { from: encodeKeyPrefix(schema, key) };
    case "prefix": {
      const start = encodeKeyPrefix(schema, key);
      // Without the terminator of a string that is not the last key column.
      const from = isWhole(schema, key) ? start : start.subarray(0, start.length - 2);
      return { from, to: afterPrefix(from) };
    }
    default:
      return undefined;
  }
}

function intersect(left: EncodedRange, right: EncodedRange): EncodedRange {
  const fromRight = right.from !== undefined && (!left.from || compareBytes(left.from, right.from) < 0);
  const toRight = right.to !== undefined && (!left.to || compareBytes(left.to, right.to) > 0);
  return { from: fromRight ? right.from : left.from, to: toRight ? right.to : left.to };
}
