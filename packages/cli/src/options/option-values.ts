/** Values of options, from their text. All of them throw `UsageError` with the option's name. */
import { fromHex } from "@cfile/bytes";
import { invalidValue } from "../program/option.js";

/** Digits only, `min` to `max`, both inclusive. */
export function wholeNumber(option: string, text: string, min = 0, max = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    const range = max === Number.MAX_SAFE_INTEGER ? `>= ${min}` : `from ${min} to ${max}`;
    throw invalidValue(option, text, `must be an integer ${range}`);
  }
  return value;
}

const FACTORS: Readonly<Record<string, number>> = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** Bytes: `65536`, `64K`, `64KiB`, `1M`, `1g`; the factors are powers of 1024. */
export function byteSize(option: string, text: string): number {
  const [, digits, unit] = /^(\d+)([kmg]?)(?:i?b)?$/i.exec(text) ?? [];
  const value = Number(digits) * (FACTORS[unit?.toLowerCase() ?? ""] ?? Number.NaN);
  if (!Number.isSafeInteger(value) || value < 1) {
    throw invalidValue(option, text, "must be a size like 65536, 64K or 1M");
  }
  return value;
}

/** A key: text, or (`hex`) pairs of hexadecimal digits. */
export function keyBytes(option: string, text: string, hex: boolean | undefined): Uint8Array {
  if (!hex) {
    return new TextEncoder().encode(text);
  }
  if (!/^(?:[0-9a-f]{2})*$/i.test(text)) {
    throw invalidValue(option, text, "must be pairs of hexadecimal digits with --hex");
  }
  return fromHex(text);
}

/** `A:B`, half-open; either side may be missing. */
export function rowRange(option: string, text: string): { from?: number; to?: number } {
  const [, from, to] = /^(\d*):(\d*)$/.exec(text) ?? [];
  if (from === undefined || to === undefined) {
    throw invalidValue(option, text, "must be FROM:TO, like 100:200, :5 or 100:");
  }
  const range = {
    ...(from !== "" && { from: wholeNumber(option, from) }),
    ...(to !== "" && { to: wholeNumber(option, to) }),
  };
  if (range.from !== undefined && range.to !== undefined && range.from > range.to) {
    throw invalidValue(option, text, "ends before it starts");
  }
  return range;
}

/** A number of blocks to list, or `all`. */
export function blockCount(option: string, text: string): number {
  return text === "all" ? Number.POSITIVE_INFINITY : wholeNumber(option, text);
}
