/**
 * Vectors of nested fields, in Arrow's layout.
 *
 * | kind | fields |
 * | --- | --- |
 * | `struct` | `children`: one vector per field, each as long as the struct |
 * | `list` | `offsets`: Int32Array of `length + 1`; `child`: all elements |
 * | `map` | `offsets`: Int32Array of `length + 1`; `keys`, `values`: all entries |
 * | any | `validity`: bitmap, 1 = present, or `undefined` when no slot is null; `nullCount`; `length` |
 *
 * Leaves are column batches of `@cfile/encodings`. A null list is empty; a null struct has a null, zero or empty slot in each child.
 */
import { getBit } from "@cfile/bytes";
import type { CellOptions, CellValue, ScalarBatch } from "@cfile/encodings";

/** Values of a field: of a leaf, a struct, a list or a map. */
export type NestedVector = ScalarBatch | StructVector | ListVector | MapVector;

/** A JavaScript value: lists are arrays, structs are objects, maps are `Map`s. */
export type NestedValue =
  | CellValue
  | NestedValue[]
  | Map<NestedValue, NestedValue>
  | { [name: string]: NestedValue };

/** The slots of a vector. */
export interface Slots {
  readonly length: number;
  /** Bitmap, 1 = present; `undefined` when no slot is null. */
  readonly validity: Uint8Array | undefined;
  readonly nullCount: number;
}

abstract class Nested implements Slots {
  readonly length: number;
  readonly validity: Uint8Array | undefined;
  readonly nullCount: number;

  constructor({ length, validity, nullCount }: Slots) {
    this.length = length;
    this.validity = nullCount > 0 ? validity : undefined;
    this.nullCount = nullCount;
  }

  /** Whether slot `index` is null. The index is not checked. */
  isNull(index: number): boolean {
    return this.validity !== undefined && !getBit(this.validity, index);
  }

  /** One value; `undefined` outside the vector. @throws {CFileError} as the `get` of a batch */
  get(index: number, options: CellOptions = {}): NestedValue | undefined {
    if (!(index >= 0 && index < this.length)) {
      return undefined;
    }
    return this.isNull(index) ? null : this.value(index, options);
  }

  /** All values. @throws {CFileError} as the `toArray` of a batch */
  toArray(options: CellOptions = {}): NestedValue[] {
    const read = this.reader(options);
    return Array.from({ length: this.length }, (_, i) => (this.isNull(i) ? null : read(i)));
  }

  /** The value of a slot that is not null. */
  protected abstract value(index: number, options: CellOptions): NestedValue;
  /** Returns a function that reads slots, for vectors that are read as a whole. */
  protected abstract reader(options: CellOptions): (index: number) => NestedValue;
}

/** Structs: slot `i` has value `i` of each child. */
export class StructVector extends Nested {
  readonly kind = "struct";
  /** Names of the fields; unique in files of all known writers. */
  readonly names: readonly string[];
  readonly children: readonly NestedVector[];

  constructor(slots: Slots, names: readonly string[], children: readonly NestedVector[]) {
    super(slots);
    this.names = names;
    this.children = children;
  }

  protected value(index: number, options: CellOptions): NestedValue {
    return Object.fromEntries(
      this.names.map((name, i) => [name, this.children[i]?.get(index, options) ?? null]),
    );
  }

  protected reader(options: CellOptions): (index: number) => NestedValue {
    const columns = this.children.map((child) => child.toArray(options));
    return (index) => Object.fromEntries(this.names.map((name, i) => [name, columns[i]?.[index] ?? null]));
  }
}

/** Lists: slot `i` has elements `offsets[i]` to `offsets[i + 1]` of `child`. */
export class ListVector extends Nested {
  readonly kind = "list";
  readonly offsets: Int32Array;
  readonly child: NestedVector;

  constructor(slots: Slots, offsets: Int32Array, child: NestedVector) {
    super(slots);
    this.offsets = offsets;
    this.child = child;
  }

  protected value(index: number, options: CellOptions): NestedValue {
    return range(this.offsets, index, (i) => this.child.get(i, options) ?? null);
  }

  protected reader(options: CellOptions): (index: number) => NestedValue {
    const elements: readonly NestedValue[] = this.child.toArray(options);
    return (index) => elements.slice(this.offsets[index], this.offsets[index + 1]);
  }
}

/** Maps: slot `i` has entries `offsets[i]` to `offsets[i + 1]` of `keys` and `values`. */
export class MapVector extends Nested {
  readonly kind = "map";
  readonly offsets: Int32Array;
  readonly keys: NestedVector;
  readonly values: NestedVector;

  constructor(slots: Slots, offsets: Int32Array, keys: NestedVector, values: NestedVector) {
    super(slots);
    this.offsets = offsets;
    this.keys = keys;
    this.values = values;
  }

  protected value(index: number, options: CellOptions): NestedValue {
    const { keys, values, offsets } = this;
    return new Map(
      range(offsets, index, (i) => [keys.get(i, options) ?? null, values.get(i, options) ?? null]),
    );
  }

  protected reader(options: CellOptions): (index: number) => NestedValue {
    const keys: readonly NestedValue[] = this.keys.toArray(options);
    const values: readonly NestedValue[] = this.values.toArray(options);
    return (index) => new Map(range(this.offsets, index, (i) => [keys[i] ?? null, values[i] ?? null]));
  }
}

function range<T>(offsets: Int32Array, index: number, valueAt: (position: number) => T): T[] {
  const values: T[] = [];
  for (let i = offsets[index] as number; i < (offsets[index + 1] as number); i++) {
    values.push(valueAt(i));
  }
  return values;
}
