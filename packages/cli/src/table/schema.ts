/**
 * The columns of a table: what `write --schema` describes.
 *
 * Inline: `name:type` with commas between; a type is a name in any case, with `(scale)` after decimals, `[]` for
 * arrays and `?` for nullable ones, in this order: `id:int64,price:decimal64(2)?,tags:string[]?`.
 *
 * As a file: a JSON object from name to type, or to `{"type", "encoding", "compression", "block_size", "key"}`.
 */
import type { DataType, EncodingType } from "@cfile/encodings";
import { DATA_TYPES } from "@cfile/encodings";
import type { CompressionType } from "cfile";
import { compressionOfName, encodingOfName } from "../options/names.js";
import { UsageError } from "../program/exit-code.js";

/** A column as it is given on the command line or in a schema file: name, type, and how it is stored. */
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

/** @throws UsageError naming what is wrong and the form that is expected */
export function parseInlineSchema(text: string): ColumnSpec[] {
  return uniqueColumns(
    text.split(",").map((part) => {
      const [, name, type] = /^\s*(.+):([^:]+?)\s*$/.exec(part) ?? [];
      if (name === undefined || type === undefined) {
        throw new UsageError(
          `--schema: "${part}" is no column; name:type is expected, like id:int64 or note:string?`,
        );
      }
      return { name, ...parseType(name, type) };
    }),
  );
}

/** @throws UsageError naming what is wrong and the form that is expected */
export function parseSchemaFile(text: string, path: string): ColumnSpec[] {
  const json = parseSchemaJson(text, path);
  return uniqueColumns(Object.entries(json).map(([name, entry]) => columnOfJson(name, entry, path)));
}

/**
 * The object from column name to what is said of the column.
 *
 * @throws UsageError for text that is no JSON object
 */
export function parseSchemaJson(text: string, path: string): Readonly<Record<string, unknown>> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isRecord(json)) {
    throw new UsageError(`${path}: an object from column name to type is expected`);
  }
  return json;
}

function columnOfJson(name: string, entry: unknown, path: string): ColumnSpec {
  if (typeof entry === "string") {
    return { name, ...parseType(name, entry) };
  }
  if (!isRecord(entry) || typeof entry["type"] !== "string") {
    throw new UsageError(
      `${path}: column "${name}" needs a type, like "int64" or {"type": "int64", "key": true}`,
    );
  }
  const { type, encoding, compression, block_size: blockSize, key, ...unknown } = entry;
  const wrong = Object.keys(unknown)[0];
  if (wrong !== undefined) {
    throw new UsageError(`${path}: column "${name}" has an unknown setting "${wrong}"`);
  }
  const mistyped =
    (encoding !== undefined && typeof encoding !== "string") ||
    (compression !== undefined && typeof compression !== "string") ||
    (blockSize !== undefined &&
      !(typeof blockSize === "number" && Number.isSafeInteger(blockSize) && blockSize > 0)) ||
    (key !== undefined && typeof key !== "boolean");
  if (mistyped) {
    throw new UsageError(
      `${path}: column "${name}": encoding and compression are names, block_size is a number of bytes, key is true or false`,
    );
  }
  return {
    name,
    ...parseType(name, type as string),
    encoding: typeof encoding === "string" ? encodingOfName(encoding) : undefined,
    compression: typeof compression === "string" ? compressionOfName(compression) : undefined,
    blockSize: typeof blockSize === "number" ? blockSize : undefined,
    key: typeof key === "boolean" ? key : undefined,
  };
}

/** @throws UsageError for what is no type of a column */
export function parseType(name: string, text: string): Omit<ColumnSpec, "name"> {
  const [, typeName, scaleText, brackets, mark] =
    /^([a-z]\w*)(?:\((\d+)\))?(\[\])?(\?)?$/i.exec(text.replace(/\s+/g, "")) ?? [];
  const type = typeName?.toUpperCase();
  if (type === undefined || !isDataType(type)) {
    const known = schemaTypeNames().join(", ");
    throw new UsageError(
      `column "${name}": "${text}" is no type; there are ${known}, with [] for arrays, ? for nullable`,
    );
  }
  const scale = scaleText === undefined ? undefined : Number(scaleText);
  if (scale !== undefined && (!type.startsWith("DECIMAL") || scale > MAX_SCALE)) {
    throw new UsageError(`column "${name}": a scale is for decimals, 0 to ${MAX_SCALE}; "${text}" has none`);
  }
  return { type, nullable: mark !== undefined, array: brackets !== undefined, scale };
}

/** Names of types that a column of a table can have, for messages and help. */
function schemaTypeNames(): string[] {
  return Object.keys(DATA_TYPES)
    .filter((type) => type !== "IS_DELETED")
    .map((type) => type.toLowerCase());
}

function isDataType(name: string): name is DataType {
  return Object.hasOwn(DATA_TYPES, name) && name !== "IS_DELETED";
}

function uniqueColumns(columns: ColumnSpec[]): ColumnSpec[] {
  const twice = columns.find(({ name }, i) => columns.findIndex((other) => other.name === name) < i);
  if (twice !== undefined) {
    throw new UsageError(`--schema: column "${twice.name}" is there twice`);
  }
  if (columns.length === 0) {
    throw new UsageError("--schema: no columns");
  }
  return columns;
}

/** The type as it is written in a schema: `decimal64(2)[]?`. */
export function typeText({ type, scale, array, nullable }: Omit<ColumnSpec, "name">): string {
  return `${type.toLowerCase()}${scale === undefined ? "" : `(${scale})`}${array ? "[]" : ""}${nullable ? "?" : ""}`;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
