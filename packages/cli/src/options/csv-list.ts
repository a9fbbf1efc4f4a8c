/** Lists on the command line: the fields of one CSV record, so that an item with a comma can be quoted. */
import { CsvError } from "csv-parse";
import { parse } from "csv-parse/sync";
import { invalidValue } from "../program/option.js";

/** @throws UsageError for misplaced quotes */
export function csvList(option: string, text: string): string[] {
  try {
    const [record = [], ...others]: string[][] = parse(text, { delimiter: ",", relax_column_count: true });
    if (others.length === 0) {
      return record;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) {
      throw error;
    }
  }
  throw invalidValue(option, text, 'must be separated by commas; quote an item that has one: "a, b"');
}

/**
 * Names separated by commas.
 *
 * @throws UsageError for an empty list, an empty name or a duplicate
 */
export function nameList(option: string, text: string): string[] {
  const names = csvList(option, text).map((name) => name.trim());
  if (names.length === 0 || names.includes("") || new Set(names).size < names.length) {
    throw invalidValue(option, text, "must be different names, separated by commas");
  }
  return names;
}
