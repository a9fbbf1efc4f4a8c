/** Content of delete blocks: i32 version (3), i32 length, one Avro record (docs/spec/hudi-table.md#61-contents). */

import { type AvroValue, avroDecoder, decodeAvro, parseAvroSchema } from "@cfile/avro";
import { ByteReader, corrupt } from "@cfile/bytes";
import { itemsOf, recordOf, textOf } from "../timeline/content-fields.js";
import { requireVersion } from "./avro-rows.js";
import { WRAPPER_UNION, wrapped } from "./wrapped-value.js";

/** A deleted record. */
export interface DeletedRecord {
  readonly key: string;
  readonly partition: string | undefined;
  /** `undefined` when the delete has no ordering value. */
  readonly ordering: AvroValue | undefined;
  /** Which of the ordering values are in microseconds, regardless of the unit of their column. Default: none. */
  readonly inMicros?: readonly boolean[];
}

const SCHEMA = JSON.stringify({
  type: "record",
  name: "HoodieDeleteRecordList",
  fields: [
    {
      name: "deleteRecordList",
      type: {
        type: "array",
        items: {
          type: "record",
          name: "HoodieDeleteRecord",
          fields: [
            { name: "recordKey", type: ["null", "string"] },
            { name: "partitionPath", type: ["null", "string"] },
            { name: "orderingVal", type: WRAPPER_UNION },
          ],
        },
      },
    },
  ],
});

let decode: ReturnType<typeof avroDecoder> | undefined;

/** The records that a delete block deletes. @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED`, `E_UNSUPPORTED` for malformed content */
export function deletedRecords(content: Uint8Array): DeletedRecord[] {
  const reader = new ByteReader(content);
  requireVersion(reader.u32be("content version"));
  const length = reader.u32be("length");
  decode ??= avroDecoder(parseAvroSchema(SCHEMA));
  const list = recordOf(decodeAvro(decode, reader.take(length, "delete records")), "delete records");
  return itemsOf(list["deleteRecordList"], "deleteRecordList").map((item) => {
    const record = recordOf(item, "delete record");
    const key = textOf(record["recordKey"], "recordKey");
    const partition = textOf(record["partitionPath"], "partitionPath");
    if (key === undefined) {
      throw corrupt("a deleted record has no key", { field: "recordKey" });
    }
    const ordering = wrapped(record["orderingVal"]);
    const deleted = { key, partition, ordering: ordering?.value };
    const { wrapper, wrappers = [wrapper] } = ordering ?? {};
    const inMicros = wrappers.map((name) => name === "TimestampMicrosWrapper");
    return inMicros.includes(true) ? { ...deleted, inMicros } : deleted;
  });
}
