/**
 * The schema that Arrow's writers store beside Parquet's: key-value metadata `ARROW:schema`, the base64 text of an IPC message
 * (https://arrow.apache.org/docs/format/Columnar.html#encapsulated-message-format). In a damaged footer it may be all that survives.
 *
 * | bytes | meaning |
 * | --- | --- |
 * | `ff ff ff ff`, u32 | start, length of the message |
 * | u32 | offset of the table `Message`, whose field 2 is its header: here a table `Schema`, whose field 1 is a vector of `Field` |
 * | `Field` | 0 name, 1 nullable, 2 kind of type, 3 its table, 5 children |
 *
 * A table of FlatBuffers starts with the distance back to its list of offsets: u16 bytes of the list, u16 bytes of the table, u16 per
 * field.
 */
import { CFileError, corrupt } from "@cfile/bytes";
import type { SchemaElement } from "hyparquet";

/** The key, a string of 12 bytes; the file stores its value after it. */
const KEY = /* @__PURE__ */ new TextEncoder().encode("ARROW:schema");
const VALUE_HEAD = 0x18;
const LATIN1 = /* @__PURE__ */ new TextDecoder("latin1");
const MAX_DEPTH = 64;
/** In the whole schema. Tables of a damaged message can refer to each other in cycles. */
const MAX_FIELDS = 100_000;
/** Digits of Arrow's longest decimals. */
const MAX_PRECISION = 76;

/** Remaining number of fields, and bytes of their names. */
interface Budget {
  fields: number;
  text: number;
}

type Leaf = Omit<SchemaElement, "name" | "repetition_type">;

/** The elements of the Parquet schema that Arrow's writers derive from the Arrow schema; `undefined` without a valid Arrow schema. */
export function findArrowSchema(bytes: Uint8Array): SchemaElement[] | undefined {
  for (let at = indexOfKey(bytes, 0); at >= 0; at = indexOfKey(bytes, at + 1)) {
    const text = valueAfter(bytes, at + KEY.length);
    try {
      if (text !== undefined) {
        return elementsOf(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
      }
    } catch {
      // Not base64, or a damaged message.
    }
  }
  return undefined;
}

function indexOfKey(bytes: Uint8Array, from: number): number {
  for (
    let at = bytes.indexOf(KEY[0] as number, from);
    at >= 0;
    at = bytes.indexOf(KEY[0] as number, at + 1)
  ) {
    if (KEY.every((byte, i) => bytes[at + i] === byte)) {
      return at;
    }
  }
  return -1;
}

/** The string field after the key. */
function valueAfter(bytes: Uint8Array, start: number): string | undefined {
  if (bytes[start] !== VALUE_HEAD) {
    return undefined;
  }
  let length = 0;
  let at = start + 1;
  for (let shift = 0; shift < 32; shift += 7) {
    const byte = bytes[at++] ?? 0;
    length += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) {
      break;
    }
  }
  return at + length <= bytes.length ? LATIN1.decode(bytes.subarray(at, at + length)) : undefined;
}

/** @throws {RangeError} from the view, for offsets outside the message */
function elementsOf(message: Uint8Array): SchemaElement[] {
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  const start = view.getUint32(0, true) === 0xffffffff ? 8 : 4;
  const budget = { fields: MAX_FIELDS, text: message.length };
  const root = new Table(view, start + view.getUint32(start, true), budget);
  const fields = root.table(2).tables(1);
  if (fields.length === 0) {
    throw corrupt("Arrow schema without fields", { field: "ARROW:schema" });
  }
  return [
    { name: "schema", num_children: fields.length },
    ...fields.flatMap((field) => elementsOfField(field, 0)),
  ];
}

/** A table of FlatBuffers. */
class Table {
  private readonly view: DataView;
  private readonly start: number;
  private readonly budget: Budget;

  constructor(view: DataView, start: number, budget: Budget) {
    this.view = view;
    this.start = start;
    this.budget = budget;
  }

  /** Position of a field; `undefined` if it has its default. */
  private at(field: number): number | undefined {
    const list = this.start - this.view.getInt32(this.start, true);
    const entry = 4 + 2 * field;
    const offset = entry < this.view.getUint16(list, true) ? this.view.getUint16(list + entry, true) : 0;
    return offset === 0 ? undefined : this.start + offset;
  }

  private target(field: number): number | undefined {
    const at = this.at(field);
    return at === undefined ? undefined : at + this.view.getUint32(at, true);
  }

  u8(field: number): number {
    const at = this.at(field);
    return at === undefined ? 0 : this.view.getUint8(at);
  }

  i16(field: number, preset = 0): number {
    const at = this.at(field);
    return at === undefined ? preset : this.view.getInt16(at, true);
  }

  i32(field: number): number {
    const at = this.at(field);
    return at === undefined ? 0 : this.view.getInt32(at, true);
  }

  text(field: number): string | undefined {
    const at = this.target(field);
    if (at === undefined) {
      return undefined;
    }
    const { buffer, byteOffset } = this.view;
    const length = this.view.getUint32(at, true);
    this.budget.text -= length;
    if (this.budget.text < 0) {
      throw corrupt("names of an Arrow schema are longer than the schema", { field: "ARROW:schema" });
    }
    return new TextDecoder().decode(new Uint8Array(buffer, byteOffset + at + 4, length));
  }

  table(field: number): Table {
    const at = this.target(field);
    if (at === undefined) {
      throw corrupt("Arrow schema without a table that it needs", { field: "ARROW:schema" });
    }
    return new Table(this.view, at, this.budget);
  }

  tables(field: number): Table[] {
    const { view, budget } = this;
    const at = this.target(field);
    if (at === undefined) {
      return [];
    }
    const count = view.getUint32(at, true);
    budget.fields -= count;
    if (budget.fields < 0) {
      throw corrupt(`Arrow schema of more than ${MAX_FIELDS} fields`, { field: "ARROW:schema" });
    }
    return Array.from({ length: count }, (_, i) => {
      const entry = at + 4 + 4 * i;
      return new Table(view, entry + view.getUint32(entry, true), budget);
    });
  }
}

function elementsOfField(field: Table, depth: number): SchemaElement[] {
  if (depth > MAX_DEPTH) {
    throw corrupt("Arrow schema is nested too deep", { field: "ARROW:schema" });
  }
  const name = field.text(0) ?? "";
  const repetition_type = field.u8(1) === 0 ? "REQUIRED" : "OPTIONAL";
  const kind = field.u8(2);
  const children = field.tables(5);
  const below = children.map((child) => elementsOfField(child, depth + 1));
  const group = (num_children: number): SchemaElement => ({ name, repetition_type, num_children });
  switch (kind) {
    case 12: // List
    case 16: // FixedSizeList
    case 21: {
      // LargeList
      requireChildren(children.length, 1);
      const list = { ...group(1), converted_type: "LIST", logical_type: { type: "LIST" } } as const;
      return [list, { name: "list", repetition_type: "REPEATED", num_children: 1 }, ...below.flat()];
    }
    case 13: // Struct
      return [group(children.length), ...below.flat()];
    case 17: {
      // Map: its child is a struct of keys and values
      const [entries, ...pair] = below.flat();
      requireChildren(children.length, 1);
      requireChildren(entries?.num_children, 2);
      const map = { ...group(1), converted_type: "MAP", logical_type: { type: "MAP" } } as const;
      return [map, { name: "key_value", repetition_type: "REPEATED", num_children: 2 }, ...pair];
    }
    default:
      return [{ name, repetition_type, ...leafOf(kind, field.table(3)) }];
  }
}

function requireChildren(actual: number | undefined, expected: number): void {
  if (actual !== expected) {
    throw corrupt(`Arrow field with ${actual ?? 0} children (expected ${expected})`, {
      field: "ARROW:schema",
    });
  }
}

/** The leaf that Arrow's writers write for a type, by its number in Arrow's `Type`. */
function leafOf(kind: number, type: Table): Leaf {
  switch (kind) {
    case 2: // Int
      return integer(oneOf(WIDTHS, Math.log2(type.i32(0) / 8)), type.u8(1) !== 0);
    case 3: // FloatingPoint
      return oneOf(FLOATS, type.i16(0));
    case 5: // Utf8
    case 20: // LargeUtf8
    case 24: // Utf8View
      return { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } };
    case 4: // Binary
    case 19: // LargeBinary
    case 23: // BinaryView
      return { type: "BYTE_ARRAY" };
    case 6: // Bool
      return { type: "BOOLEAN" };
    case 7: // Decimal
      return decimal(type.i32(0), type.i32(1));
    case 8: // Date
      return { type: "INT32", converted_type: "DATE", logical_type: { type: "DATE" } };
    case 9: {
      // Time
      const unit = type.i16(0, 1);
      const logical = { type: "TIME", isAdjustedToUTC: true, unit: oneOf(UNITS, unit) } as const;
      return { type: unit <= 1 ? "INT32" : "INT64", logical_type: logical };
    }
    case 10: {
      // Timestamp
      const unit = oneOf(UNITS, type.i16(0));
      return {
        type: "INT64",
        logical_type: { type: "TIMESTAMP", isAdjustedToUTC: type.text(1) !== undefined, unit },
      };
    }
    case 15: // FixedSizeBinary
      return { type: "FIXED_LEN_BYTE_ARRAY", type_length: within(type.i32(0), 2 ** 31 - 1) };
    case 18: // Duration
      return { type: "INT64" };
    case 1: // Null
      return { type: "INT32" };
    default:
      throw new CFileError("E_UNSUPPORTED", `unsupported Arrow type ${kind}`, { field: "ARROW:schema" });
  }
}

/** Indexed by Arrow's `TimeUnit`; seconds are written as milliseconds. */
const UNITS = ["MILLIS", "MILLIS", "MICROS", "NANOS"] as const;

const WIDTHS = [8, 16, 32, 64] as const;
/** Indexed by Arrow's `Precision`. */
const FLOATS: readonly Leaf[] = [
  { type: "FIXED_LEN_BYTE_ARRAY", type_length: 2, logical_type: { type: "FLOAT16" } },
  { type: "FLOAT" },
  { type: "DOUBLE" },
];

/** @throws {CFileError} `E_CORRUPT` for a number that the format does not have */
function oneOf<T>(values: readonly T[], index: number): T {
  const value = values[index];
  if (value === undefined) {
    throw corrupt("Arrow type of an unknown form", { field: "ARROW:schema" });
  }
  return value;
}

function integer(bits: 8 | 16 | 32 | 64, isSigned: boolean): Leaf {
  const converted = `${isSigned ? "" : "U"}INT_${bits}` as const;
  const type = bits === 64 ? "INT64" : "INT32";
  return isSigned && bits >= 32 ? { type } : { type, converted_type: converted };
}

function decimal(precision: number, scale: number): Leaf {
  const bytes = Math.ceil((within(precision, MAX_PRECISION) * Math.log2(10) + 1) / 8);
  const logical_type = { type: "DECIMAL", precision, scale } as const;
  return {
    type: "FIXED_LEN_BYTE_ARRAY",
    type_length: bytes,
    converted_type: "DECIMAL",
    precision,
    scale,
    logical_type,
  };
}

/** @throws {CFileError} `E_CORRUPT` unless the number is 1 to `max` */
function within(value: number, max: number): number {
  if (value < 1 || value > max) {
    throw corrupt(`Arrow type with a size of ${value}`, { field: "ARROW:schema" });
  }
  return value;
}
