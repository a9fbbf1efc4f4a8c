/** Values as a live example shows them: as JavaScript, 64-bit integers with an `n`. */
import { toHex } from "@cfile/bytes";
import { DATA_TYPES, type DataType } from "@cfile/encodings";

export function valueText(value: unknown): string {
  if (typeof value === "bigint") {
    return `${value}n`;
  }
  if (value instanceof Uint8Array) {
    return `0x${toHex(value)}`;
  }
  if (Array.isArray(value)) {
    return `[${value.map(valueText).join(", ")}]`;
  }
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    return `{ ${fields.map(([name, field]) => `${name}: ${valueText(field)}`).join(", ")} }`;
  }
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

/** The values of a list, at most `max`. */
export function listText(values: readonly unknown[], max = 40): string {
  const shown = values.slice(0, max).map(valueText).join(", ");
  return values.length > max ? `[${shown}, … ${values.length} in all]` : `[${shown}]`;
}

export function isDataType(name: string): name is DataType {
  return Object.hasOwn(DATA_TYPES, name);
}
