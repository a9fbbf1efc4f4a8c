/** An RLE stream (docs/spec/cfile.md#18-rle-stream). */
import { rleDecode } from "@cfile/encodings/rle";
import { ByteNotes, noteRle } from "@cfile/format/blocks";
import type { Structure } from "../reading.js";
import { listText } from "../value-text.js";

export const rle: Structure = {
  note: (bytes, { width, count }) =>
    ByteNotes.of(bytes, (notes) =>
      noteRle(notes, bytes.length, {
        width: Number(width),
        values: Number(count),
        role: "value",
        label: "values",
      }),
    ),
  read: (bytes, { width, count }) => {
    const values: Iterable<number | bigint> = rleDecode(bytes, Number(width), Number(count));
    return [listText([...values], 24)];
  },
};
