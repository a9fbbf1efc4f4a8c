/** Lists on the command line: the fields of one CSV record, so that an item with a comma can be quoted. */
import { CsvError } from "csv-parse";
import { parse } from "csv-parse/sync";
import { UsageError } from "../program/exit-code.js";

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
  throw new UsageError(`${option} takes a list with commas, items in quotes if need be; "${text}" is none`);
}

/**
 * Names with commas between.
 *
 * @throws UsageError for an empty list, an empty name or one that comes twice
 */
export function nameList(option: string, text: string): string[] {
  const names = csvList(option, text).map((name) => name.trim());
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (names.length === 0 || names.includes("") || twice !== undefined) {
    throw new UsageError(`${option} takes different names with commas between; "${text}" is no such list`);
  }
  return names;
}
