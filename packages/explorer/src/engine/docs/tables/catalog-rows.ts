/** Rows of a master's catalog, without private keys (docs/spec/kudu-cluster.md#2-the-catalog). */
import { batchFromValues, type TableBatch } from "@cfile/encodings/batches";
import { hasPrivateKey } from "@cfile/kudu-dir";
import type { Table } from "./table-doc.js";

export const NOT_SHOWN = "private key, not shown";

const TYPE = "entry_type";
const MESSAGE = "metadata";

/** The same scan, with {@link NOT_SHOWN} instead of messages that contain a private key. */
export function withoutPrivateKeys({ schema, scan }: Pick<Table, "schema" | "scan">): Table["scan"] {
  return async function* (options) {
    const names = options.columns ?? schema.columns.map(({ name }) => name);
    if (!names.includes(MESSAGE)) {
      yield* scan(options);
      return;
    }
    for await (const batch of scan({ ...options, columns: [...new Set([...names, TYPE])] })) {
      const hidden = batch.names.indexOf(MESSAGE);
      const columns = batch.columns.map((column, i) => (i === hidden ? shownMessages(batch, i) : column));
      yield { ...batch, names: batch.names.slice(0, names.length), columns: columns.slice(0, names.length) };
    }
  };
}

function shownMessages({ names, columns }: TableBatch, at: number) {
  const types = columns[names.indexOf(TYPE)]?.toArray() ?? [];
  const messages = columns[at]?.toArray({ strings: "bytes" }) ?? [];
  return batchFromValues(
    { type: "STRING", nullable: false, array: false },
    messages.map((message, row) => (hasPrivateKey(Number(types[row])) ? NOT_SHOWN : message)),
  );
}
