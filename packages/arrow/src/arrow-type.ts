/**
 * Column types and their Arrow types, in both directions.
 *
 * | CFile | Arrow |
 * | --- | --- |
 * | INT8 to INT64, UINT8 to UINT64 | Int of the same width and sign |
 * | FLOAT, DOUBLE | Float32, Float64 |
 * | BOOL, IS_DELETED | Bool |
 * | STRING, VARCHAR | Utf8, or Dictionary of Utf8 with Int32 indices |
 * | BINARY | Binary, or Dictionary of Binary |
 * | DATE | Date32 (days) |
 * | UNIXTIME_MICROS | Timestamp, microseconds, UTC |
 * | DECIMAL32, DECIMAL64, DECIMAL128 | Decimal of 32, 64, 128 bits |
 * | INT128 | Decimal of 128 bits, precision 38, scale 0 |
 * | array | List of the type, elements nullable |
 *
 * The metadata of each field states the CFile type under `cfile.type`, so that VARCHAR, IS_DELETED and INT128 survive a round trip.
 */
import { CFileError, invalidArgument } from "@cfile/bytes";
import { DATA_TYPES, type DataType } from "@cfile/encodings";
import type { TableColumn } from "@cfile/format";

/** Metadata key for the name of a field's CFile type. */
export const TYPE_KEY = "cfile.type";

/** A column in a table. */
export type ArrowColumn = TableColumn;

type DecimalBits = 32 | 64 | 128;

type ArrowScalar =
  | { readonly kind: "int"; readonly bits: 8 | 16 | 32 | 64; readonly signed: boolean }
  | { readonly kind: "float"; readonly bits: 32 | 64 }
  | {
      readonly kind: "decimal";
      readonly bits: DecimalBits;
      readonly precision: number;
      readonly scale: number;
    }
  | { readonly kind: "bool" | "utf8" | "binary" | "date" | "timestamp" };

/** An Arrow type, independent of any library. */
export type ArrowType =
  | ArrowScalar
  | { readonly kind: "dictionary"; readonly words: "utf8" | "binary" }
  | { readonly kind: "list"; readonly item: ArrowType };

const MAX_DIGITS = /* @__PURE__ */ Object.freeze({ 32: 9, 64: 18, 128: 38 });

/** Decimals with their maximum precision. Foreign data is read as the first type with its layout. */
const SCALARS: Readonly<Record<DataType, ArrowScalar>> = /* @__PURE__ */ Object.freeze({
  INT8: { kind: "int", bits: 8, signed: true },
  INT16: { kind: "int", bits: 16, signed: true },
  INT32: { kind: "int", bits: 32, signed: true },
  INT64: { kind: "int", bits: 64, signed: true },
  UINT8: { kind: "int", bits: 8, signed: false },
  UINT16: { kind: "int", bits: 16, signed: false },
  UINT32: { kind: "int", bits: 32, signed: false },
  UINT64: { kind: "int", bits: 64, signed: false },
  FLOAT: { kind: "float", bits: 32 },
  DOUBLE: { kind: "float", bits: 64 },
  BOOL: { kind: "bool" },
  IS_DELETED: { kind: "bool" },
  STRING: { kind: "utf8" },
  VARCHAR: { kind: "utf8" },
  BINARY: { kind: "binary" },
  DATE: { kind: "date" },
  UNIXTIME_MICROS: { kind: "timestamp" },
  DECIMAL32: { kind: "decimal", bits: 32, precision: 9, scale: 0 },
  DECIMAL64: { kind: "decimal", bits: 64, precision: 18, scale: 0 },
  DECIMAL128: { kind: "decimal", bits: 128, precision: 38, scale: 0 },
  INT128: { kind: "decimal", bits: 128, precision: 38, scale: 0 },
});

/** Whether cells or elements of the type are strings, which may be dictionary codes. */
export function isText(type: DataType): boolean {
  return DATA_TYPES[type].physical === "BINARY";
}

/**
 * The Arrow type of a column.
 * @param asDictionary whether strings are codes of a dictionary
 * @throws {CFileError} `E_INVALID_ARGUMENT` for a precision or scale that the type cannot have
 */
export function arrowType(column: Omit<ArrowColumn, "name" | "nullable">, asDictionary = false): ArrowType {
  const plain = scalarType(column);
  const item: ArrowType =
    asDictionary && (plain.kind === "utf8" || plain.kind === "binary")
      ? { kind: "dictionary", words: plain.kind }
      : plain;
  return column.array ? { kind: "list", item } : item;
}

function scalarType({ type, precision, scale }: Omit<ArrowColumn, "name" | "nullable">): ArrowScalar {
  const scalar = SCALARS[type];
  if (scalar.kind !== "decimal" || type === "INT128") {
    return scalar;
  }
  const digits = { precision: precision ?? scalar.precision, scale: scale ?? 0 };
  requireDigits("precision", digits.precision, 1, scalar.precision);
  requireDigits("scale", digits.scale, 0, digits.precision);
  return { ...scalar, ...digits };
}

function requireDigits(field: string, actual: number, minimum: number, maximum: number): void {
  if (!(Number.isInteger(actual) && actual >= minimum && actual <= maximum)) {
    const reason = `invalid ${field}: ${actual} (must be an integer from ${minimum} to ${maximum})`;
    throw invalidArgument(reason, { field, actual });
  }
}

/**
 * The CFile column of an Arrow type. If several CFile types have its layout, `stated`, from the field's metadata, selects one.
 * @throws {CFileError} `E_UNSUPPORTED` for integers and decimals that a CFile cannot store
 */
export function columnOf(
  name: string,
  type: ArrowType,
  nullable: boolean,
  stated: string | undefined,
): ArrowColumn {
  if (type.kind === "list") {
    return { ...columnOf(name, type.item, nullable, stated), array: true };
  }
  const layout = layoutOf(type.kind === "dictionary" ? { kind: type.words } : type);
  const known = (Object.keys(SCALARS) as DataType[]).filter((own) => layoutOf(SCALARS[own]) === layout);
  const named = known.find((candidate) => candidate === stated) ?? known[0];
  if (named === undefined) {
    throw unsupported(layout);
  }
  const column = { name, type: named, nullable, array: false };
  if (type.kind !== "decimal" || named === "INT128") {
    return column;
  }
  const { bits, precision, scale } = type;
  if (!(precision >= 1 && precision <= MAX_DIGITS[bits] && scale >= 0 && scale <= precision)) {
    throw unsupported(`${layout} (${precision}, ${scale})`);
  }
  return { ...column, precision, scale };
}

/** A text that is equal for types whose values have the same layout. */
function layoutOf(type: ArrowScalar): string {
  switch (type.kind) {
    case "int":
      return `${type.signed ? "Int" : "UInt"}${type.bits}`;
    case "float":
    case "decimal":
      return `${type.kind} of ${type.bits} bits`;
    default:
      return type.kind;
  }
}

function unsupported(type: string): CFileError {
  return new CFileError("E_UNSUPPORTED", `a CFile cannot have the Arrow type ${type}`, { field: "type" });
}

/** A type as both libraries describe it. */
export interface LibraryType {
  /** Number of the type in the Arrow format; -1 for dictionaries. */
  readonly typeId: number;
  readonly bitWidth?: number;
  readonly isSigned?: boolean;
  readonly signed?: boolean;
  readonly precision?: number;
  readonly scale?: number;
  readonly unit?: number | null;
  readonly children?: readonly { readonly type: LibraryType }[] | null;
  readonly dictionary?: LibraryType;
}

/**
 * The type that a library describes.
 * @throws {CFileError} `E_UNSUPPORTED` for a type that a CFile cannot store
 */
export function neutralType(type: LibraryType): ArrowType {
  const { typeId, bitWidth: bits = 0, precision = 0, scale = 0, unit, children, dictionary } = type;
  switch (typeId) {
    case 2:
      if (bits === 8 || bits === 16 || bits === 32 || bits === 64) {
        return { kind: "int", bits, signed: type.isSigned ?? type.signed ?? false };
      }
      break;
    case 3:
      if (precision === SINGLE || precision === DOUBLE) {
        return { kind: "float", bits: precision === SINGLE ? 32 : 64 };
      }
      break;
    case 4:
      return { kind: "binary" };
    case 5:
      return { kind: "utf8" };
    case 6:
      return { kind: "bool" };
    case 7:
      if (bits === 32 || bits === 64 || bits === 128) {
        return { kind: "decimal", bits, precision, scale };
      }
      break;
    case 8:
      if (unit === DAY) {
        return { kind: "date" };
      }
      break;
    case 10:
      if (unit === MICROSECOND) {
        return { kind: "timestamp" };
      }
      break;
    case 12: {
      const [child] = children ?? [];
      const item = child && neutralType(child.type);
      if (item !== undefined && item.kind !== "list") {
        return { kind: "list", item };
      }
      break;
    }
    case DICTIONARY: {
      const words = dictionary && neutralType(dictionary).kind;
      if (words === "utf8" || words === "binary") {
        return { kind: "dictionary", words };
      }
      break;
    }
  }
  throw unsupported(TYPE_NAMES[typeId] ?? `number ${typeId}`);
}

const SINGLE = 1;
const DOUBLE = 2;
const DAY = 0;
const MICROSECOND = 2;
const DICTIONARY = -1;
/** Indexed by type number. */
const TYPE_NAMES: readonly string[] = [
  ...["none", "Null", "Int", "Float", "Binary", "Utf8", "Bool", "Decimal", "Date", "Time", "Timestamp"],
  ...["Interval", "List", "Struct", "Union", "FixedSizeBinary", "FixedSizeList", "Map", "Duration"],
  ...["LargeBinary", "LargeUtf8", "LargeList", "RunEndEncoded", "BinaryView", "Utf8View"],
];
