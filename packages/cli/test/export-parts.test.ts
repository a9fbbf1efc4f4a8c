import { writeFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { openKuduDir } from "@cfile/kudu-dir";
import { planTablets } from "@cfile/splits/plan";
import { pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { expect, it } from "vitest";
import { ExportParts, type PartReport } from "../src/export/export-parts.js";

const BEFORE = '{"1":4096}';
const CONTENT = "a part\n";

it.each([
  ["the same end of the log", BEFORE, 1],
  ["a later end of the log", '{"1":8192}', 0],
  ["no common end of the log", undefined, 0],
])("reuses the parts of a tablet with %s", async (_, logEnd, reused) => {
  const path = pathToGolden("servers/log");
  await using dir = await openKuduDir(path);
  const splits = await planTablets((await dir.table("keys_composite")).tablets, { dirs: [path] });
  const [split] = splits;
  if (split === undefined) {
    throw new Error("the table has no splits");
  }
  const folder = temporaryFolder();
  const open = (end: string | undefined): Promise<ExportParts> =>
    ExportParts.open(folder, { form: "csv", logEndOf: () => end }, splits);
  const report: PartReport = {
    rows: 1,
    checksum: crc32(CONTENT),
    ...{ accounts: [], ledgers: [], losses: [], notices: [] },
  };
  const before = await open(BEFORE);
  await writeFile(before.path(split), CONTENT);
  await before.complete(split, report);
  const again = await open(logEnd);
  expect(again.reports.size).toBe(reused);
  expect(again.report(split).rows).toBe(reused);
});
