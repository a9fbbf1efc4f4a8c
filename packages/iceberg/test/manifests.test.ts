import { writeAvroContainer } from "@cfile/avro/write";
import type { CellValue } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { TableColumn } from "@cfile/format";
import { memoryTree } from "@cfile/io";
import { exportParquet } from "@cfile/parquet/write";
import { describe, expect, test } from "vitest";
import { commitSnapshot, openIcebergTable, readSnapshot, type TableFolders } from "../src/index.js";
import { listedManifests } from "../src/manifest/write-manifest.js";
import { readWhole, writeWhole } from "../src/metadata/table-folders.js";
import {
  changeManifests,
  changeMetadata,
  firstOf,
  lastName,
  type ManifestChanges,
  rowsIn,
} from "./changed-table.js";
import { FIRST, firstSnapshot, memoryFolders, SCHEMA } from "./made-table.js";

const LOCATION = "/warehouse/t";
const ALL = FIRST.map((row) => [...row]);
/** The key column, with its type in the data file. */
const ID: TableColumn = { name: "id", type: "INT64", nullable: false, array: false };

async function changed(changes: ManifestChanges): Promise<TableFolders> {
  const folders = memoryFolders();
  await changeManifests(await firstSnapshot(folders), changes);
  return folders;
}

/** Writes a Parquet file into the table's data folder. */
async function writeData(
  { data }: TableFolders,
  name: string,
  columns: readonly TableColumn[],
  cells: readonly (readonly CellValue[])[],
  fieldIds?: ReadonlyMap<string, readonly number[]>,
): Promise<void> {
  const length = cells[0]?.length ?? 0;
  async function* rows() {
    const batches = columns.map((column, i) => batchFromValues(column, cells[i] ?? []));
    yield { names: columns.map((column) => column.name), columns: batches, firstRow: 0, length };
  }
  await exportParquet(await data.createSink(name), { columns, rows: rows() }, { fieldIds });
}

describe("damaged manifests are refused:", () => {
  const long = (field: string) => (schema: string) =>
    schema.replace(`"name":"${field}","type":"string"`, `"name":"${field}","type":"long"`);
  test.each<[string, string, ManifestChanges]>([
    [
      "manifest_path",
      "a path that is a number",
      { listed: { manifest_path: 7n }, schema: long("manifest_path") },
    ],
    ["file_path", "a file path that is a number", { file: { file_path: 7n }, schema: long("file_path") }],
    ["status", "an unknown status", { entry: { status: 3 } }],
    ["content", "an unknown content", { file: { content: 3 } }],
    ["sequence_number", "a file from before without a sequence number", { entry: { status: 0 } }],
    ["equality_ids", "equality deletes without columns", { file: { content: 2 } }],
    ["equality_ids", "equality deletes with no columns", { file: { content: 2, equality_ids: [] } }],
    [
      "data_file",
      "a file that is text",
      {
        entry: { data_file: "x" },
        schema: (schema) => {
          const { fields, ...rest } = JSON.parse(schema);
          const last = { ...fields.at(-1), type: "string" };
          return rest.name === "manifest_entry"
            ? JSON.stringify({ ...rest, fields: [...fields.slice(0, -1), last] })
            : schema;
        },
      },
    ],
    [
      "partition",
      "a partition that is text",
      {
        file: { partition: "" },
        schema: (schema) => schema.replace('{"type":"record","name":"r102","fields":[]}', '"string"'),
      },
    ],
  ])("%s: %s", async (field, _, changes) => {
    const error = { code: "E_CORRUPT", field };
    await expect(rowsIn(await changed(changes))).rejects.toMatchObject(error);
  });

  test.each(["snap-1.avro", "entries.avro"])("%s with text instead of records", async (name) => {
    const folders = memoryFolders();
    const table = await firstSnapshot(folders);
    const { current } = table.metadata;
    const text = await writeAvroContainer('"string"', ["x"]);
    const isList = name.startsWith("snap");
    if (isList) {
      await writeWhole(folders.metadata, lastName(current?.manifestList), text);
    } else {
      await changeManifests(table, { listed: { manifest_path: `${LOCATION}/metadata/${name}` } });
      await writeWhole(folders.metadata, name, text);
    }
    await expect(rowsIn(folders)).rejects.toMatchObject({
      code: "E_CORRUPT",
      field: isList ? "manifest_file" : "manifest_entry",
      path: isList ? lastName(current?.manifestList) : name,
    });
  });

  test.each([
    ["outside the table", `${LOCATION}x/data/first.parquet`],
    ["that leads out of it", `${LOCATION}/data/../data/first.parquet`],
    ["without a name", `${LOCATION}/data/`],
    ["of a folder", `${LOCATION}/data/a//first.parquet`],
  ])("a file path %s", async (_, path) => {
    const table = await changed({ file: { file_path: path } });
    const dataTree = memoryTree(memoryFolders().data.snapshot());
    await expect(rowsIn(table)).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
    await expect(rowsIn({ ...table, dataTree })).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
  });
});

describe("manifests of other writers are read:", () => {
  test("removed files are left out", async () => {
    expect(await rowsIn(await changed({ entry: { status: 2 } }))).toEqual([]);
  });

  test("files from before that have their own sequence number", async () => {
    expect(await rowsIn(await changed({ entry: { status: 0, sequence_number: 1n } }))).toEqual(ALL);
  });

  test("those of format version 1, without contents and sequence numbers", async () => {
    const without = (schema: string): string => {
      const { fields, ...rest } = JSON.parse(schema);
      const kept = fields.flatMap((field: { name: string; type: { fields?: { name: string }[] } }) => {
        const inner = field.type.fields?.filter(({ name }) => name !== "content");
        const isOld =
          /^(?:content|(?:min_|file_)?sequence_number|(?:added|existing|deleted)_rows_count|deleted_files_count)$/;
        return isOld.test(field.name)
          ? []
          : [inner === undefined ? field : { ...field, type: { ...field.type, fields: inner } }];
      });
      return JSON.stringify({ ...rest, fields: kept }).replaceAll("_files_count", "_data_files_count");
    };
    const counts = { added_data_files_count: 1, existing_data_files_count: 2 };
    const none = Object.fromEntries(
      ["content", "sequence_number", "min_sequence_number", "file_sequence_number"].map((name) => [
        name,
        undefined,
      ]),
    );
    const [listed, entry, file] = [{ ...counts, ...none }, none, none];
    for (const kind of ["added", "existing", "deleted"]) {
      Object.assign(listed, { [`${kind}_files_count`]: undefined, [`${kind}_rows_count`]: undefined });
    }
    const folders = await changed({ listed, entry, file, schema: without });
    expect(await rowsIn(folders)).toEqual(ALL);
    const table = await openIcebergTable(folders);
    const bytes = readWhole(folders.metadata, lastName(table?.metadata.current?.manifestList));
    expect(await listedManifests(await bytes)).toMatchObject([
      { added_files_count: 1, existing_files_count: 2, deleted_files_count: null },
    ]);
  });
});

describe("data files that lack a column", () => {
  const NEW = { id: 12, name: "size", required: false, type: "long" };
  const NUMBER = {
    ...NEW,
    type: { type: "list", "element-id": 13, element: "decimal(9, 2)", "element-required": false },
  };

  /** The table with other fields in its schema. */
  async function withFields(fields: readonly object[], specs?: readonly object[]): Promise<TableFolders> {
    const folders = memoryFolders();
    const table = await firstSnapshot(folders);
    const { "identifier-field-ids": _, ...schema } = firstOf(table, "schemas");
    const changes = { schemas: [{ ...schema, fields }] };
    await changeMetadata(table, specs === undefined ? changes : { ...changes, "partition-specs": specs });
    return folders;
  }
  const { fields } = SCHEMA;
  const identity = [{ "spec-id": 0, fields: [{ "source-id": 12, transform: "identity", name: "size" }] }];

  test.each([
    ["a number", NEW],
    ["a list", NUMBER],
  ])("that was added later, %s, have nulls in it", async (_, field) => {
    expect(await rowsIn(await withFields([...fields, field]))).toEqual(ALL.map((row) => [...row, null]));
  });

  test.each<[string, object, readonly object[] | undefined, string]>([
    ["that is required", { ...NEW, required: true }, undefined, "E_CORRUPT"],
    ["whose values are those of partitions", NEW, identity, "E_UNSUPPORTED"],
    ["and are of an unknown partition spec", NEW, [{ "spec-id": 7, fields: [] }], "E_CORRUPT"],
  ])("%s are refused", async (_, field, specs, code) => {
    await expect(rowsIn(await withFields([...fields, field], specs))).rejects.toMatchObject({ code });
  });

  test("because no column has an ID are refused", async () => {
    const folders = await withFields(fields.map((field) => ({ ...field, required: false })));
    await writeData(folders, "first.parquet", [ID], [[1n]]);
    await expect(rowsIn(folders)).rejects.toMatchObject({ code: "E_UNSUPPORTED", path: "first.parquet" });
  });

  test.each([
    ["another type", "boolean"],
    ["another scale", "decimal(9, 2)"],
    ["lists", { type: "list", "element-id": 12, element: "long", "element-required": false }],
  ])("are refused if the column has %s in the table", async (_, type) => {
    const folders = await withFields([{ ...fields[0], type }]);
    await expect(rowsIn(folders)).rejects.toMatchObject({ code: "E_UNSUPPORTED", field: "id" });
  });

  const list = (element: string) => ({ type: "list", "element-id": 13, element, "element-required": false });

  test.each<[Partial<TableColumn>, unknown, CellValue[], string, CellValue[]]>([
    [{ type: "INT8" }, "int", [-128, null], "INT32", [-128, null]],
    [{ type: "INT32" }, "long", [2 ** 31 - 1, null], "INT64", [2n ** 31n - 1n, null]],
    [{ type: "FLOAT" }, "double", [1.5, Number.NaN], "DOUBLE", [1.5, Number.NaN]],
    [{ type: "FLOAT", array: true }, list("double"), [[1.5, null], []], "DOUBLE", [[1.5, null], []]],
    [{ type: "INT32", array: true }, list("long"), [[1, null], null], "INT64", [[1n, null], null]],
    [{ type: "DECIMAL32", precision: 9, scale: 2 }, "decimal(12, 2)", [-1n, null], "DECIMAL64", [-1n, null]],
    [{ type: "DECIMAL64", precision: 12, scale: 2 }, "decimal(38, 2)", [7n, null], "DECIMAL128", [7n, null]],
  ])(
    "that have %j in a column that became %j have its type",
    async (column, type, cells, wider, expected) => {
      const size = { id: 12, name: "size", required: false, type };
      const folders = await withFields([size]);
      const before = { name: "size", type: "INT32", nullable: true, array: false, ...column } as const;
      await writeData(folders, "first.parquet", [before], [cells], new Map([["size", [12, 13]]]));
      const table = await openIcebergTable(folders);
      const [file] = table === undefined ? [] : (await readSnapshot(table)).files;
      for await (const { columns } of file?.rows() ?? []) {
        expect(columns.map((one) => [one.type, one.toArray()])).toEqual([[wider, expected]]);
      }
      expect.assertions(1);
    },
  );

  test.each<[Partial<TableColumn>, string, CellValue]>([
    [{ type: "INT64" }, "int", 1n],
    [{ type: "DOUBLE" }, "float", 1.5],
    [{ type: "DECIMAL64", precision: 12, scale: 2 }, "decimal(9, 2)", 1n],
  ])("are refused if they have %j in a column of narrower %s", async (column, type, cell) => {
    const folders = await withFields([{ id: 12, name: "size", required: false, type }]);
    const wide = { name: "size", type: "INT64", nullable: true, array: false, ...column } as const;
    await writeData(folders, "first.parquet", [wide], [[cell]], new Map([["size", [12]]]));
    await expect(rowsIn(folders)).rejects.toMatchObject({ code: "E_UNSUPPORTED", field: "size" });
  });
});

describe("delete files", () => {
  const KEYS = new Map([
    ["id", [10]],
    ["word", [11]],
    ["size", [12]],
  ]);
  const WORD: TableColumn = { name: "word", type: "STRING", nullable: true, array: false };

  /** The table, with a committed file of equality deletes. */
  async function withKeys(
    equalityIds: readonly number[],
    columns: readonly TableColumn[],
    cells: readonly (readonly CellValue[])[],
  ) {
    const folders = memoryFolders();
    const table = await firstSnapshot(folders);
    const name = "deletes.parquet";
    await writeData(folders, name, columns, cells, KEYS);
    const numbers = { rows: 1, bytes: 1, columns: [], groupOffsets: [], sortOrderId: null };
    await commitSnapshot(table, { dataFiles: [], deleteFiles: [{ name, ...numbers, equalityIds }] });
    return folders;
  }

  test("delete rows by nulls and by several columns", async () => {
    const folders = await withKeys(
      [11, 10],
      [WORD, ID],
      [
        [null, "two", "one"],
        [3n, 1n, 1n],
      ],
    );
    expect(await rowsIn(folders)).toEqual([[2n, "two"]]);
  });

  test("delete rows by a column that their file does not have as if it had nulls", async () => {
    const size: TableColumn = { name: "size", type: "DOUBLE", nullable: true, array: false };
    expect(await rowsIn(await withKeys([12], [size], [[-0, 0, 1.5]]))).toEqual(ALL);
    expect(await rowsIn(await withKeys([12], [size], [[null]]))).toEqual([]);
  });

  test("with keys of another type are refused", async () => {
    const folders = await withKeys([10], [{ ...WORD, name: "id" }], [["1"]]);
    await expect(rowsIn(folders)).rejects.toMatchObject({ code: "E_UNSUPPORTED", field: "id" });
  });

  test("without their keys are refused", async () => {
    const folders = await withKeys([11], [ID], [[1n]]);
    await expect(rowsIn(folders)).rejects.toMatchObject({
      code: "E_CORRUPT",
      field: "equality_ids",
      path: "deletes.parquet",
    });
  });
});
