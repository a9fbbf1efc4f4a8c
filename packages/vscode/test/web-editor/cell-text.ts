/** Values of the golden JSON as the page shows them. */
import { doubleText, floatText, timestampText } from "@cfile/cell-text";

export function hexText(hex: string): string {
  return Buffer.from(hex, "hex").toString();
}

/** A value of a column of Kudu: see `fixtures/golden/README.md`. */
export function kuduText(value: unknown, type: string): string {
  if (value === null || value === undefined) {
    return "null";
  }
  if (Array.isArray(value)) {
    return `[${value.map((element) => jsonText(kuduText(element, type), type)).join(",")}]`;
  }
  switch (type) {
    case "STRING":
    case "VARCHAR":
      return hexText(String(value));
    case "DATE":
      return new Date(Number(value) * 86_400_000).toISOString().slice(0, 10);
    case "UNIXTIME_MICROS":
      return timestampText(BigInt(String(value)));
    case "FLOAT":
      return floatText(bitsOf(value).readFloatBE());
    case "DOUBLE":
      return doubleText(bitsOf(value).readDoubleBE());
    default:
      return String(value);
  }
}

/** An element of an array, which the page shows as JSON. */
function jsonText(text: string, type: string): string {
  return text !== "null" && /^(STRING|VARCHAR|BINARY|DATE|UNIXTIME_MICROS|U?INT64|INT128|DECIMAL)/.test(type)
    ? JSON.stringify(text)
    : text;
}

function bitsOf(value: unknown): Buffer {
  return Buffer.from(String((value as { bits: string }).bits), "hex");
}
