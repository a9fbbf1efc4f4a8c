/**
 * The golden blocks of `fixtures/golden/blocks`, written by Kudu's own block builders, and their values as vectors
 * (how values are written in JSON: `fixtures/golden/README.md`).
 */

import { bitmapByteLength, fromHex, setBit } from "@cfile/bytes";
import { listGolden, readGoldenJson } from "@cfile-tools/testkit";
import { writeInt128 } from "../src/types/cell-value.js";
import { DATA_TYPES, type DataType } from "../src/types/data-type.js";
import type { EncodingType } from "../src/types/encoding-type.js";
import {
  allocateFixed,
  type BinaryVector,
  bytesOf,
  type FixedVector,
  type Vector,
} from "../src/types/vector.js";

/** A value in JSON; one kind per type. */
export type GoldenValue = number | string | boolean | { readonly bits: string };

export interface GoldenBlock {
  readonly ordinal_pos: number;
  readonly count: number;
  /** Bytes of the block; for dictionary blocks, of the code block. */
  readonly hex: string;
  readonly values: readonly GoldenValue[];
}

export interface GoldenBlocks {
  readonly type: DataType;
  readonly encoding: EncodingType;
  readonly block_restart_interval: number;
  readonly cases: readonly GoldenBlock[];
}

/** The parsed content of `fixtures/golden/blocks/NAME.json`. */
export function loadGolden<T>(name: string): T {
  return readGoldenJson(`blocks/${name}.json`) as T;
}

/** Names of all files with blocks, e.g. `block_int32_rle`. */
export function goldenBlockNames(): string[] {
  return listGolden("blocks", ".json").filter((name) => name.startsWith("block_"));
}

/** The blocks of one type and encoding, e.g. `block_int32_rle`. */
export function loadGoldenBlocks(name: string): GoldenBlocks {
  return loadGolden<GoldenBlocks>(name);
}

/** A vector of the values, whose JSON kind must match the type. */
export function vectorFromGolden(type: DataType, values: readonly GoldenValue[]): Vector {
  const { physical } = DATA_TYPES[type];
  const { length } = values;
  if (physical === "BINARY") {
    const parts = values.map((value) => fromHex(String(value)));
    const offsets = new Int32Array(length + 1);
    parts.forEach((part, i) => {
      offsets[i + 1] = (offsets[i] as number) + part.length;
    });
    const data = new Uint8Array(offsets[length] as number);
    parts.forEach((part, i) => {
      data.set(part, offsets[i]);
    });
    return { kind: "binary", length, offsets, data };
  }
  if (physical === "BOOL") {
    const bits = new Uint8Array(bitmapByteLength(length));
    values.forEach((value, i) => {
      if (value === true) {
        setBit(bits, i);
      }
    });
    return { kind: "bool", length, values: bits };
  }
  const target = allocateFixed(physical, length);
  const view = new DataView(target.buffer);
  values.forEach((value, i) => {
    if (typeof value === "object") {
      // Bits rather than floats, to keep the payload of NaN values.
      bytesOf(target).set(fromHex(value.bits).reverse(), i * target.BYTES_PER_ELEMENT);
    } else if (physical === "INT128") {
      writeInt128(bytesOf(target), 16 * i, BigInt(value));
    } else if (physical === "INT64" || physical === "UINT64") {
      view.setBigUint64(8 * i, BigInt.asUintN(64, BigInt(value)), true);
    } else {
      target[i] = Number(value);
    }
  });
  return { kind: "fixed", physical, length, values: target } satisfies FixedVector;
}

/** The words of a dictionary: every value once, in the order of first use. */
export function wordsFromGolden(values: readonly GoldenValue[]): BinaryVector {
  const words = vectorFromGolden("BINARY", [...new Set(values)]);
  if (words.kind !== "binary") {
    throw new TypeError("strings make a binary vector");
  }
  return words;
}

/** The bytes of the vector's values, for comparison; bits after the last value are zero. */
export function vectorBytes(vector: Vector): Uint8Array {
  switch (vector.kind) {
    case "fixed":
      return bytesOf(vector.values);
    case "bool": {
      const bits = vector.values.slice(0, bitmapByteLength(vector.length));
      const last = bits.length - 1;
      if (vector.length % 8 !== 0) {
        bits[last] = (bits[last] as number) & (0xff >>> (8 - (vector.length % 8)));
      }
      return bits;
    }
    case "binary":
      return vector.data.subarray(vector.offsets[0], vector.offsets[vector.length]);
    case "dictionary":
      return bytesOf(vector.codes);
  }
}
