/** Several CFiles as the columns of a table: what formats of whole tables take and give. */
import type { DataType } from "@cfile/encodings";
import { alignBatches, type TableBatch } from "@cfile/encodings/batches";
import { type Digits, digitsOf } from "../file/decimal-digits.js";
import type { CFileReader } from "./reader.js";
import type { ScanOptions } from "./reader-options.js";

/** A column of a table: its name and type. */
export interface TableColumn {
  readonly name: string;
  readonly type: DataType;
  readonly nullable: boolean;
  /** Whether cells are arrays of `type`. */
  readonly array: boolean;
  /** Decimals: digits in all. Default: as many as fit, 9, 18 or 38. */
  readonly precision?: number | undefined;
  /** Decimals: digits after the point. Default 0. */
  readonly scale?: number | undefined;
}

/** Rows, and what their columns are. Columns of a row set's schema and batches of its scan are such. */
export interface TableRows {
  readonly columns: readonly TableColumn[];
  readonly rows: AsyncIterable<TableBatch>;
}

/**
 * CFiles, by name, as the columns of a table.
 *
 * @param digits by name: precision and scale of decimals. Default: those in the file's metadata, if any
 * @param options of the scan of each file. An `arena` is not for tables that are kept
 */
export function tableOfFiles(
  files: Readonly<Record<string, CFileReader>>,
  digits: Readonly<Record<string, Digits>> = {},
  options: Omit<ScanOptions, "arena" | "where"> = {},
): TableRows {
  const entries = Object.entries(files);
  return {
    columns: entries.map(([name, file]) => {
      const { type, nullable, array } = file;
      return { name, type, nullable, array, ...digitsOf(file), ...digits[name] };
    }),
    rows: alignBatches(Object.fromEntries(entries.map(([name, file]) => [name, file.scan(options)]))),
  };
}
