/** Opens a Hudi table for a command. */
import { printable } from "@cfile/cell-text";
import type { FileSlice, HudiColumn, HudiInstant, HudiTable } from "@cfile/hudi";
import { invalidValue, required, text, value } from "../program/option.js";

export const HUDI_TABLE = required(text("TABLE", "folder of a Hudi table, or its http(s): URL"));

const instant = (name: string, given: string): string => {
  const digits = given.replace(/[-:T.Z ]/g, "");
  if (!/^(\d{14}|\d{17}|\d{20})$/.test(digits)) {
    throw invalidValue(name, given, "must be an instant like 20260228120000000 or 2026-02-28T12:00:00.000");
  }
  return digits;
};

export const INSTANT = (summary: string, preset?: string) => value("INSTANT", summary, instant, preset);
export const HUDI_AS_OF = INSTANT("read the table as of INSTANT", "latest");

/** Opens the table for as long as `work` runs. */
export async function withHudiTable<T>(table: string, work: (table: HudiTable) => Promise<T>): Promise<T> {
  const { openHudiTable } = await import("@cfile/hudi");
  await using opened = await openHudiTable(table);
  return await work(opened);
}

/** Reports the columns that formats without nesting leave out, and returns their names. */
export async function reportNested(
  stderr: { line(text: string): Promise<void> },
  columns: readonly HudiColumn[],
): Promise<string[]> {
  const nested = columns.flatMap(({ name, scalar, element }) =>
    (scalar ?? element) === undefined ? name : [],
  );
  if (nested.length > 0) {
    await stderr.line(`cfile: nested columns are left out: ${nested.map(printable).join(", ")}`);
  }
  return nested;
}

/** `[requested time, action, state, completion time, file]`. */
export function instantJson({ time, action, state, completionTime, file }: HudiInstant) {
  return [time, action, state, completionTime ?? null, file];
}

/** `[file id, base instant, base file, [log files]]`. */
export function sliceJson({ fileId, baseInstant, baseFile, logFiles }: FileSlice) {
  return [fileId, baseInstant, baseFile ?? null, logFiles];
}

/** The partition as text: `.` for the only one of a table without partitions. */
export function partitionText(partition: string): string {
  return partition === "" ? "." : partition;
}
