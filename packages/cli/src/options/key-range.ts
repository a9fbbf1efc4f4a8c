/** The options of a range of keys: cells separated by commas, as in `given-cell.ts`; trailing cells can be omitted. */
import { DATA_TYPES } from "@cfile/encodings";
import type { NamedCondition } from "@cfile/encodings/conditions";
import type { KeyRange, RowSetColumn, RowSetSchema } from "@cfile/rowset";
import { invalidValue, text, type Values } from "../program/option.js";
import { csvList } from "./csv-list.js";
import { givenCellParser } from "./given-cell.js";

export const KEY_RANGE = {
  fromKey: text("KEY", "first key; separate columns with commas, the last ones may be left out"),
  toKey: text("KEY", "end of the keys, exclusive"),
  keyPrefix: text("KEY", "only keys with this prefix: TX,A for keys of TX whose next column starts with A"),
};

export type KeyRangeValues = Values<typeof KEY_RANGE>;

/** @throws UsageError naming the option for text that is not a key, or the start of one */
export function keyRange({ columns }: RowSetSchema, { fromKey, toKey }: KeyRangeValues): KeyRange {
  const keys = columns.filter(({ isKey }) => isKey);
  const parse = (option: string, given: string | undefined) =>
    given === undefined
      ? undefined
      : keyFields(option, keys, given).map(({ column, field }) => givenCellParser(option, column)(field));
  return { from: parse("--from-key", fromKey), to: parse("--to-key", toKey) };
}

/** The conditions of `--key-prefix` on the key columns: the last cell is a prefix, the others are whole. */
export function keyPrefixConditions(
  { columns }: RowSetSchema,
  { keyPrefix }: KeyRangeValues,
): NamedCondition[] {
  if (keyPrefix === undefined) {
    return [];
  }
  const option = "--key-prefix";
  const keys = columns.filter(({ isKey }) => isKey);
  const fields = keyFields(option, keys, keyPrefix);
  return fields.flatMap(({ column, field }, i): NamedCondition[] => {
    const isLast = i === fields.length - 1;
    const isText = DATA_TYPES[column.type].physical === "BINARY";
    if (isLast && field === "") {
      return [];
    }
    const value = givenCellParser(option, column)(field);
    return isLast && isText && (typeof value === "string" || value instanceof Uint8Array)
      ? [{ column: column.name, op: "prefix", value }]
      : [{ column: column.name, op: "=", value }];
  });
}

function keyFields(
  option: string,
  keys: readonly RowSetColumn[],
  given: string,
): { readonly column: RowSetColumn; readonly field: string }[] {
  const fields = keys.length === 1 ? [given] : csvList(option, given);
  return fields.map((field, i) => {
    const column = keys[i];
    if (column === undefined) {
      const names = keys.map(({ name }) => name).join(",");
      throw invalidValue(option, given, `expected at most ${keys.length} values: ${names}`);
    }
    return { column, field };
  });
}
