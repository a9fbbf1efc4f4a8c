/**
 * Decides which types in files keep their meaning in a column whose type has changed. Avro's schema resolution ignores logical types: Hudi
 * reads plain integers and bytes by the type of the column, regardless of their original type. Logical types must match the column's.
 */

import type { AvroType } from "@cfile/avro";
import { CFileError } from "@cfile/bytes";

/** Avro types of bytes. */
type BinaryType = Extract<AvroType, { readonly precision?: number | undefined }>;

/** Logical types of times. On other integer types, they are ignored. */
const TIMES = {
  int: /^(date|time-millis)$/,
  long: /^(time-micros|(local-)?timestamp-(millis|micros|nanos))$/,
};

/**
 * Types that columns accept in another unit. Some versions of Hudi labeled milliseconds as microseconds; Hudi 1.2 reads them as
 * milliseconds in a column of milliseconds. It does the same with local times, but only when it rewrites a file, and reads microseconds
 * until then.
 */
const CONVERTED: Readonly<Record<string, string>> = {
  "timestamp-micros": "timestamp-millis",
  "timestamp-millis": "timestamp-micros",
  "local-timestamp-micros": "local-timestamp-millis",
};

/** The logical type of dates and times; `undefined` for other types. */
export function timeOf(type: AvroType): string | undefined {
  if (type.kind !== "int" && type.kind !== "long") {
    return undefined;
  }
  const { kind, logical = "" } = type;
  return TIMES[kind].test(logical) ? logical : undefined;
}

/** Whether times in a file have the type of the column, or can be converted to it. */
export function isTimeOf(column: string | undefined, written: string | undefined): boolean {
  return written === column || (written !== undefined && CONVERTED[column ?? ""] === written);
}

/**
 * Requires that values of log records can be read as a column's type. Each value is checked when it is converted.
 * @throws {CFileError} `E_UNSUPPORTED` for types whose values cannot
 */
export function requireAvroType(column: AvroType, written: AvroType): void {
  if (!isReadable(column, written)) {
    const name = (type: AvroType): string =>
      "logical" in type && type.logical !== undefined ? `${type.logical} (${type.kind})` : type.kind;
    const reason = `a column of type ${name(column)} has values of type ${name(written)} in a log`;
    throw new CFileError("E_UNSUPPORTED", reason, { field: "schema" });
  }
}

function isReadable(column: AvroType, written: AvroType): boolean {
  switch (written.kind) {
    case "int":
    case "long":
      return isReadableInteger(column, written);
    case "double":
      return !["int", "long", "string", "float"].includes(column.kind);
    case "float":
      // Java and JavaScript print floats with different digits.
      return !["int", "long", "string"].includes(column.kind);
    default:
      return !isBinary(written) || isReadableBinary(column, written);
  }
}

function isReadableInteger(column: AvroType, written: AvroType): boolean {
  const [own, other] = [timeOf(column), timeOf(written)];
  if (own === undefined && other === undefined) {
    return true;
  }
  if (column.kind === "int" && written.kind === "long") {
    return false;
  }
  return own === undefined
    ? ["int", "long", "string"].includes(column.kind)
    : other === undefined || isTimeOf(own, other);
}

/** Bytes in a log: text, the unscaled value of a decimal, or plain bytes. */
function isReadableBinary(column: AvroType, written: BinaryType): boolean {
  if (column.kind === "string") {
    return written.kind === "bytes" && written.logical !== "decimal";
  }
  if (!(isBinary(column) && column.logical === "decimal")) {
    return true;
  }
  if (written.logical !== undefined) {
    return written.logical === "decimal" && (written.precision ?? 0) >= 1;
  }
  return !(column.kind === "fixed" && written.kind === "fixed" && column.size !== written.size);
}

/** Whether values of a type are bytes. */
export function isBinary(type: AvroType): type is BinaryType {
  return type.kind === "bytes" || type.kind === "fixed";
}
