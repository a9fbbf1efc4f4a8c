/**
 * Joins the parts of an export. Parquet only gets a footer if all parts are in one file already. Otherwise, its row groups, and lines of
 * CSV and NDJSON, are copied unchanged. Arrow files and directories of CFiles are written from parts in the stream form of Arrow.
 */
import { createReadStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname, relative } from "node:path";
import type { TableBatch } from "@cfile/encodings/batches";
import { fileSink } from "@cfile/io/file";
import type { RowSetColumn } from "@cfile/rowset";
import type { Split } from "@cfile/splits";
import { openTable } from "../convert/open-table.js";
import { toSink } from "../convert/to-sink.js";
import { writeTable } from "../convert/write-table.js";
import type { CliContext } from "../program/context.js";
import type { ExportForm, ExportParts, PartForm } from "./export-parts.js";

/** The format of the parts of a target. */
export function partForm(form: ExportForm): PartForm {
  return form === "arrow" || form === "cfile" ? "arrows" : form;
}

export interface PartsToJoin {
  readonly target: string;
  readonly form: Exclude<ExportForm, "iceberg">;
  readonly columns: readonly RowSetColumn[];
  readonly stored: ExportParts;
  /** The splits whose parts are joined, at least one. */
  readonly written: readonly Split[];
}

export async function joinParts(
  context: CliContext,
  { target, form, columns, stored, written }: PartsToJoin,
): Promise<void> {
  const parts = written.map((split) => stored.path(split));
  const [only, ...others] = parts;
  if (only !== undefined && others.length === 0 && partForm(form) === form) {
    await rm(target, { recursive: true, force: true });
    const file = await open(only);
    await file.sync().finally(() => file.close());
    await rename(only, target);
    return;
  }
  if (form === "parquet") {
    const { joinParquet } = await import("@cfile/parquet/write");
    const joined = stored.joinedFile(written);
    const sink =
      joined &&
      (await fileSink(target, { temporaryName: relative(dirname(target), joined.path), kept: joined.bytes }));
    await joinParquet(sink ?? target, stored.sources(written), { written: joined?.bytes });
    return;
  }
  if (form === "csv" || form === "ndjson") {
    await joinLines(target, parts, form === "csv");
    return;
  }
  async function* rows(): AsyncGenerator<TableBatch, void, void> {
    for (const part of parts) {
      const text = { delimiter: ",", nullText: "" };
      const table = await openTable(context, [part], { from: "arrows", schema: undefined, text });
      try {
        for await (const batch of table.rows) {
          yield { ...batch, names: columns.map(({ name }) => name) };
        }
      } finally {
        await table.close();
      }
    }
  }
  const keyNames = columns.filter(({ isKey }) => isKey).map(({ name }) => name);
  await writeTable(target, { columns, rows: rows() }, { form, keyNames });
}

/** @param hasHeader whether each part starts with a header line; only that of the first part is copied */
function joinLines(target: string, parts: readonly string[], hasHeader: boolean) {
  return toSink(target, async (add) => {
    for (const [i, part] of parts.entries()) {
      let isHeader = hasHeader && i > 0;
      let isQuoted = false;
      for await (const chunk of createReadStream(part)) {
        let bytes: Uint8Array = chunk;
        if (isHeader) {
          let at = 0;
          while (at < bytes.length && (bytes[at] !== 0x0a || isQuoted)) {
            isQuoted = bytes[at] === 0x22 ? !isQuoted : isQuoted;
            at++;
          }
          isHeader = at === bytes.length;
          bytes = bytes.subarray(at + 1);
        }
        if (bytes.length > 0) {
          await add(bytes);
        }
      }
    }
  });
}
