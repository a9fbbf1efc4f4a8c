/**
 * Turns levels and values into vectors (docs/spec/parquet.md#5-levels). An entry of a leaf's levels has a slot of a field if its repetition
 * level is at most the number of lists around the field, and its definition level says that each of these lists has an element.
 */
import { bitmapByteLength, corrupt, setBit } from "@cfile/bytes";
import type { DataPage } from "../pages/data-page.js";
import { scalarOfLevels, vectorOf } from "../read/leaf-batch.js";
import type { LeafKind } from "../schema/leaf-kind.js";
import { type LeafField, leafFields, type ParquetField } from "./field-tree.js";
import { ListVector, MapVector, type NestedVector, type Slots, StructVector } from "./nested-vector.js";

/** The same rows of all leaves of a column, by the index of the leaf. */
export type ColumnRows = ReadonlyMap<number, LeafEntries>;

/** Levels and values of a leaf. */
export interface LeafEntries extends DataPage {
  readonly kind: LeafKind;
}

/**
 * The rows of a column.
 * @throws {CFileError} `E_CORRUPT` when leaves of one struct disagree, or for values that their type cannot represent
 */
export function assemble(field: ParquetField, rows: ColumnRows, firstRow: number): NestedVector {
  switch (field.kind) {
    case "leaf":
      return leafVector(field, entriesOf(field, rows), firstRow);
    case "struct": {
      requireSame(field.fields, rows, field.repetition, field.present);
      const slots = slotsOf(field, entriesOf(field, rows));
      const children = field.fields.map((child) => assemble(child, rows, firstRow));
      return new StructVector(
        slots,
        field.fields.map(({ name }) => name),
        children,
      );
    }
    case "list": {
      const { slots, offsets } = listOf(field, entriesOf(field, rows), field.element.slot);
      return new ListVector(slots, offsets, assemble(field.element, rows, 0));
    }
    case "map": {
      const { key, value } = field;
      requireSame([key, value], rows, key.repetition, key.slot);
      const { slots, offsets } = listOf(field, entriesOf(key, rows), key.slot);
      return new MapVector(slots, offsets, assemble(key, rows, 0), assemble(value, rows, 0));
    }
  }
}

/** The entries of the first leaf below a field: all leaves of a field agree on its slots. */
function entriesOf(field: ParquetField, rows: ColumnRows): LeafEntries {
  const [first] = leafFields(field);
  const entries = first && rows.get(first.leaf.index);
  if (entries === undefined) {
    throw corrupt(`field without columns: ${field.name}`, { field: "schema" });
  }
  return entries;
}

function leafVector(field: LeafField, entries: LeafEntries, firstRow: number): NestedVector {
  const { kind } = entries;
  const { definitions } = slotLevels(field, entries);
  const length = definitions?.length ?? entries.length;
  const vector = vectorOf(entries.values, kind);
  return scalarOfLevels({ definitions, length }, field.leaf.maxDefinition, vector, kind, firstRow);
}

/** Definition levels of a leaf's slots: those of elements that exist. */
function slotLevels({ slot, repetition }: LeafField, { definitions, length }: LeafEntries) {
  if (definitions === undefined || repetition === 0) {
    return { definitions };
  }
  const kept = new Uint8Array(length);
  let count = 0;
  for (let i = 0; i < length; i++) {
    const definition = definitions[i] as number;
    kept[count] = definition;
    count += definition >= slot ? 1 : 0;
  }
  return { definitions: kept.subarray(0, count) };
}

function slotsOf({ repetition, slot, present }: ParquetField, entries: LeafEntries): Slots {
  const { definitions, repetitions, length: levels } = entries;
  if (definitions === undefined) {
    return { length: levels, validity: undefined, nullCount: 0 };
  }
  const validity = new Uint8Array(bitmapByteLength(levels));
  let length = 0;
  let nullCount = 0;
  for (let i = 0; i < levels; i++) {
    const definition = definitions[i] as number;
    if (definition < slot || (repetitions !== undefined && (repetitions[i] as number) > repetition)) {
      continue;
    }
    if (definition >= present) {
      setBit(validity, length);
    } else {
      nullCount++;
    }
    length++;
  }
  return { length, validity: validity.subarray(0, bitmapByteLength(length)), nullCount };
}

/** @param element minimum definition level of an element */
function listOf({ repetition, slot, present, name }: ParquetField, entries: LeafEntries, element: number) {
  const { definitions, repetitions, length: levels } = entries;
  if (definitions === undefined || repetitions === undefined) {
    throw corrupt(`list ${name} has no levels`, { field: "levels" });
  }
  const validity = new Uint8Array(bitmapByteLength(levels));
  const offsets = new Int32Array(levels + 1);
  let length = 0;
  let nullCount = 0;
  let elements = 0;
  for (let i = 0; i < levels; i++) {
    const definition = definitions[i] as number;
    const level = repetitions[i] as number;
    if (level > repetition + 1 || definition < slot) {
      continue;
    }
    if (level <= repetition) {
      offsets[length] = elements;
      if (definition >= present) {
        validity[length >>> 3] = (validity[length >>> 3] as number) | (1 << (length & 7));
      } else {
        nullCount++;
      }
      length++;
    }
    elements += definition >= element ? 1 : 0;
  }
  offsets[length] = elements;
  const slots = { length, validity: validity.subarray(0, bitmapByteLength(length)), nullCount };
  return { slots, offsets: offsets.subarray(0, length + 1) };
}

/** Requires that the fields of a struct, or the keys and values of a map, have the same slots. */
function requireSame(
  fields: readonly ParquetField[],
  rows: ColumnRows,
  repetition: number,
  definition: number,
): void {
  const [first, ...others] = fields;
  for (const other of others) {
    if (
      first !== undefined &&
      !areSame(entriesOf(first, rows), entriesOf(other, rows), repetition, definition)
    ) {
      const reason = `${first.name} and ${other.name} have different levels`;
      throw corrupt(reason, { field: "levels" });
    }
  }
}

/** Whether two leaves agree up to these levels. */
function areSame(a: LeafEntries, b: LeafEntries, repetition: number, definition: number): boolean {
  let i = nextEntry(a, 0, repetition);
  let j = nextEntry(b, 0, repetition);
  while (i < a.length && j < b.length) {
    const isSame =
      Math.min(a.definitions?.[i] ?? definition, definition) ===
        Math.min(b.definitions?.[j] ?? definition, definition) &&
      (a.repetitions?.[i] ?? 0) === (b.repetitions?.[j] ?? 0);
    if (!isSame) {
      return false;
    }
    i = nextEntry(a, i + 1, repetition);
    j = nextEntry(b, j + 1, repetition);
  }
  return i === a.length && j === b.length;
}

/** The next entry that has a slot below `repetition` lists. */
function nextEntry({ repetitions, length }: LeafEntries, from: number, repetition: number): number {
  let at = from;
  if (repetitions !== undefined) {
    while (at < length && (repetitions[at] as number) > repetition) {
      at++;
    }
  }
  return at;
}
