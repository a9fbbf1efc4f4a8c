/** The options of a range of keys: cells with commas between, as in `given-cell.ts`, of which the last ones may be left out. */

import { printable } from "@cfile/cell-text";
import { DATA_TYPES } from "@cfile/encodings";
import type { NamedCondition } from "@cfile/encodings/conditions";
import type { KeyRange, RowSetColumn, RowSetSchema } from "@cfile/rowset";
import { UsageError } from "../program/exit-code.js";
import { csvList } from "./csv-list.js";
import { givenCellParser } from "./given-cell.js";
import { given } from "./options.js";

export const KEY_RANGE_FLAGS = {
  "from-key": {
    type: "string",
    requiresArg: true,
    describe: "first key, of several columns with commas between; the last ones may be left out",
  },
  "to-key": { type: "string", requiresArg: true, describe: "the first key not included" },
  "key-prefix": {
    type: "string",
    requiresArg: true,
    describe: "only keys that begin so, as they are written: TX,A for those of TX that begin with A",
  },
} as const;

export interface KeyRangeFlags {
  readonly fromKey?: string | undefined;
  readonly toKey?: string | undefined;
  readonly keyPrefix?: string | undefined;
}

/** The name of one of these options that is given. */
export function givenKeyRangeFlag({ fromKey, toKey, keyPrefix }: KeyRangeFlags): string | undefined {
  const flags = { "--from-key": fromKey, "--to-key": toKey, "--key-prefix": keyPrefix };
  return Object.entries(flags).find(([, text]) => text !== undefined)?.[0];
}

/** @throws UsageError naming the option for what is no key, or not the beginning of one */
export function keyRange({ columns }: RowSetSchema, { fromKey, toKey }: KeyRangeFlags): KeyRange {
  const keys = columns.filter(({ isKey }) => isKey);
  const parse = (option: string) => (text: string) =>
    keyFields(option, keys, text).map(({ column, field }) => givenCellParser(option, column)(field));
  return { from: given(fromKey, parse("--from-key")), to: given(toKey, parse("--to-key")) };
}

/** What `--key-prefix` says of the key columns: the last cell is the beginning of one, the others are whole. */
export function keyPrefixConditions(
  { columns }: RowSetSchema,
  { keyPrefix }: KeyRangeFlags,
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
  text: string,
): { readonly column: RowSetColumn; readonly field: string }[] {
  const fields = keys.length === 1 ? [text] : csvList(option, text);
  return fields.map((field, i) => {
    const column = keys[i];
    if (column === undefined) {
      const names = keys.map(({ name }) => name).join(",");
      throw new UsageError(`${option}: "${printable(text)}" has more cells than a key: ${names}`);
    }
    return { column, field };
  });
}
