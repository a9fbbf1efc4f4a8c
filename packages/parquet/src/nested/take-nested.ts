/** Parts of nested vectors: consecutive slots, without copying values, and copies of selected slots. */
import { bitmapByteLength, copyBits, countBits, getBit, setBit } from "@cfile/bytes";
import { sliceRows, takeRows } from "@cfile/encodings/batches";
import { ListVector, MapVector, type NestedVector, type Slots, StructVector } from "./nested-vector.js";

/** Slots `from` (inclusive) to `to` (exclusive). */
export function sliceNested(vector: NestedVector, from: number, to: number): NestedVector {
  if (from === 0 && to === vector.length) {
    return vector;
  }
  switch (vector.kind) {
    case "struct":
      return new StructVector(
        slicedSlots(vector, from, to),
        vector.names,
        vector.children.map((child) => sliceNested(child, from, to)),
      );
    case "list": {
      const { offsets, first, end } = slicedOffsets(vector.offsets, from, to);
      return new ListVector(slicedSlots(vector, from, to), offsets, sliceNested(vector.child, first, end));
    }
    case "map": {
      const { offsets, first, end } = slicedOffsets(vector.offsets, from, to);
      const keys = sliceNested(vector.keys, first, end);
      return new MapVector(
        slicedSlots(vector, from, to),
        offsets,
        keys,
        sliceNested(vector.values, first, end),
      );
    }
    default:
      return sliceRows(vector, from, to);
  }
}

/** Copies of the slots at these positions, in their order. */
export function takeNested(vector: NestedVector, positions: Uint32Array): NestedVector {
  switch (vector.kind) {
    case "struct":
      return new StructVector(
        takenSlots(vector, positions),
        vector.names,
        vector.children.map((child) => takeNested(child, positions)),
      );
    case "list": {
      const { offsets, elements } = takenElements(vector.offsets, positions);
      return new ListVector(takenSlots(vector, positions), offsets, takeNested(vector.child, elements));
    }
    case "map": {
      const { offsets, elements } = takenElements(vector.offsets, positions);
      const keys = takeNested(vector.keys, elements);
      return new MapVector(takenSlots(vector, positions), offsets, keys, takeNested(vector.values, elements));
    }
    default:
      return takeRows(vector, positions);
  }
}

function slicedSlots({ validity }: Slots, from: number, to: number): Slots {
  const length = to - from;
  if (validity === undefined) {
    return { length, validity, nullCount: 0 };
  }
  const bits = new Uint8Array(bitmapByteLength(length));
  copyBits(validity, from, bits, 0, length);
  return { length, validity: bits, nullCount: length - countBits(bits, 0, length) };
}

function slicedOffsets(given: Int32Array, from: number, to: number) {
  const first = given[from] as number;
  const offsets = given.slice(from, to + 1);
  for (let i = 0; i < offsets.length; i++) {
    offsets[i] = (offsets[i] as number) - first;
  }
  return { offsets, first, end: given[to] as number };
}

function takenSlots({ validity }: Slots, positions: Uint32Array): Slots {
  const { length } = positions;
  if (validity === undefined) {
    return { length, validity, nullCount: 0 };
  }
  const bits = new Uint8Array(bitmapByteLength(length));
  for (let i = 0; i < length; i++) {
    if (getBit(validity, positions[i] as number)) {
      setBit(bits, i);
    }
  }
  return { length, validity: bits, nullCount: length - countBits(bits, 0, length) };
}

function takenElements(given: Int32Array, positions: Uint32Array) {
  const offsets = new Int32Array(positions.length + 1);
  for (let i = 0; i < positions.length; i++) {
    const at = positions[i] as number;
    offsets[i + 1] = (offsets[i] as number) + (given[at + 1] as number) - (given[at] as number);
  }
  const elements = new Uint32Array(offsets[positions.length] as number);
  for (let i = 0, to = 0; i < positions.length; i++) {
    const at = positions[i] as number;
    for (let element = given[at] as number; element < (given[at + 1] as number); element++) {
      elements[to++] = element;
    }
  }
  return { offsets, elements };
}
