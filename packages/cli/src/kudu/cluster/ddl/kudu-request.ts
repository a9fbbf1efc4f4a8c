/** The JSON document that `kudu table create` takes: a `CreateTablePB` of Kudu's `tool.proto`. */
import { CFileError } from "@cfile/bytes";
import { isDecimal } from "@cfile/cell-text";
import { decodeCell } from "@cfile/deltafile";
import type { CellValue } from "@cfile/encodings";
import type { KeyValue } from "@cfile/encodings/keys";
import type { HashPartitioning, KuduColumn } from "@cfile/kudu-dir/catalog";
import type { DescribedTable } from "../describe-text.js";
import { hashColumns } from "./sql-text.js";
import { rangeColumns, type TableRange, tableRanges } from "./table-ranges.js";

/**
 * @throws {CFileError} `E_UNSUPPORTED` for what the tool does not support: arrays, immutable columns, keys that are not unique, decimal
 *   values, invalid UTF-8
 */
export function kuduRequest(table: DescribedTable): string {
  const { name, columns, partitionSchema, owner, comment, replicas, extraConfig } = table;
  const ranges = tableRanges(table);
  const usual = ranges.filter(({ hash }) => hash === undefined);
  const custom = ranges.filter(({ hash }) => hash !== undefined);
  const bounds = rangeColumns(table);
  const request = {
    table_name: name,
    schema: {
      columns: columns.map(columnRequest),
      key_column_names: columns.filter(({ isKey }) => isKey).map((column) => column.name),
    },
    partition: {
      hash_partitions: (partitionSchema?.hash ?? []).map((hash) => hashRequest(hash, table)),
      range_partition: {
        columns: bounds.map((column) => column.name),
        range_bounds: usual.map((range) => boundsRequest(range, bounds)),
        custom_hash_schema_ranges: custom.map((range) => ({
          range_bounds: boundsRequest(range, bounds),
          hash_schema: (range.hash ?? []).map((hash) => hashRequest(hash, table)),
        })),
      },
    },
    num_replicas: replicas,
    extra_configs: extraConfig?.size ? { configs: Object.fromEntries(extraConfig) } : undefined,
    owner,
    comment: comment || undefined,
  };
  return JSON.stringify(request, undefined, 2);
}

function columnRequest(column: KuduColumn): Readonly<Record<string, unknown>> {
  const { name, type, nullable, array, autoIncrementing, immutable, writeDefault, comment } = column;
  const { encoding, compression, blockSize, precision, scale, length } = column;
  if (array || autoIncrementing || immutable) {
    const kind = array ? "an array" : immutable ? "immutable" : "auto-incrementing";
    const reason = `column ${JSON.stringify(name)} is ${kind}, which kudu table create cannot state`;
    throw new CFileError("E_UNSUPPORTED", reason, { field: "type" });
  }
  return {
    column_name: name,
    column_type: isDecimal(type) ? "DECIMAL" : type,
    is_nullable: nullable,
    default_value: writeDefault && defaultText(column, writeDefault),
    comment: comment || undefined,
    encoding: encoding ?? "AUTO_ENCODING",
    compression: compression ?? "DEFAULT_COMPRESSION",
    cfile_block_size: blockSize,
    type_attributes: isDecimal(type)
      ? { precision, scale: scale ?? 0 }
      : type === "VARCHAR"
        ? { length }
        : undefined,
  };
}

function hashRequest({ columnIds, buckets, seed }: HashPartitioning, table: DescribedTable) {
  return {
    columns: hashColumns(columnIds, table).map(({ name }) => name),
    num_buckets: buckets,
    seed: seed || undefined,
  };
}

function boundsRequest({ lower, upper }: TableRange, columns: readonly KuduColumn[]) {
  const bound = (values: readonly KeyValue[] | undefined, type: string) =>
    values && {
      bound_type: type,
      bound_values: columns.map((column, i) => valueText(column, values[i] ?? null)),
    };
  return { lower_bound: bound(lower, "INCLUSIVE"), upper_bound: bound(upper, "EXCLUSIVE") };
}

function defaultText(column: KuduColumn, data: Uint8Array): string {
  const cell = { isNull: false, data, start: 0, end: data.length };
  return valueText(column, decodeCell(column, cell, { strings: "bytes" }));
}

/**
 * A value as text. The tool puts the text of a string between quotes and parses it as JSON, so it is escaped a second time;
 * dates and timestamps are integers.
 */
function valueText({ name, type }: KuduColumn, value: CellValue): string {
  if (isDecimal(type)) {
    throw unsupported(`decimal value of column ${JSON.stringify(name)}`);
  }
  if (!(value instanceof Uint8Array) && typeof value !== "string") {
    return String(value);
  }
  try {
    const text = typeof value === "string" ? value : new TextDecoder("utf-8", { fatal: true }).decode(value);
    return JSON.stringify(text).slice(1, -1);
  } catch {
    throw unsupported(`value of column ${JSON.stringify(name)}, which is not valid UTF-8`);
  }
}

function unsupported(part: string): CFileError {
  return new CFileError("E_UNSUPPORTED", `kudu table create cannot state the ${part}`, { field: "value" });
}
