/** Random values of every type, for properties. */
import { toHex } from "@cfile/bytes";
import fc from "fast-check";
import { DATA_TYPES, type DataType, physicalWidth, type Vector } from "../src/index.js";
import { type GoldenValue, vectorFromGolden } from "./golden.js";
import type { Cell } from "./vectors.js";

/** One value, including extremes and NaN payloads, and frequently equal values. */
export function anyCell(type: DataType): fc.Arbitrary<Cell> {
  const { physical } = DATA_TYPES[type];
  if (physical === "BOOL") {
    return fc.boolean();
  }
  if (physical === "BINARY") {
    return fc.oneof(
      fc.constantFrom("", "00", "61", "6100", "616263"),
      fc.uint8Array({ maxLength: 40 }).map(toHex),
      fc.nat(300).map((n) => toHex(new TextEncoder().encode(`key ${n}`))),
    );
  }
  const bits = 8n * BigInt(physicalWidth(physical));
  const unsigned = physical.startsWith("U") || physical === "FLOAT" || physical === "DOUBLE";
  const [min, max] = unsigned ? [0n, (1n << bits) - 1n] : [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n];
  const cell = fc.oneof(
    fc.constantFrom(min, max, 0n, 1n),
    fc.bigInt({ min: unsigned ? 0n : -20n, max: 20n }),
    fc.bigInt({ min, max }),
  );
  return bits > 32n ? cell : cell.map(Number);
}

/** Values with runs of equal ones, up to a few hundred. */
export function anyCells(type: DataType, maxPieces = 12): fc.Arbitrary<Cell[]> {
  const cell = anyCell(type);
  const piece = fc.oneof(
    fc.array(cell, { maxLength: 20 }),
    fc
      .tuple(cell, fc.integer({ min: 1, max: 70 }))
      .map(([value, count]) => new Array<Cell>(count).fill(value)),
  );
  return fc.array(piece, { maxLength: maxPieces }).map((pieces) => pieces.flat());
}

function goldenValue(type: DataType, cell: Cell): GoldenValue {
  const { physical } = DATA_TYPES[type];
  if (physical === "FLOAT" || physical === "DOUBLE") {
    return {
      bits: BigInt(cell)
        .toString(16)
        .padStart(2 * physicalWidth(physical), "0"),
    };
  }
  return typeof cell === "bigint" ? String(cell) : cell;
}

export function vectorOfCells(type: DataType, cells: readonly Cell[]): Vector {
  return vectorFromGolden(
    type,
    cells.map((cell) => goldenValue(type, cell)),
  );
}

/** Whether a value is less than another, for types that have an order. */
export function compareCells(left: Cell, right: Cell): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
