/** Delta and Bloom files, which have the container of a CFile but are not columns. */
import { memorySource } from "@cfile/io";
import { listGolden, readGolden, readGoldenJson } from "@cfile-tools/testkit";
import { describe, expect, test } from "vitest";
import { type CFileReader, openCFile } from "../src/index.js";
import { goldenBytes } from "./golden.js";

const filesOf = (folder: string): [string, Uint8Array][] =>
  listGolden(folder, ".cfile").map((name) => [name, readGolden(`${folder}/${name}.cfile`)]);

const open = (bytes: Uint8Array): Promise<CFileReader> => openCFile(memorySource(bytes));

describe.each(filesOf("deltafile"))("%s", (name, bytes) => {
  const golden = readGoldenJson(`deltafile/${name}.json`) as {
    deltas: { key_hex: string; changelist_hex: string }[];
  };

  test("is a valid delta file with Kudu's values", async () => {
    const file = await open(bytes);
    expect(file.kind).toBe("delta");
    expect(await file.verify()).toMatchObject({
      ok: true,
      kind: "delta",
      problems: [],
      rows: golden.deltas.length,
    });
    const values = await file.toArray();
    expect(values.map((value) => Buffer.from(value as Uint8Array).toString("hex"))).toEqual(
      golden.deltas.map((delta) => delta.key_hex + delta.changelist_hex),
    );
  });

  test("cannot be searched by value", async () => {
    await expect((await open(bytes)).find(Uint8Array.of(0))).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
  });
});

describe.each(filesOf("bloomfile"))("%s", (_, bytes) => {
  test("is a valid Bloom file without rows", async () => {
    const file = await open(bytes);
    expect(file.kind).toBe("bloom");
    const report = await file.verify();
    expect(report).toMatchObject({ ok: true, kind: "bloom", problems: [], rows: 0 });
    expect(report.dataBlocks).toBeGreaterThan(0);
    expect(await file.toArray()).toEqual([]);
  });

  test("has checksums that detect a flipped bit in a filter", async () => {
    const file = await open(bytes);
    const [block] = await file.listDataBlocks();
    const damaged = bytes.slice();
    const at = (block?.offset ?? 0) + 20;
    damaged[at] = (damaged[at] as number) ^ 1;
    expect((await (await open(damaged)).verify()).problems).toMatchObject([{ code: "E_CHECKSUM", block }]);
  });
});

test("an ad hoc index is a column", async () => {
  expect((await open(goldenBytes("adhoc_index"))).kind).toBe("column");
});
