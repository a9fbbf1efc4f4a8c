/**
 * The text of a cell whose MD5 a SQL engine also computes.
 *
 * | cell | text |
 * | --- | --- |
 * | integer, DATE, UNIXTIME_MICROS | digits: of the value, of days, of microseconds since 1970 |
 * | decimal | digits with a point, followed by as many digits as the scale |
 * | BOOL | `true`, `false` |
 * | FLOAT, DOUBLE | mantissa and exponent: the value is `MeE`, M times 2 to the power of E - 52, 2^52 <= abs(M) < 2^53; `0`, `-0`, `NaN`, `inf`, `-inf` |
 * | STRING, VARCHAR, BINARY | the bytes themselves |
 */
import { CFileError } from "@cfile/bytes";
import { decimalText } from "@cfile/cell-text";
import type { CellValue } from "@cfile/encodings";
import type { ComparedColumn } from "../compared-table.js";

const encoder = new TextEncoder();

/** @throws {CFileError} `E_UNSUPPORTED` for arrays */
export function digestBytes(cell: Exclude<CellValue, null>, column: ComparedColumn): Uint8Array {
  if (cell instanceof Uint8Array) {
    return cell;
  }
  if (Array.isArray(cell)) {
    throw new CFileError("E_UNSUPPORTED", "arrays have no digest in SQL", { field: column.name });
  }
  return encoder.encode(textOf(cell, column));
}

function textOf(cell: CellValue, { type, scale = 0 }: ComparedColumn): string {
  switch (type) {
    case "FLOAT":
    case "DOUBLE":
      return doubleDigestText(Number(cell));
    case "DECIMAL32":
    case "DECIMAL64":
    case "DECIMAL128":
      return decimalText(BigInt(String(cell)), scale);
    default:
      return String(cell);
  }
}

/** The text of a FLOAT or DOUBLE. */
function doubleDigestText(value: number): string {
  if (Number.isNaN(value)) {
    return "NaN";
  }
  if (value === 0) {
    return Object.is(value, -0) ? "-0" : "0";
  }
  if (!Number.isFinite(value)) {
    return value > 0 ? "inf" : "-inf";
  }
  // Scaling is exact only far from the subnormal numbers.
  const isTiny = Math.abs(value) < 2 ** -900;
  const scaled = isTiny ? value * 2 ** 200 : value;
  let exponent = Math.floor(Math.log2(Math.abs(scaled)));
  let mantissa = scaled * 2 ** (52 - exponent);
  if (Math.abs(mantissa) >= 2 ** 53) {
    mantissa /= 2;
    exponent++;
  } else if (Math.abs(mantissa) < 2 ** 52) {
    mantissa *= 2;
    exponent--;
  }
  return `${BigInt(mantissa)}e${exponent - (isTiny ? 200 : 0)}`;
}
