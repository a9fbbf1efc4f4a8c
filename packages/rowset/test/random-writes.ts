/** Random writes to a table store and to its model. */
import type { CellValue } from "@cfile/encodings";
import { MemoryDirectory } from "@cfile/io";
import fc from "fast-check";
import { expect } from "vitest";
import type { RowSetSchema } from "../src/index.js";
import { createTableStore, openTableStore, type TableStore } from "../src/store.js";
import { type Cells, RowModel } from "./row-model.js";

type Key = readonly [number, string];
type Rest = readonly [number | null, string | null, number, boolean | null];

const key = fc.tuple(fc.integer({ min: -3, max: 3 }), fc.constantFrom("", "x", "x\0y"));
const cells = fc.tuple(
  fc.option(fc.integer({ min: -100, max: 100 })),
  fc.option(fc.constantFrom("", "one", "two", "three")),
  fc.double({ noNaN: true }),
  fc.option(fc.boolean()),
);
/** `undefined` keeps the cell. */
const part = fc.tuple(
  fc.option(fc.option(fc.integer()), { nil: undefined }),
  fc.option(fc.option(fc.constantFrom("four", "five")), { nil: undefined }),
  fc.option(fc.double({ noNaN: true }), { nil: undefined }),
  fc.option(fc.option(fc.boolean()), { nil: undefined }),
);
const kind = <T extends string>(name: T): fc.Arbitrary<T> => fc.constant(name);
const wait = fc.integer({ min: 0, max: 3 });
const rows = fc.array(fc.tuple(key, cells), { maxLength: 5 });
const changed = fc.array(fc.tuple(key, part), { maxLength: 5 });
const keys = fc.array(key, { maxLength: 4 });
const operation = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: kind("upsert"), rows, wait }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("insert"), rows, wait }) },
  { weight: 4, arbitrary: fc.record({ kind: kind("update"), rows: changed, wait }) },
  { weight: 4, arbitrary: fc.record({ kind: kind("delete"), keys, wait }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("compact") }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("drop"), back: fc.integer({ min: 0, max: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("reopen") }) },
);
export const run = fc.record({
  first: fc.array(fc.tuple(key, cells), { maxLength: 12 }),
  operations: fc.array(operation, { maxLength: 14 }),
  asked: fc.array(fc.integer({ min: 0, max: 45 }), { minLength: 4, maxLength: 4 }),
  probes: fc.array(key, { minLength: 2, maxLength: 2 }),
  seed: fc.nat(),
});
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

/** A table store and its model. */
export class Subject {
  readonly model: RowModel;
  readonly schema: RowSetSchema;
  private readonly directory = new MemoryDirectory();
  private readonly keyLength: number;
  private opened: TableStore | undefined;
  private now = 5n;

  constructor(schema: RowSetSchema) {
    this.schema = schema;
    this.keyLength = schema.columns.filter(({ isKey }) => isKey).length;
    this.model = new RowModel(schema);
  }

  get handle(): TableStore {
    if (this.opened === undefined) {
      throw new TypeError("not open");
    }
    return this.opened;
  }

  keyOf(value: Key): Cells {
    return value.slice(0, this.keyLength);
  }

  async create(first: readonly (readonly [Key, Rest])[]): Promise<void> {
    const writer = await createTableStore(this.directory, this.schema, { timestamp: this.now });
    const begin = this.distinct(first);
    await writer.appendRows(begin.map(([k, value]) => [...k, ...value]));
    await writer.finish();
    this.put(begin);
    this.opened = await openTableStore(this.directory);
  }

  async apply(step: Operation): Promise<void> {
    const { handle } = this;
    this.now += BigInt("wait" in step ? step.wait : 0);
    switch (step.kind) {
      case "compact":
        return handle.compact();
      case "drop":
        return handle.dropHistoryBefore(this.now > BigInt(step.back) ? this.now - BigInt(step.back) : 0n);
      case "reopen":
        await handle.close();
        this.opened = await openTableStore(this.directory);
        return;
      case "delete":
        return this.delete(this.distinct(step.keys.map((k) => [k, 0] as const)).map(([k]) => k));
      case "update":
        return this.update(this.distinct(step.rows));
      case "insert":
        return this.insert(this.distinct(step.rows));
      case "upsert": {
        const given = this.distinct(step.rows);
        await handle.upsert(given.map(whole), this.now);
        this.put(given);
      }
    }
  }

  private async insert(given: readonly [Cells, Rest][]): Promise<void> {
    const absent = given.filter(([k]) => this.model.get(k) === undefined);
    if (absent.length < given.length) {
      await expect(this.handle.insert(given.map(whole), this.now)).rejects.toMatchObject({
        code: "E_INVALID_ARGUMENT",
      });
    }
    await this.handle.insert(absent.map(whole), this.now);
    this.put(absent);
  }

  private async update(given: readonly [Cells, readonly (CellValue | undefined)[]][]): Promise<void> {
    const present = given.filter(([k]) => this.model.get(k) !== undefined);
    if (present.length < given.length) {
      await expect(this.handle.update(given.map(whole), this.now)).rejects.toMatchObject({
        code: "E_NOT_FOUND",
      });
    }
    await this.handle.update(present.map(whole), this.now);
    this.put(
      present
        .filter(([, parts]) => parts.some((cell) => cell !== undefined))
        .map(([k, parts]) => [
          k,
          parts.map((cell, i) => (cell === undefined ? (this.model.get(k)?.[i] ?? null) : cell)),
        ]),
    );
  }

  private async delete(given: readonly Cells[]): Promise<void> {
    const present = given.filter((k) => this.model.get(k) !== undefined);
    if (present.length < given.length) {
      await expect(this.handle.delete(given, this.now)).rejects.toMatchObject({ code: "E_NOT_FOUND" });
    }
    await this.handle.delete(present, this.now);
    this.put(present.map((k) => [k, undefined]));
  }

  private put(written: readonly (readonly [Cells, Cells | undefined])[]): void {
    for (const [k, value] of written) {
      this.model.put(k, this.now, value);
    }
  }

  /** The last row of each key. */
  private distinct<T>(given: readonly (readonly [Key, T])[]): [Cells, T][] {
    const last = new Map<string, [Cells, T]>();
    for (const [k, value] of given) {
      last.set(JSON.stringify(this.keyOf(k)), [this.keyOf(k), value]);
    }
    return [...last.values()];
  }
}

function whole([key, cells]: readonly [Cells, readonly (CellValue | undefined)[]]): (
  | CellValue
  | undefined
)[] {
  return [...key, ...cells];
}
