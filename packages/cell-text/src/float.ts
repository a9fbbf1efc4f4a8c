/** Floating-point values as text. */
import { toHex } from "@cfile/bytes";
import type { FixedBatch } from "@cfile/encodings";
import { bytesOf } from "@cfile/encodings/batches";

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

/** The bits of a FLOAT or DOUBLE batch's value, most significant first, as hexadecimal text. */
export function bitsText(batch: FixedBatch, index: number): string {
  const width = batch.values.BYTES_PER_ELEMENT;
  return toHex(
    bytesOf(batch.values)
      .slice(width * index, width * (index + 1))
      .reverse(),
  );
}
