/** Names the bytes of consecutive pages, and reads the values of small files. */
import { CFileError } from "@cfile/bytes";
import type { ByteNotes } from "@cfile/format/blocks";
import { memorySource } from "@cfile/io";
import { openParquet } from "@cfile/parquet";
import { listText } from "../../value-text.js";
import { noteStruct } from "../thrift-notes.js";
import { PAGE_HEADER } from "./shapes.js";

const DATA_V2 = 3;
const DICTIONARY = 2;

/** Pages up to `end`: each a header and its stored bytes. */
export function notePages(notes: ByteNotes, end: number): void {
  while (notes.position < end) {
    const header = noteStruct(notes, PAGE_HEADER);
    const type = header.get(PAGE_HEADER[1] as string);
    let size = header.get("compressed_page_size") ?? 0;
    if (size < 0 || size > end - notes.position) {
      throw new CFileError("E_CORRUPT", `page of ${size} bytes`, { offset: notes.position });
    }
    const skip = (length: number, role: "bitmap" | "value" | "ordinal", label: string): void => {
      const taken = Math.max(0, Math.min(length, size));
      if (taken > 0) {
        notes.skip(taken, role, label);
        size -= taken;
      }
    };
    if (type === DATA_V2) {
      skip(header.get("data_page_v2.repetition_levels_byte_length") ?? 0, "bitmap", "repetition levels");
      skip(header.get("data_page_v2.definition_levels_byte_length") ?? 0, "bitmap", "definition levels");
    }
    const encoding = header.get("data_page.encoding");
    if (encoding === 2 || encoding === 8) {
      skip(1, "ordinal", "bits per index");
      skip(size, "ordinal", "indexes of the dictionary, in runs");
    }
    skip(size, "value", type === DICTIONARY ? "values of the dictionary" : "values");
  }
}

/** The verdict of `verify`, and all values. */
export async function parquetLines(bytes: Uint8Array): Promise<string[]> {
  const file = await openParquet(memorySource(bytes, "file"));
  const { losses, pages, checkedPages } = await file.verify();
  const [loss] = losses;
  if (loss !== undefined) {
    throw loss.error;
  }
  const lines = [`${file.rowCount} rows in ${pages} pages, ${checkedPages} with a valid CRC`];
  for (const { name } of file.columns) {
    const values: unknown[] = [];
    for await (const batch of file.column(name)) {
      values.push(...batch.toArray());
    }
    lines.push(`${name}: ${listText(values)}`);
  }
  return lines;
}
