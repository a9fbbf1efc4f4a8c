/**
 * Bounds of columns in manifests (https://iceberg.apache.org/spec/#binary-single-value-serialization).
 *
 * | type | bytes |
 * | --- | --- |
 * | boolean | 0 or 1 |
 * | int, date; long, timestamptz | 4; 8, little-endian |
 * | decimal | the unscaled value, big-endian two's complement, in as few bytes as possible |
 * | string, binary | UTF-8; the bytes |
 *
 * Floating point has no bounds here: readers differ in how they order NaN, which the bounds do not cover.
 */
import type { IcebergType } from "./iceberg-schema.js";

/** A bound as the Parquet writer returns it. */
export type BoundValue = number | bigint | boolean | Uint8Array;

export interface SerializedBounds {
  readonly lower?: Uint8Array;
  readonly upper?: Uint8Array;
}

/** Maximum characters of strings, and bytes of binary values, in bounds. */
const MAX_LENGTH = 16;
const MAX_CODE_POINT = 0x10ffff;

/** The bounds of a column; empty for lists and floating point. An upper bound that cannot be truncated is left out. */
export function serializedBounds(
  type: IcebergType,
  bounds: { readonly min: BoundValue; readonly max: BoundValue } | undefined,
): SerializedBounds {
  if (bounds === undefined || typeof type !== "string" || type === "float" || type === "double") {
    return {};
  }
  const { min, max } = bounds;
  const upper = max instanceof Uint8Array ? bytesAbove(type, max) : serializedValue(type, max);
  return {
    lower: min instanceof Uint8Array ? prefix(type, min) : serializedValue(type, min),
    ...(upper === undefined ? {} : { upper }),
  };
}

/** The whole value. */
export function serializedValue(type: string, value: number | bigint | boolean): Uint8Array {
  if (type.startsWith("decimal")) {
    return signedBytes(BigInt(value));
  }
  const bytes = new DataView(
    new ArrayBuffer(type === "boolean" ? 1 : type === "int" || type === "date" ? 4 : 8),
  );
  if (bytes.byteLength === 1) {
    bytes.setUint8(0, Number(value));
  } else if (bytes.byteLength === 4) {
    bytes.setInt32(0, Number(value), true);
  } else {
    bytes.setBigInt64(0, BigInt(value), true);
  }
  return new Uint8Array(bytes.buffer);
}

function signedBytes(value: bigint): Uint8Array {
  let length = 1;
  while (BigInt.asIntN(8 * length, value) !== value) {
    length++;
  }
  return Uint8Array.from({ length }, (_, i) => Number((value >> BigInt(8 * (length - 1 - i))) & 0xffn));
}

function prefix(type: string, bytes: Uint8Array): Uint8Array {
  return type === "string"
    ? new TextEncoder().encode(codePoints(bytes).slice(0, MAX_LENGTH).join(""))
    : bytes.slice(0, MAX_LENGTH);
}

/** The shortest text of at most 16 characters that is not less: the last character that can be increased is increased. */
function textAbove(bytes: Uint8Array): Uint8Array | undefined {
  const characters = codePoints(bytes);
  if (characters.length <= MAX_LENGTH) {
    return bytes;
  }
  for (let at = MAX_LENGTH - 1; at >= 0; at--) {
    const last = (characters[at] as string).codePointAt(0) as number;
    // Surrogates are not characters.
    const next = last === 0xd7ff ? 0xe000 : last + 1;
    if (next <= MAX_CODE_POINT) {
      return new TextEncoder().encode(characters.slice(0, at).join("") + String.fromCodePoint(next));
    }
  }
  return undefined;
}

function bytesAbove(type: string, bytes: Uint8Array): Uint8Array | undefined {
  if (type === "string") {
    return textAbove(bytes);
  }
  if (bytes.length <= MAX_LENGTH) {
    return bytes;
  }
  for (let at = MAX_LENGTH - 1; at >= 0; at--) {
    const last = bytes[at] as number;
    if (last < 0xff) {
      const above = bytes.slice(0, at + 1);
      above[at] = last + 1;
      return above;
    }
  }
  return undefined;
}

/** Only the start is decoded: 17 characters have at most 68 bytes, and a character that is cut comes after those. */
function codePoints(bytes: Uint8Array): string[] {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, 4 * (MAX_LENGTH + 1)));
  return [...text].slice(0, MAX_LENGTH + 1);
}
