/**
 * Logical types, their numbers in the footer and their physical types (docs/spec/cfile.md#21-datatype). The bytes of blocks
 * and of keys depend on the physical type only.
 */

/** Layout of values in memory and on disk. */
export type PhysicalType =
  | "UINT8"
  | "INT8"
  | "UINT16"
  | "INT16"
  | "UINT32"
  | "INT32"
  | "UINT64"
  | "INT64"
  | "INT128"
  | "FLOAT"
  | "DOUBLE"
  | "BOOL"
  | "BINARY";

/** Physical types whose values have a fixed number of bytes. */
export type FixedPhysicalType = Exclude<PhysicalType, "BOOL" | "BINARY">;

/** Properties of a logical type in the format; see docs/spec/cfile.md#21-datatype. */
export interface DataTypeInfo {
  /** Number in the footer. */
  readonly id: number;
  readonly physical: PhysicalType;
  /** Bytes per value in a plain block; 0 for BOOL (1 bit) and BINARY (variable). */
  readonly width: number;
  /** Whether values can be keys of a value index and of a composite key. */
  readonly isKey: boolean;
}

const WIDTHS: Readonly<Record<PhysicalType, number>> = {
  UINT8: 1,
  INT8: 1,
  UINT16: 2,
  INT16: 2,
  UINT32: 4,
  INT32: 4,
  UINT64: 8,
  INT64: 8,
  INT128: 16,
  FLOAT: 4,
  DOUBLE: 8,
  BOOL: 0,
  BINARY: 0,
};

/** Bytes per value in memory and on disk; 0 for BOOL (1 bit) and BINARY (variable). */
export function physicalWidth(physical: PhysicalType): number {
  return WIDTHS[physical];
}

const row = (id: number, physical: PhysicalType, isKey = true): DataTypeInfo => {
  return { id, physical, width: WIDTHS[physical], isKey };
};

/** Every type that a footer may name. */
export const DATA_TYPES = /* @__PURE__ */ Object.freeze({
  UINT8: /* @__PURE__ */ row(0, "UINT8"),
  INT8: /* @__PURE__ */ row(1, "INT8"),
  UINT16: /* @__PURE__ */ row(2, "UINT16"),
  INT16: /* @__PURE__ */ row(3, "INT16"),
  UINT32: /* @__PURE__ */ row(4, "UINT32"),
  INT32: /* @__PURE__ */ row(5, "INT32"),
  UINT64: /* @__PURE__ */ row(6, "UINT64"),
  INT64: /* @__PURE__ */ row(7, "INT64"),
  STRING: /* @__PURE__ */ row(8, "BINARY"),
  BOOL: /* @__PURE__ */ row(9, "BOOL", false),
  FLOAT: /* @__PURE__ */ row(10, "FLOAT", false),
  DOUBLE: /* @__PURE__ */ row(11, "DOUBLE", false),
  BINARY: /* @__PURE__ */ row(12, "BINARY"),
  UNIXTIME_MICROS: /* @__PURE__ */ row(13, "INT64"),
  INT128: /* @__PURE__ */ row(14, "INT128"),
  DECIMAL32: /* @__PURE__ */ row(15, "INT32"),
  DECIMAL64: /* @__PURE__ */ row(16, "INT64"),
  DECIMAL128: /* @__PURE__ */ row(17, "INT128"),
  IS_DELETED: /* @__PURE__ */ row(18, "BOOL", false),
  VARCHAR: /* @__PURE__ */ row(19, "BINARY"),
  DATE: /* @__PURE__ */ row(20, "INT32"),
});

/** Name of a logical type, as Kudu spells it. */
export type DataType = keyof typeof DATA_TYPES;

/** The type with this footer number, or `undefined` (NESTED, UNKNOWN_DATA and unassigned numbers). */
export function dataTypeFromId(id: number): DataType | undefined {
  return (Object.keys(DATA_TYPES) as DataType[]).find((name) => DATA_TYPES[name].id === id);
}
