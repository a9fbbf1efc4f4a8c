/** Makes log files (docs/spec/hudi-table.md#6-log-files). */

import { type AvroValue, parseAvroSchema } from "@cfile/avro";
import { appendAvro } from "@cfile/avro/write";
import { ByteBuilder, concatBytes } from "@cfile/bytes";

const MAGIC = "#HUDI#";

function i32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setInt32(0, value);
  return bytes;
}

function i64(value: number): Uint8Array {
  return concatBytes([i32(Math.floor(value / 2 ** 32)), i32(value % 2 ** 32)]);
}

/** A block. @param header text by key */
export function blockOf(type: number, header: ReadonlyMap<number, string>, content: Uint8Array): Uint8Array {
  const utf8 = new TextEncoder();
  const entries = [...header].map(([key, value]) => {
    const text = utf8.encode(value);
    return concatBytes([i32(key), i32(text.length), text]);
  });
  const rest = concatBytes([
    ...[i32(1), i32(type), i32(header.size), ...entries],
    ...[i64(content.length), content, i32(0)],
  ]);
  const size = rest.length + 8;
  return concatBytes([utf8.encode(MAGIC), i64(size), rest, i64(size + MAGIC.length)]);
}

/** A log file of one block of records. @param more additional entries of the header */
export function logOf(
  schema: object,
  rows: readonly (readonly AvroValue[])[],
  instant = "20261122000000000",
  more: readonly (readonly [number, string])[] = [],
): Uint8Array {
  const text = JSON.stringify(schema);
  const type = parseAvroSchema(text);
  const { fields } = schema as { fields: readonly { name: string }[] };
  const records = rows.map((row) => {
    const out = new ByteBuilder();
    appendAvro(out, type, Object.fromEntries(fields.map(({ name }, i) => [name, row[i] ?? null])), "row");
    const bytes = out.finish();
    return concatBytes([i32(bytes.length), bytes]);
  });
  const content = concatBytes([i32(3), i32(rows.length), ...records]);
  return blockOf(3, new Map([[0, instant], [2, text], ...more]), content);
}

/** A number by the name of its wrapper. */
export type Wrapped = readonly [wrapper: string, value: number];

/** A log file with one block of deletes. @param deletes keys, and ordering values: one, or a list for several ordering columns */
export function deletesOf(
  deletes: readonly (readonly [key: string, ...ordering: [] | Wrapped | [readonly Wrapped[]]])[],
  instant: string,
): Uint8Array {
  const WRAPPERS = ["Boolean", "Int", "Long", "Float", "Double", "Bytes", "String", "Date", "Decimal"];
  const branches = [...WRAPPERS, "TimeMicros", "TimestampMicros"];
  const list = new ByteBuilder();
  const long = (value: number) => appendAvro(list, { kind: "long" }, value);
  long(deletes.length);
  const wrapped = ([wrapper, value]: Wrapped) => {
    long(1 + branches.indexOf(wrapper));
    long(value);
  };
  for (const [key, wrapper, value = 0] of deletes) {
    long(1);
    appendAvro(list, { kind: "string" }, key);
    long(0);
    if (wrapper === undefined) {
      long(0);
    } else if (typeof wrapper === "string") {
      wrapped([wrapper, value]);
    } else {
      long(1 + branches.length);
      // Not null.
      long(1);
      long(wrapper.length);
      wrapper.forEach(wrapped);
      long(0);
    }
  }
  list.u8(0);
  const bytes = list.finish();
  return blockOf(1, new Map([[0, instant]]), concatBytes([i32(3), i32(bytes.length), bytes]));
}
