/** Values of options, from their text. All of them throw `UsageError` with the option's name. */
import { fromHex } from "@cfile/bytes";
import { UsageError } from "../program/exit-code.js";

/** A number of digits only, `least` to `most`. */
export function wholeNumber(option: string, text: string, least = 0, most = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most) {
    const bound = most === Number.MAX_SAFE_INTEGER ? "" : ` and at most ${most}`;
    throw new UsageError(`${option} takes a whole number, at least ${least}${bound}; "${text}" is none`);
  }
  return value;
}

const FACTORS: Readonly<Record<string, number>> = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** Bytes: `65536`, `64K`, `64KiB`, `1M`, `1g`; the factors are powers of 1024. */
export function byteSize(option: string, text: string): number {
  const [, digits, unit] = /^(\d+)([kmg]?)(?:i?b)?$/i.exec(text) ?? [];
  const value = Number(digits) * (FACTORS[unit?.toLowerCase() ?? ""] ?? Number.NaN);
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new UsageError(`${option} takes a size like 65536, 64K or 1M; "${text}" is none`);
  }
  return value;
}

/** A key: text, or (`hex`) pairs of hexadecimal digits. */
export function keyBytes(option: string, text: string, hex: boolean | undefined): Uint8Array {
  if (!hex) {
    return new TextEncoder().encode(text);
  }
  if (!/^(?:[0-9a-f]{2})*$/i.test(text)) {
    throw new UsageError(`${option} takes pairs of hexadecimal digits with --hex; "${text}" is none`);
  }
  return fromHex(text);
}

/** `A:B`, half-open; either side may be missing. */
export function rowRange(option: string, text: string): { from?: number; to?: number } {
  const [, from, to] = /^(\d*):(\d*)$/.exec(text) ?? [];
  if (from === undefined || to === undefined) {
    throw new UsageError(
      `${option} takes FROM:TO with row numbers from 0, like 100:200, :5 or 100:; "${text}" is none`,
    );
  }
  const range = {
    ...(from !== "" && { from: wholeNumber(option, from) }),
    ...(to !== "" && { to: wholeNumber(option, to) }),
  };
  if (range.from !== undefined && range.to !== undefined && range.from > range.to) {
    throw new UsageError(`${option} ${text} ends before it starts`);
  }
  return range;
}

/** A number of blocks to list, or `all`. */
export function blockCount(option: string, text: string): number {
  return text === "all" ? Number.POSITIVE_INFINITY : wholeNumber(option, text);
}

/** `key=value` at the first `=`; `undefined` as key when there is none. */
export function splitAssignment(text: string): { key: string | undefined; value: string } {
  const at = text.indexOf("=");
  return at < 0 ? { key: undefined, value: text } : { key: text.slice(0, at), value: text.slice(at + 1) };
}
