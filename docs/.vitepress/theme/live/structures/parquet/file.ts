/** A whole Parquet file of few pages (docs/spec/parquet.md#1-file-frame). */
import { CFileError } from "@cfile/bytes";
import { ByteNotes } from "@cfile/format/blocks";
import type { Structure } from "../../reading.js";
import { noteStruct } from "../thrift-notes.js";
import { notePages, parquetLines } from "./pages.js";
import { FILE_METADATA } from "./shapes.js";

/** Length of the metadata, and magic. */
const TAIL = 8;

export const file: Structure = {
  note: (bytes) =>
    ByteNotes.of(bytes, (notes) => {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      const length = bytes.length < 3 * TAIL ? 0 : view.getUint32(bytes.length - TAIL, true);
      const metadata = bytes.length - TAIL - length;
      if (length === 0 || metadata < 4) {
        throw new CFileError("E_CORRUPT", `metadata of ${length} bytes`, { offset: 0 });
      }
      notes.skip(4, "magic", "magic", "PAR1");
      notePages(notes, metadata);
      noteStruct(notes, FILE_METADATA);
      notes.u32le("length", "length of the metadata");
      notes.skip(4, "magic", "magic", "PAR1");
    }),
  read: parquetLines,
};
