import type { KuduColumn } from "../src/catalog/schema-message.js";

/** A column for tests: INT8, not nullable, without defaults and options. */
export function kuduColumn(id: number, name: string, change: Partial<KuduColumn> = {}): KuduColumn {
  return {
    id,
    name,
    type: "INT8",
    nullable: false,
    array: false,
    isKey: false,
    encoding: undefined,
    compression: undefined,
    blockSize: undefined,
    readDefault: undefined,
    writeDefault: undefined,
    comment: undefined,
    immutable: false,
    autoIncrementing: false,
    ...change,
  };
}
