/** Several CFiles as the columns of a table, for conversion to and from formats that store whole tables. */
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
  /** Decimals: total digits. Default: the maximum of the type, 9, 18 or 38. */
  readonly precision?: number | undefined;
  /** Decimals: digits after the point. Default 0. */
  readonly scale?: number | undefined;
}

/** Columns and rows of a table. The columns of a row set's schema and the batches of its scan have these types. */
export interface TableRows {
  readonly columns: readonly TableColumn[];
  readonly rows: AsyncIterable<TableBatch>;
}

/**
 * Combines CFiles, by name, into a table.
 *
 * @param digits by name: precision and scale of decimals. Default: those in the file's metadata, if any
 * @param options of the scan of each file
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
