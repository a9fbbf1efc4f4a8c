/** A table in the words of `kudu table describe`. */
import { compareBytes } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import {
  type HashPartitioning,
  hashOfRange,
  type KuduColumn,
  type Partition,
  type PartitionSchema,
  rangeStart,
} from "@cfile/kudu-dir/catalog";
import { cellText, partitionText } from "../partition-text.js";

export interface DescribedTable {
  readonly name: string;
  readonly columns: readonly KuduColumn[];
  readonly partitionSchema: PartitionSchema | undefined;
  readonly partitions: readonly Partition[];
  /** `undefined` without a master. */
  readonly owner: string | undefined;
  readonly comment: string | undefined;
  readonly replicas: number | undefined;
  readonly extraConfig: ReadonlyMap<string, string> | undefined;
}

export function describeText(table: DescribedTable): string {
  const { name, columns, owner, comment, replicas } = table;
  const keys = columns.filter(({ isKey }) => isKey);
  const unknown = "unknown (no master in the directories)";
  return [
    `TABLE ${name} (`,
    ...columns.map((column) => `    ${columnText(column)},`),
    `    PRIMARY KEY (${keys.map((key) => key.name).join(", ")})`,
    ")",
    ...partitionLines(table),
    `OWNER ${owner ?? unknown}`,
    `REPLICAS ${replicas ?? unknown}`,
    `COMMENT ${comment ?? unknown}`,
  ].join("\n");
}

/** `price DECIMAL(18, 2) NULLABLE AUTO_ENCODING LZ4 4096 0 0 comment`: block size if set, defaults for reading and writing. */
function columnText(column: KuduColumn): string {
  const { name, nullable, immutable, encoding, compression, blockSize } = column;
  const { readDefault, writeDefault, comment } = column;
  const parts = [
    name,
    typeText(column),
    nullable ? "NULLABLE" : "NOT NULL",
    ...(immutable ? ["IMMUTABLE"] : []),
    encoding ?? "AUTO_ENCODING",
    compression ?? "DEFAULT_COMPRESSION",
    ...(blockSize === undefined ? [] : [String(blockSize)]),
    readDefault === undefined ? "-" : cellText(column, readDefault),
    writeDefault === undefined ? "-" : cellText(column, writeDefault),
    ...(comment ? [comment] : []),
  ];
  return parts.join(" ");
}

function typeText({ type, precision, scale, length, array }: KuduColumn): string {
  const attributes = type.startsWith("DECIMAL")
    ? `DECIMAL(${precision}, ${scale ?? 0})`
    : type === "VARCHAR"
      ? `VARCHAR(${length})`
      : type;
  return array ? `${attributes} ARRAY` : attributes;
}

function partitionLines(table: DescribedTable): string[] {
  const { columns, partitionSchema, partitions } = table;
  const nameOf = (id: number): string => columns.find((column) => column.id === id)?.name ?? `id ${id}`;
  const hash = partitionSchema?.hash ?? [];
  const rangeIds =
    partitionSchema?.rangeColumnIds ?? columns.filter(({ isKey }) => isKey).map(({ id }) => id);
  const lines = hash.map((one) => `HASH ${hashText(one, nameOf)}${one.seed ? ` SEED ${one.seed}` : ""}`);
  const ranges = new Map<string, readonly HashPartitioning[]>();
  for (const partition of [...partitions].sort((left, right) =>
    compareBytes(rangeStart(left), rangeStart(right)),
  )) {
    const text = partitionText({ partition: { ...partition }, partitionSchema, schema: { columns } });
    const range = text.slice(text.lastIndexOf(" PARTITION ") + 1);
    ranges.set(range, partitionSchema === undefined ? [] : hashOfRange(partitionSchema, partition));
  }
  const rangeLines = [...ranges].map(([text, own], i) => {
    const custom = own === hash ? "" : own.map((one) => ` HASH${hashText(one, nameOf)}`).join("");
    return `    ${text}${custom}${i < ranges.size - 1 ? "," : ""}`;
  });
  const range =
    rangeIds.length === 0
      ? []
      : [`RANGE (${rangeIds.map(nameOf).join(", ")}) (\n${rangeLines.join("\n")}\n)`];
  return [[...lines, ...range].join(",\n")];
}

function hashText({ columnIds, buckets }: HashPartitioning, nameOf: (id: number) => string): string {
  return `(${columnIds.map(nameOf).join(", ")}) PARTITIONS ${buckets}`;
}

/** The text with escaped control characters, so that it stays on one line. */
export function oneLine(text: string | undefined): string {
  return printable(text ?? "");
}
