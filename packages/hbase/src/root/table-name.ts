/**
 * Names of tables: `TABLE` in the namespace `default`, else `NAMESPACE:TABLE`. Paths always have the namespace
 * (docs/spec/hbase-table.md#1-root-directory).
 */
import { CFileError, corrupt } from "@cfile/bytes";
import type { TableNameMessage } from "../generated/decode.js";

export const DEFAULT_NAMESPACE = "default";

/** The two parts of a table's name. */
export interface TableName {
  readonly namespace: string;
  readonly table: string;
}

/** Letters, digits, `_`, `-` and `.`; without a leading `.`, a name cannot lead out of its folder. */
const PART = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u;

/** Whether the text can be the name of a table, a namespace, a family's folder or a snapshot. */
export function isNamePart(text: string): boolean {
  return PART.test(text);
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` for any other text */
export function parseTableName(text: string): TableName {
  const name = splitName(text);
  if (name === undefined) {
    const reason = `invalid table name: ${JSON.stringify(text)} (expected TABLE or NAMESPACE:TABLE)`;
    throw new CFileError("E_INVALID_ARGUMENT", reason, { field: "table" });
  }
  return name;
}

/** The table's name in a file. @throws {CFileError} `E_CORRUPT` unless it is valid */
export function storedTableName(text: string, field: string): TableName {
  const name = splitName(text);
  if (name === undefined) {
    throw corrupt(`invalid table name: ${JSON.stringify(text)}`, { field, actual: text });
  }
  return name;
}

function splitName(text: string): TableName | undefined {
  const colon = text.indexOf(":");
  const namespace = colon < 0 ? DEFAULT_NAMESPACE : text.slice(0, colon);
  // A second colon is invalid in a name.
  const table = text.slice(colon + 1);
  return isNamePart(namespace) && isNamePart(table) ? { namespace, table } : undefined;
}

/** @throws {CFileError} `E_CORRUPT` for invalid parts */
export function tableNameOf(message: TableNameMessage | undefined, field: string): TableName {
  const text = new TextDecoder();
  const namespace = text.decode(message?.namespace);
  const table = text.decode(message?.qualifier);
  return storedTableName(`${namespace === "" ? DEFAULT_NAMESPACE : namespace}:${table}`, field);
}

/** `TABLE`, or `NAMESPACE:TABLE` outside the default namespace. */
export function tableNameText({ namespace, table }: TableName): string {
  return namespace === DEFAULT_NAMESPACE ? table : `${namespace}:${table}`;
}

/** The table's folder below `data` folders. */
export function tablePath({ namespace, table }: TableName): string {
  return `${namespace}/${table}`;
}
