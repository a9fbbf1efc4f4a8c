import { serveFiles } from "@cfile-tools/testkit";
import { icebergMetadata, icebergRead } from "icebird";
import { expect, test } from "vitest";
import { FIRST, firstSnapshot, memoryFolders, type Row, SECOND, secondSnapshot } from "./made-table.js";

test("icebird reads both snapshots, with the deletes applied", async () => {
  const server = await serveFiles({});
  const tableUrl = server.url.replace(/\/$/, "");
  const folders = memoryFolders(undefined, undefined, tableUrl);
  const rowsOfIcebird = async (metadataFileName?: string): Promise<Row[]> => {
    for (const kind of ["data", "metadata"] as const) {
      for (const [name, body] of folders[kind].snapshot()) {
        server.files.set(`${kind}/${name}`, { body });
      }
    }
    const metadata = await icebergMetadata({ tableUrl, metadataFileName });
    const rows = await icebergRead({ tableUrl, metadata });
    return rows.map(({ id, word }): Row => [id, word ?? null]).sort(([a], [b]) => Number(a - b));
  };
  const first = await firstSnapshot(folders);
  expect(await rowsOfIcebird()).toEqual(FIRST);
  await secondSnapshot(first);
  expect(await rowsOfIcebird()).toEqual(SECOND);
  expect(await rowsOfIcebird("v1.metadata.json")).toEqual(FIRST);
});
