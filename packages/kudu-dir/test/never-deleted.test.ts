/** Which rows of a log a tablet must have. */
import { expect, it } from "vitest";
import type { KuduColumn } from "../src/catalog/schema-message.js";
import type { UnflushedOperation } from "../src/log/log-replay.js";
import { ofKeysNeverDeleted } from "../src/log/never-deleted.js";
import type { OperationKind } from "../src/log/row-operations.js";
import { kuduColumn } from "./kudu-column.js";

const column = (id: number, name: string, autoIncrementing = false): KuduColumn =>
  kuduColumn(id, name, { isKey: true, type: autoIncrementing ? "INT64" : "INT8", autoIncrementing });

const operation = (
  kind: OperationKind,
  cells: readonly (readonly [string, Uint8Array])[],
  columns: readonly KuduColumn[],
  autoIncrement?: bigint,
): UnflushedOperation => ({
  timestamp: 1n,
  operation: { kind, cells: new Map(cells) },
  schema: { columns },
  stores: undefined,
  autoIncrement,
});

it.each<[readonly (readonly [OperationKind, number])[], readonly number[]]>([
  [[["insert", 1]], [1]],
  [
    [
      ["insert", 1],
      ["insert", 2],
      ["update", 2],
    ],
    [1, 2, 2],
  ],
  [
    [
      ["insert", 1],
      ["delete", 1],
      ["upsert", 1],
      ["insert", 2],
    ],
    [2],
  ],
  [
    [
      ["deleteIgnore", 3],
      ["insert", 3],
      ["insertIgnore", 4],
    ],
    [4],
  ],
])("of %j, operations on %j are left", (steps, left) => {
  const columns = [column(0, "id")];
  const all = steps.map(([kind, key]) => operation(kind, [["id", Uint8Array.of(key)]], columns));
  expect(ofKeysNeverDeleted(all).map(({ operation: { cells } }) => cells.get("id")?.[0])).toEqual(left);
});

it("a deleted row is named by its counter, which its insertion lacks", () => {
  const columns = [column(0, "id"), column(1, "counter", true)];
  const id = ["id", Uint8Array.of(7)] as const;
  const counter = ["counter", Uint8Array.of(2, 0, 0, 0, 0, 0, 0, 0)] as const;
  const all = [
    operation("insert", [id], columns, 1n),
    operation("insert", [id], columns, 2n),
    operation("delete", [id, counter], columns),
  ];
  expect(ofKeysNeverDeleted(all)).toEqual(all.slice(0, 1));
});
