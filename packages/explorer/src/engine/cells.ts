/** Batches as the cells that the page shows, and numbers as text. */
import { toHex } from "@cfile/bytes";
import { plainCells } from "@cfile/cell-text";
import type { ColumnBatch } from "@cfile/encodings";
import type { CFileReader } from "@cfile/format";
import type { CellView, ColumnView, Fact } from "../protocol.js";

/** Maximum length of a cell in the table; the block view shows the whole cell. */
const MAX_CHARACTERS = 400;

/** @param scale digits after the point of decimals; without it they stay unscaled */
export function cellsOf(batch: ColumnBatch, scale?: number): CellView[] {
  return plainCells(batch, { decode: true, scale }).map((text) => (text === undefined ? null : cut(text)));
}

export function cut(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}

/** Bytes as text, or as hexadecimal digits if they are not text. */
export function bytesText(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes);
  return isPrintable(text) ? text : `0x${toHex(bytes)}`;
}

export function isPrintable(text: string): boolean {
  return !/[\p{Cc}\uFFFD]/u.test(text);
}

type ColumnSpec = Pick<CFileReader, "type" | "array" | "nullable"> & { readonly name?: string };

export function columnView({ name = "value", type, array, nullable }: ColumnSpec): ColumnView {
  const isText = ["STRING", "VARCHAR", "BINARY", "BOOL", "IS_DELETED"].includes(type) || array;
  const align = isText ? "left" : "right";
  return { name, type: `${type}${array ? "[]" : ""}${nullable ? "?" : ""}`, align };
}

/** Columns of cells as rows of cells. */
export function rowsOfColumns(columns: readonly (readonly CellView[])[]): CellView[][] {
  const [first = []] = columns;
  return first.map((_, i) => columns.map((column) => column[i] ?? null));
}

/** Columns of a table as rows of cells. */
export function rowsOfBatches(
  batches: readonly ColumnBatch[],
  columns: readonly { readonly scale?: number | undefined }[],
): CellView[][] {
  return rowsOfColumns(batches.map((batch, i) => cellsOf(batch, columns[i]?.scale)));
}

export function fact(label: string, value: string | number): Fact {
  return { label, value: typeof value === "number" ? countText(value) : value };
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
