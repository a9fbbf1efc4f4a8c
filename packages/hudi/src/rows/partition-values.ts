/** Values of partition columns in partition paths (docs/spec/hudi-table.md#2-partition-paths). */

import type { AvroType, AvroValue } from "@cfile/avro";
import { corrupt } from "@cfile/bytes";
import type { TableProperties } from "../table/table-properties.js";

const NULL_NAME = "__HIVE_DEFAULT_PARTITION__";

/**
 * The text of each partition column; `null` for null.
 * @param decoded whether `%XX` is decoded in tables that encode it
 * @throws {CFileError} `E_CORRUPT` if the number of levels in the path differs from the number of partition columns
 */
export function partitionTexts(
  path: string,
  { partitionFields, hiveStyle, urlEncoded }: TableProperties,
  decoded = true,
): Map<string, string | null> {
  // The value of a single partition column can span several folders.
  const levels = partitionFields.length === 1 ? [path] : path.split("/");
  if (partitionFields.length > 0 && levels.length !== partitionFields.length) {
    const reason = `partition path has ${levels.length} levels (expected ${partitionFields.length})`;
    throw corrupt(reason, { field: "partition", actual: path });
  }
  return new Map(
    partitionFields.map((field, i) => {
      // There are as many levels as fields.
      const level = levels[i] as string;
      const text = hiveStyle && level.startsWith(`${field}=`) ? level.slice(field.length + 1) : level;
      return [field, text === NULL_NAME ? null : urlEncoded && decoded ? decodePartition(text) : text];
    }),
  );
}

/** Decodes `%XX`; a `%` without two hexadecimal digits stays. */
function decodePartition(text: string): string {
  return text.replace(/%([0-9a-fA-F]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** The text as a value of a column. @throws {CFileError} `E_CORRUPT` when it does not fit the type */
export function partitionValue(text: string | null, type: AvroType): AvroValue {
  if (text === null) {
    return null;
  }
  const integer = /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  if (type.kind === "int" && type.logical === "date" && integer === undefined) {
    const millis = Date.parse(`${text}T00:00:00Z`);
    // The parser also accepts dates without leading zeros, and turns February 30 into March 2.
    if (Number.isFinite(millis) && new Date(millis).toISOString().startsWith(`${text}T`)) {
      return millis / 86_400_000;
    }
  }
  if ((type.kind === "int" || type.kind === "long") && integer !== undefined) {
    return integer;
  }
  if (type.kind === "string") {
    return text;
  }
  if (type.kind === "boolean" && /^(true|false)$/.test(text)) {
    return text === "true";
  }
  throw corrupt(`partition value does not fit type ${type.kind}`, { field: "partition", actual: text });
}
