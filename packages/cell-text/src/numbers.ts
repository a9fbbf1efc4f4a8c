/** Decimals and floating-point values as text. A CFile stores the unscaled integer of a decimal; only the table knows the scale. */
import { toHex } from "@cfile/bytes";
import type { FixedBatch } from "@cfile/encodings";
import { bytesOf } from "@cfile/encodings/batches";

/** `12345` with scale 2 as `123.45`. */
export function decimalText(unscaled: bigint | number, scale: number): string {
  const text = String(unscaled);
  if (scale === 0) {
    return text;
  }
  const sign = text.startsWith("-") ? "-" : "";
  const digits = text.slice(sign.length).padStart(scale + 1, "0");
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** The unscaled integer of decimal text; `undefined` for other text and for more decimals than `scale`. */
export function parseDecimal(text: string, scale: number): bigint | undefined {
  const [, sign, whole, fraction = ""] = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined || fraction.length > scale) {
    return undefined;
  }
  const unscaled = BigInt(whole + fraction.padEnd(scale, "0"));
  return sign === "-" ? -unscaled : unscaled;
}

/** The shortest decimal text that reads back as the same value: `0.1`, `-0`, `NaN`, `Infinity`. */
export function doubleText(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

/** {@link doubleText} for a value of 32 bits: 0.1 in single precision is `0.1`, not `0.10000000149011612`. */
export function floatText(value: number): string {
  for (let precision = 6; precision <= 8; precision++) {
    const text = String(Number(value.toPrecision(precision)));
    if (Math.fround(Number(text)) === value) {
      return Object.is(value, -0) ? "-0" : text;
    }
  }
  return doubleText(Number(value.toPrecision(9)));
}

/** The bits of a FLOAT or DOUBLE value of a batch, most significant first, in hexadecimal. */
export function bitsText({ values }: FixedBatch, index: number): string {
  return toHex(bytesOf(values.subarray(index, index + 1)).toReversed());
}
