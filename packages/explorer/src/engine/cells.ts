/** Batches as the cells that the page shows. */
import { plainCells } from "@cfile/cell-text";
import type { ColumnBatch, DataType } from "@cfile/encodings";
import type { CellView, ColumnView } from "../protocol.js";

/** Characters of a cell that are shown; the block view has all of them. */
const MOST_CHARACTERS = 400;

export function cellsOf(batch: ColumnBatch): CellView[] {
  return plainCells(batch, { decode: true }).map((text) => (text === undefined ? null : cut(text)));
}

export function cut(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

export function columnView(name: string, type: DataType, array: boolean, nullable: boolean): ColumnView {
  const isText = ["STRING", "VARCHAR", "BINARY", "BOOL", "IS_DELETED"].includes(type) || array;
  return {
    name,
    type: `${type}${array ? "[]" : ""}${nullable ? "?" : ""}`,
    align: isText ? "left" : "right",
  };
}

/** Columns of cells as rows of cells. */
export function rowsOfColumns(columns: readonly (readonly CellView[])[]): CellView[][] {
  const [first = []] = columns;
  return first.map((_, i) => columns.map((column) => column[i] ?? null));
}

export function countText(value: number): string {
  return value.toLocaleString("en-US");
}

export function sizeText(bytes: number): string {
  if (bytes < 1024) {
    return `${bytes} B`;
  }
  const power = Math.min(4, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${value.toFixed(value < 10 ? 1 : 0)} ${["", "KiB", "MiB", "GiB", "TiB"][power]}`;
}
