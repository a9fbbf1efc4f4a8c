/**
 * The columns of a table: what `write --schema` describes.
 *
 * Inline: `name:type`, separated by commas; a type is a name in any case, followed by `(scale)` for decimals, `[]` for
 * arrays and `?` for nullable columns, in this order: `id:int64,price:decimal64(2)?,tags:string[]?`.
 *
 * As a file: a JSON object from name to type, or to `{"type", "encoding", "compression", "block_size", "key"}`.
 */
import { readFile } from "node:fs/promises";
import { DATA_TYPES, type DataType, type EncodingType } from "@cfile/encodings";
import type { CompressionType } from "cfile";
import { compressionOfName, encodingOfName } from "../options/names.js";
import { UsageError } from "../program/exit-code.js";
import { invalidValue } from "../program/option.js";

/** A column of the command line or a schema file: name, type, and how it is stored. */
export interface ColumnSpec {
  readonly name: string;
  readonly type: DataType;
  readonly nullable: boolean;
  readonly array: boolean;
  /** Digits after the point of decimals; without it they are unscaled integers. */
  readonly scale?: number | undefined;
  readonly encoding?: EncodingType | undefined;
  readonly compression?: CompressionType | undefined;
  /** Bytes. */
  readonly blockSize?: number | undefined;
  /** Whether the column is sorted and gets a value index. */
  readonly key?: boolean | undefined;
}

const MAX_SCALE = 38;
const MAX_COLUMN_ID = 0x7fffffff;

/**
 * The columns that `--schema` gives: the text itself, or the path of a `.json` file.
 *
 * @throws UsageError naming what is wrong and the expected form
 */
export async function givenSchema(schema: string): Promise<ColumnSpec[]> {
  return schema.endsWith(".json")
    ? parseSchemaFile(await readFile(schema, "utf8"), schema)
    : parseInlineSchema(schema);
}

/** @throws UsageError naming what is wrong and the expected form */
export function parseInlineSchema(text: string): ColumnSpec[] {
  return uniqueColumns(
    text.split(",").map((part) => {
      const [, name, type] = /^\s*(.+):([^:]+?)\s*$/.exec(part) ?? [];
      if (name === undefined || type === undefined) {
        throw invalidValue("--schema", part, "must be NAME:TYPE, like id:int64 or note:string?");
      }
      return { name, ...parseType(name, type) };
    }),
    "name",
  );
}

/** @throws UsageError naming what is wrong and the expected form */
export function parseSchemaFile(text: string, path: string): ColumnSpec[] {
  const json = parseSchemaJson(text, path);
  return uniqueColumns(
    Object.entries(json).map(([name, entry]) => columnOfJson(name, entry, path)),
    "name",
  );
}

/** @throws UsageError for text that is not a JSON object */
export function parseSchemaJson(text: string, path: string): Readonly<Record<string, unknown>> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new UsageError(
      `${path}: not valid JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (!isRecord(json)) {
    throw new UsageError(`${path}: must be a JSON object from column name to type`);
  }
  return json;
}

function columnOfJson(name: string, entry: unknown, path: string): ColumnSpec {
  if (typeof entry === "string") {
    return { name, ...parseType(name, entry) };
  }
  if (!isRecord(entry) || typeof entry["type"] !== "string") {
    throw new UsageError(
      `${path}: column "${name}": missing type, like "int64" or {"type": "int64", "key": true}`,
    );
  }
  const { type, encoding, compression, block_size: blockSize, key, ...unknown } = entry;
  const wrong = Object.keys(unknown)[0];
  if (wrong !== undefined) {
    throw new UsageError(
      `${path}: column "${name}": unknown setting "${wrong}" (settings: type, encoding, compression, block_size, key)`,
    );
  }
  const isText = (value: unknown) => value === undefined || typeof value === "string";
  const isSize = blockSize === undefined || (Number.isSafeInteger(blockSize) && Number(blockSize) > 0);
  if (
    !isText(encoding) ||
    !isText(compression) ||
    !isSize ||
    !["undefined", "boolean"].includes(typeof key)
  ) {
    throw new UsageError(
      `${path}: column "${name}": encoding and compression must be names, block_size a number of bytes, key true or false`,
    );
  }
  return {
    name,
    ...parseType(name, String(type)),
    encoding: encoding === undefined ? undefined : encodingOfName(String(encoding)),
    compression: compression === undefined ? undefined : compressionOfName(String(compression)),
    blockSize: blockSize === undefined ? undefined : Number(blockSize),
    key: key === undefined ? undefined : key === true,
  };
}

/** @throws UsageError for text that is not the type of a column */
export function parseType(name: string, text: string): Omit<ColumnSpec, "name"> {
  const [, typeName, scaleText, brackets, mark] =
    /^([a-z]\w*)(?:\((\d+)\))?(\[\])?(\?)?$/i.exec(text.replace(/\s+/g, "")) ?? [];
  const type = typeName?.toUpperCase();
  if (type === undefined || !isDataType(type)) {
    const known = Object.keys(DATA_TYPES).filter(isDataType).join(", ").toLowerCase();
    throw invalidValue(
      `type of column "${name}"`,
      text,
      `must be one of ${known}; add [] for arrays, ? for nullable`,
    );
  }
  const scale = scaleText === undefined ? undefined : Number(scaleText);
  if (scale !== undefined && (!type.startsWith("DECIMAL") || scale > MAX_SCALE)) {
    throw invalidValue(
      `type of column "${name}"`,
      text,
      `only decimals have a scale, from 0 to ${MAX_SCALE}`,
    );
  }
  return { type, nullable: mark !== undefined, array: brackets !== undefined, scale };
}

function isDataType(name: string): name is DataType {
  return Object.hasOwn(DATA_TYPES, name) && name !== "IS_DELETED";
}

/** @throws UsageError for duplicates, and for no columns */
export function uniqueColumns<C extends object>(columns: C[], key: keyof C): C[] {
  const twice = columns.find((column, i) => columns.findIndex((other) => other[key] === column[key]) < i);
  if (twice !== undefined || columns.length === 0) {
    const reason = twice === undefined ? "no columns" : `duplicate column ${String(key)} "${twice[key]}"`;
    throw new UsageError(`invalid --schema: ${reason}`);
  }
  return columns;
}

/** The type in the form of a schema: `decimal64(2)[]?`. */
export function typeText({ type, scale, array, nullable }: Omit<ColumnSpec, "name">): string {
  return `${type.toLowerCase()}${scale === undefined ? "" : `(${scale})`}${array ? "[]" : ""}${nullable ? "?" : ""}`;
}

/** @throws UsageError naming the option and the known columns */
export function findColumn<C extends { readonly name: string }>(
  option: string,
  name: string,
  columns: readonly C[],
): C {
  const column = columns.find((candidate) => candidate.name === name);
  if (column === undefined) {
    throw new UsageError(
      `${option}: no column "${name}"; columns: ${columns.map((one) => one.name).join(", ")}`,
    );
  }
  return column;
}

/** @throws UsageError for a number that is not a column ID */
export function columnId(id: number, name: string): number {
  if (!(Number.isInteger(id) && id >= 0 && id <= MAX_COLUMN_ID)) {
    throw invalidValue(`id of column "${name}"`, String(id), `must be an integer from 0 to ${MAX_COLUMN_ID}`);
  }
  return id;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
