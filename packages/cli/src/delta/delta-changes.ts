/**
 * The changes of delta entries as text: columns of the schema by name and value, others by ID and bytes.
 *
 * | | as JSON | as text |
 * | --- | --- | --- |
 * | known | `{"column":11,"name":"c11","value":5}` | `c11=5` |
 * | unknown | `{"column":11,"hex":"05000000"}` | `11=0x05000000` |
 * | unknown, NULL | `{"column":11,"hex":null}` | `11=null` |
 */
import { toHex } from "@cfile/bytes";
import { isText, jsonCells, plainCells } from "@cfile/cell-text";
import { decodeCell, MutationCursor } from "@cfile/deltafile";
import type { DeltaBatch } from "@cfile/deltafile/read";
import { batchFromValues } from "@cfile/encodings/batches";
import type { FieldCells } from "../records/field-cells.js";
import type { DeltaColumnSpec } from "./delta-schema.js";

/** The changes of each entry of a batch. */
export function changeCells(batch: DeltaBatch, columns: ReadonlyMap<number, DeltaColumnSpec>): FieldCells {
  const cursor = new MutationCursor();
  const each = (textOf: (changes: readonly ChangeText[]) => string): string[] =>
    Array.from({ length: batch.length }, (_, i) => {
      const changes: ChangeText[] = [];
      for (cursor.reset(batch, i); cursor.next(); ) {
        const column = columns.get(cursor.columnId);
        changes.push(column === undefined ? storedChange(cursor) : decodedChange(column, cursor));
      }
      return textOf(changes);
    });
  return {
    json: () => each((changes) => `[${changes.map(({ json }) => json).join(",")}]`),
    plain: () => each((changes) => changes.map(({ plain }) => plain).join(", ")),
  };
}

interface ChangeText {
  readonly json: string;
  readonly plain: string;
}

function storedChange({ columnId, isNull, data, start, end }: MutationCursor): ChangeText {
  const hex = isNull ? null : toHex(data.subarray(start, end));
  return {
    json: JSON.stringify({ column: columnId, hex }),
    plain: `${columnId}=${hex === null ? "null" : `0x${hex}`}`,
  };
}

function decodedChange(column: DeltaColumnSpec, cursor: MutationCursor): ChangeText {
  const { id, name, type, array, scale } = column;
  // Text stays bytes until it is printed, as it may not be valid UTF-8.
  const cell = decodeCell(column, cursor, { strings: "bytes" });
  const batch = batchFromValues(column, [cell]);
  const options = { decode: true, scale };
  const [json = "null"] = jsonCells(batch, options);
  const [plain = "null"] = plainCells(batch, options);
  const isQuoted = isText(type) && !array && cell !== null;
  return {
    json: `{"column":${id},"name":${JSON.stringify(name)},"value":${json}}`,
    plain: `${name}=${isQuoted ? JSON.stringify(plain) : plain}`,
  };
}
