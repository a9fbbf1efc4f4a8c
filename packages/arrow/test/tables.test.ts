import type { ColumnBatch } from "@cfile/encodings";
import { MemoryDirectory } from "@cfile/io";
import { createTableStore, openTableStore } from "@cfile/rowset/store";
import { randomNumbers } from "@cfile-tools/testkit";
import { tableFromIPC } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { type ArrowRows, apacheArrow } from "../src/apache.js";
import { flechette } from "../src/flechette.js";
import { tableOfFiles, tableOfScan } from "../src/index.js";
import { digestOf, goldenDigest, goldenNames, openGolden } from "./golden.js";

async function* columnAt(rows: ArrowRows["rows"], i: number): AsyncGenerator<ColumnBatch> {
  for await (const { columns } of rows) {
    yield columns[i] as ColumnBatch;
  }
}

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const piece of pieces) {
    parts.push(piece.slice());
  }
  return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
}

describe("a CFile survives a round trip through Arrow IPC", () => {
  it.each(["stream", "file"] as const)("as a %s, every golden file", async (format) => {
    const apache = await apacheArrow();
    for (const name of goldenNames) {
      await using file = await openGolden(name);
      const ipc = apache.ipc(tableOfFiles({ [name]: file }), { format });
      const { columns, rows } = await apache.readIpc(await bytesOf(ipc));
      const [column] = columns;
      expect(column).toMatchObject({ name, type: file.type, nullable: file.nullable, array: file.array });
      if (column !== undefined) {
        expect(await digestOf(column, columnAt(rows, 0)), name).toBe(goldenDigest(name));
      }
    }
  });

  it("as a stream with dictionaries", async () => {
    const apache = await apacheArrow();
    for (const name of goldenNames.filter((candidate) => candidate.includes("_dict"))) {
      await using file = await openGolden(name);
      const ipc = apache.ipc(tableOfFiles({ [name]: file }), { dictionaries: "keep" });
      const { columns, rows } = await apache.readIpc(ipc);
      const [column] = columns;
      if (column !== undefined) {
        expect(await digestOf(column, columnAt(rows, 0)), name).toBe(goldenDigest(name));
      }
    }
  });

  it("from tables built by flechette", async () => {
    const apache = await apacheArrow();
    const library = await import("@uwdata/flechette");
    const other = await flechette(library);
    const names = [
      "enc_int128_bshuf_null_n1000",
      "enc_decimal64_plain_null_n1000",
      "enc_date_rle_null_n1000",
    ];
    for (const name of names) {
      await using file = await openGolden(name);
      const table = await other.table(tableOfFiles({ [name]: file }));
      const ipc = library.tableToIPC(table, { format: "stream" });
      const { columns, rows } = await apache.readIpc(ipc ?? new Uint8Array(0));
      const [column] = columns;
      expect(column?.type).toBe(file.type);
      if (column !== undefined) {
        expect(await digestOf(column, columnAt(rows, 0)), name).toBe(goldenDigest(name));
      }
    }
  });
});

describe("tables", () => {
  it("of several files use the given precision and scale", async () => {
    await using amount = await openGolden("enc_decimal32_plain_n1000");
    await using day = await openGolden("enc_date_rle_null_n1000");
    const apache = await apacheArrow();
    const table = tableOfFiles({ amount, day }, { amount: { precision: 9, scale: 2 } });
    const read = tableFromIPC(await bytesOf(apache.ipc(table)));
    expect(read.numRows).toBe(1000);
    expect(String(read.schema)).toContain("amount: Decimal[9e+2]");
    expect(String(read.schema)).toContain("day: Date32<DAY>");
  });

  it("of row sets contain the scanned rows", async () => {
    const directory = new MemoryDirectory();
    const columns = [
      { id: 0, name: "k", type: "INT32", nullable: false, array: false, isKey: true },
      { id: 1, name: "t", type: "STRING", nullable: true, array: false, isKey: false },
      { id: 2, name: "l", type: "INT64", nullable: true, array: true, isKey: false },
    ] as const;
    await using creator = await createTableStore(directory, { columns });
    await creator.appendRows([
      [2, null, [1n, null]],
      [1, "a", null],
      [3, "c", []],
    ]);
    await creator.finish();
    await using rowSet = await openTableStore(directory);
    const apache = await apacheArrow();
    const names = ["t", "k", "l"];
    const table = tableOfScan(rowSet.schema.columns, rowSet.scan({ columns: names }), names);
    const read = tableFromIPC(await bytesOf(apache.ipc(table, { format: "file" })));
    expect(
      JSON.parse(JSON.stringify(read.toArray(), (_, v) => (typeof v === "bigint" ? Number(v) : v))),
    ).toEqual([
      { t: "a", k: 1, l: null },
      { t: null, k: 2, l: [1, null] },
      { t: "c", k: 3, l: [] },
    ]);
  });

  it("without rows keep their schema", async () => {
    await using file = await openGolden("enc_int32_plain_n0");
    const apache = await apacheArrow();
    const read = tableFromIPC(await bytesOf(apache.ipc(tableOfFiles({ file }), { format: "file" })));
    expect([read.numRows, read.numCols]).toEqual([0, 1]);
  });

  it("that are damaged or truncated throw a CFileError", async () => {
    await using file = await openGolden("enc_string_plain_null_n8");
    const apache = await apacheArrow();
    const ipc = await bytesOf(apache.ipc(tableOfFiles({ file })));
    const random = randomNumbers(1);
    for (let i = 0; i < 300; i++) {
      const bytes = i < 100 ? ipc.slice(0, Math.floor((i * ipc.length) / 100)) : ipc.slice();
      if (i >= 100) {
        bytes[random(bytes.length)] = random(256);
      }
      try {
        const { rows } = await apache.readIpc(bytes);
        for await (const { columns } of rows) {
          expect(columns.map((column) => column.toArray().length)).toBeDefined();
        }
      } catch (error) {
        expect(error).toMatchObject({ name: "CFileError" });
      }
    }
  });
});
