/**
 * Types of columns, which HBase does not know and the user states: `cf:price:double(bytes),cf:name:string,row:string`. A column is
 * `FAMILY:QUALIFIER`, where `\xNN` stands for a byte; `row` is the row key.
 */
import { invalidArgument, utf8Bytes } from "@cfile/bytes";
import type { DataType } from "@cfile/encodings";

/** How values are stored: as written by HBase's `Bytes` or its `OrderedBytes`, or as UTF-8 text. */
export type ValueEncoding = "bytes" | "ordered" | "utf8";

/** A typed column of a table. */
export interface TypedColumn {
  /** Name in the result, as stated. */
  readonly name: string;
  /** `undefined` for the row key. */
  readonly family: string | undefined;
  readonly qualifier: Uint8Array;
  readonly type: DataType;
  readonly encoding: ValueEncoding;
}

const TYPES: Readonly<Record<string, DataType>> = {
  bool: "BOOL",
  boolean: "BOOL",
  int8: "INT8",
  byte: "INT8",
  int16: "INT16",
  short: "INT16",
  int32: "INT32",
  int: "INT32",
  int64: "INT64",
  long: "INT64",
  float: "FLOAT",
  double: "DOUBLE",
  string: "STRING",
  binary: "BINARY",
};

const ENCODINGS: Readonly<Record<string, ValueEncoding>> = {
  bytes: "bytes",
  ordered: "ordered",
  orderedbytes: "ordered",
  utf8: "utf8",
  "utf-8": "utf8",
  text: "utf8",
};

/** Name of the row key among the columns. */
export const ROW_COLUMN = "row";

/**
 * @throws {CFileError} `E_INVALID_ARGUMENT` for malformed text, unknown types and encodings, and duplicates
 */
export function parseColumnSchema(text: string): readonly TypedColumn[] {
  const columns = text.split(",").map((part) => parseColumn(part.trim()));
  const repeated = columns.find(({ name }, i) => columns.findIndex((other) => other.name === name) !== i);
  if (repeated !== undefined) {
    throw invalidArgument(`column ${JSON.stringify(repeated.name)} is stated twice`, { field: "schema" });
  }
  return columns;
}

function parseColumn(text: string): TypedColumn {
  const [, name = "", typeName = "", encodingName = "bytes"] =
    /^(.+):([a-z]\w*)(?:\(([\w-]+)\))?$/i.exec(text) ?? [];
  const [, family, qualifierText] = /^([^:]+):(.*)$/s.exec(name) ?? [];
  if (name !== ROW_COLUMN && (family === undefined || qualifierText === undefined)) {
    throw invalidArgument(
      `invalid column ${JSON.stringify(text)} (expected FAMILY:QUALIFIER:TYPE(ENCODING), like cf:price:double(bytes))`,
      { field: "schema" },
    );
  }
  const type = Object.hasOwn(TYPES, typeName.toLowerCase()) ? TYPES[typeName.toLowerCase()] : undefined;
  if (type === undefined) {
    const known = Object.keys(TYPES).join(", ");
    throw invalidArgument(
      `unknown type ${JSON.stringify(typeName)} of column ${JSON.stringify(name)} (types: ${known})`,
      {
        field: "schema",
      },
    );
  }
  const lower = encodingName.toLowerCase();
  const encoding = Object.hasOwn(ENCODINGS, lower) ? ENCODINGS[lower] : undefined;
  if (encoding === undefined) {
    throw invalidArgument(
      `unknown encoding ${JSON.stringify(encodingName)} of column ${JSON.stringify(name)} (encodings: bytes, ordered, utf8)`,
      { field: "schema" },
    );
  }
  return { name, family, qualifier: unescaped(qualifierText ?? ""), type, encoding };
}

/** Text with `\xNN` for bytes, as HBase's shell prints it. */
function unescaped(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const part of text.split(/(\\x[0-9a-f]{2})/i)) {
    if (/^\\x[0-9a-f]{2}$/i.test(part)) {
      bytes.push(Number.parseInt(part.slice(2), 16));
    } else {
      bytes.push(...utf8Bytes(part));
    }
  }
  return Uint8Array.from(bytes);
}
