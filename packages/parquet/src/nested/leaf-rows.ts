/** Reads the levels and values of one leaf, any number of whole rows at a time. */
import { corrupt } from "@cfile/bytes";
import type { DataPage } from "../pages/data-page.js";
import { rowsOf, sliceValues } from "../pages/page-parts.js";
import type { PlacedPage } from "../read/range-pages.js";
import type { LeafKind } from "../schema/leaf-kind.js";
import type { LeafEntries } from "./assemble.js";
import type { LeafField } from "./field-tree.js";

/** Takes rows from one page at a time; pages consist of whole rows. */
export class LeafRows {
  /** Index of the leaf in the schema. */
  readonly index: number;
  /** The next row, counted from the start of the row group. */
  row = 0;
  private readonly field: LeafField;
  private readonly kind: LeafKind;
  private readonly pages: AsyncIterator<PlacedPage>;
  private page: DataPage | undefined;
  /** Levels and values taken from the page, and its remaining rows. */
  private level = 0;
  private value = 0;
  private rowsLeft = 0;

  constructor(field: LeafField, kind: LeafKind, pages: AsyncIterable<PlacedPage>) {
    this.index = field.leaf.index;
    this.field = field;
    this.kind = kind;
    this.pages = pages[Symbol.asyncIterator]();
  }

  /** Number of rows that can be taken at once; 0 after the last one. */
  async available(): Promise<number> {
    while (this.rowsLeft === 0) {
      const next = await this.pages.next();
      if (next.done === true) {
        return 0;
      }
      const { data, firstRow } = next.value;
      this.page = data;
      this.row = firstRow;
      this.level = 0;
      this.value = 0;
      this.rowsLeft = rowsOf(data);
      checkLevels(data, this.field);
    }
    return this.rowsLeft;
  }

  /** The next rows. @param rows at most the available ones */
  take(rows: number): LeafEntries {
    const { page, level: from, kind } = this;
    if (page === undefined) {
      throw new RangeError("no rows are available");
    }
    const isWhole = from === 0 && rows === this.rowsLeft;
    this.rowsLeft -= rows;
    this.row += rows;
    if (isWhole) {
      return { ...page, kind };
    }
    const to = this.rowsLeft === 0 ? page.length : endOfRows(page, from, rows);
    const present = this.presentIn(page, from, to);
    const values = sliceValues(page.values, this.value, this.value + present);
    this.level = to;
    this.value += present;
    return {
      length: to - from,
      definitions: page.definitions?.subarray(from, to),
      repetitions: page.repetitions?.subarray(from, to),
      values,
      kind,
    };
  }

  /** Ends reading. */
  async close(): Promise<void> {
    await this.pages.return?.();
  }

  private presentIn({ definitions }: DataPage, from: number, to: number): number {
    if (definitions === undefined) {
      return to - from;
    }
    const { maxDefinition } = this.field.leaf;
    let present = 0;
    for (let i = from; i < to; i++) {
      present += definitions[i] === maxDefinition ? 1 : 0;
    }
    return present;
  }
}

function endOfRows({ repetitions }: DataPage, from: number, rows: number): number {
  if (repetitions === undefined) {
    return from + rows;
  }
  let end = from;
  for (let left = rows; left > 0; left--) {
    end = repetitions.indexOf(0, end + 1);
  }
  return end;
}

/** Requires that entries continue only lists that have an element. */
function checkLevels({ definitions, repetitions, length }: DataPage, { elementLevels }: LeafField): void {
  if (definitions === undefined || repetitions === undefined) {
    return;
  }
  const minimum = Uint8Array.of(0, ...elementLevels);
  let before = 0;
  for (let i = 0; i < length; i++) {
    const required = minimum[repetitions[i] as number] as number;
    const definition = definitions[i] as number;
    if (definition < required || before < required) {
      throw corrupt("a list continues without an element", { field: "levels" });
    }
    before = definition;
  }
}
