/** Decimals as text and back. A CFile holds the unscaled integer; the scale is known to the table only. */

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

/** The unscaled integer of decimal text; `undefined` when it is none or has more decimals than `scale`. */
export function parseDecimal(text: string, scale: number): bigint | undefined {
  const [, sign, whole, fraction = ""] = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined || fraction.length > scale) {
    return undefined;
  }
  const unscaled = BigInt(whole + fraction.padEnd(scale, "0"));
  return sign === "-" ? -unscaled : unscaled;
}
