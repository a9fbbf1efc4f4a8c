/**
 * Tests conditions against minimum and maximum values: of the pages of a chunk (its column index) or of whole chunks (statistics).
 * Bounds are bytes in PLAIN encoding, strings without length. Long strings may be truncated, the maximum then rounded up.
 */
import { ByteBuilder, ByteReader, CFileError } from "@cfile/bytes";
import { batchOfVector, type ScalarBatch } from "@cfile/encodings";
import { sliceRows } from "@cfile/encodings/batches";
import { type ColumnCondition, ConditionTest } from "@cfile/encodings/conditions";
import { leafWidth, plainValues } from "../pages/leaf-values.js";
import { vectorOf } from "../read/leaf-batch.js";
import type { ReadableLeaf } from "../schema/readable-leaf.js";

/** Bounds of consecutive parts of a chunk. */
export interface PartBounds {
  /** Whether all values are null. */
  readonly areNull: readonly boolean[];
  /** `undefined` when unknown. */
  readonly nullCounts: readonly number[] | undefined;
  /** Empty where all values are null. */
  readonly mins: readonly Uint8Array[];
  readonly maxs: readonly Uint8Array[];
}

/** Whether a column's bounds have the order that conditions use. */
export function hasOrder({ leaf, kind }: ReadableLeaf): boolean {
  const isInterval = leaf.element.converted_type === "INTERVAL";
  return leaf.type !== "INT96" && kind.type !== "INT128" && !isInterval && !leaf.array;
}

/** Per part, 1 if it may have rows that meet a condition, else 0. */
export function mayMeet(condition: ColumnCondition, bounds: PartBounds, column: ReadableLeaf): Uint8Array {
  const { op } = condition;
  const { areNull, nullCounts } = bounds;
  if (op === "isNull") {
    return Uint8Array.from(areNull, (isNull, i) => (isNull || nullCounts?.[i] !== 0 ? 1 : 0));
  }
  const marks = Uint8Array.from(areNull, (isNull) => (isNull ? 0 : 1));
  const known = op === "isNotNull" ? undefined : boundBatches(bounds, column);
  if (known === undefined) {
    return marks;
  }
  const { min, max, isKnown } = known;
  const tested = testBounds(condition, min, max);
  return marks.map((mark, i) => (isKnown[i] === 1 ? mark & (tested[i] as number) : mark));
}

function testBounds({ op, operands }: ColumnCondition, min: ScalarBatch, max: ScalarBatch): Uint8Array {
  const ones = () => new Uint8Array(min.length).fill(1);
  const apply = (batch: ScalarBatch, own: ColumnCondition["op"], wanted = operands) => {
    const marks = ones();
    new ConditionTest({ op: own, operands: wanted }).apply(batch, marks);
    return marks;
  };
  switch (op) {
    case "<":
    case "<=":
      return apply(min, op);
    case ">":
    case ">=":
      return apply(max, op);
    case "prefix": {
      // The minimum is below the prefix or starts with it.
      const [below, starts, above] = [apply(min, "<="), apply(min, "prefix"), apply(max, ">=")];
      return ones().map((_, i) => ((below[i] as number) | (starts[i] as number)) & (above[i] as number));
    }
    default: {
      const marks = new Uint8Array(min.length);
      for (let i = 0; i < operands.length; i++) {
        const wanted = sliceRows(operands, i, i + 1);
        const [below, above] = [apply(min, "<=", wanted), apply(max, ">=", wanted)];
        for (let part = 0; part < marks.length; part++) {
          marks[part] = (marks[part] as number) | ((below[part] as number) & (above[part] as number));
        }
      }
      return marks;
    }
  }
}

/** Bounds as batches; `undefined` when they are not values of the column. */
function boundBatches({ mins, maxs, areNull }: PartBounds, column: ReadableLeaf) {
  const width = leafWidth(column.leaf);
  const isKnown = Uint8Array.from(areNull, (isNull, i) => {
    const sizes = [mins[i]?.length, maxs[i]?.length];
    return isNull || (width !== undefined && sizes.some((size) => size !== Math.max(1, width))) ? 0 : 1;
  });
  try {
    const min = batchOf(mins, isKnown, column);
    const max = batchOf(maxs, isKnown, column);
    return { min, max, isKnown: isKnown.map((known, i) => (hasNaN(min, i) || hasNaN(max, i) ? 0 : known)) };
  } catch (error) {
    // Truncated decimals, or timestamps that exceed microseconds.
    if (error instanceof CFileError) {
      return undefined;
    }
    throw error;
  }
}

function batchOf(
  values: readonly Uint8Array[],
  isKnown: Uint8Array,
  { leaf, kind }: ReadableLeaf,
): ScalarBatch {
  const width = leafWidth(leaf);
  const plain = new ByteBuilder();
  const bits = new Uint8Array(Math.ceil(values.length / 8));
  const empty = new Uint8Array(width ?? 0);
  values.forEach((value, i) => {
    const known = isKnown[i] === 1 ? value : empty;
    if (width === undefined) {
      plain.u32le(known.length);
    }
    plain.append(known);
    bits[i >>> 3] = (bits[i >>> 3] as number) | (((known[0] ?? 0) & 1) << (i & 7));
  });
  const reader = new ByteReader(width === 0 ? bits : plain.finish());
  const vector = vectorOf(plainValues(reader, values.length, width), kind);
  const rows = { type: kind.type, length: values.length, firstRow: 0, validity: undefined, nullCount: 0 };
  return batchOfVector(rows, vector);
}

function hasNaN(batch: ScalarBatch, i: number): boolean {
  return batch.kind === "fixed" && Number.isNaN(Number(batch.values[i]));
}
