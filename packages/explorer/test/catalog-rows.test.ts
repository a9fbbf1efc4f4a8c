/** The catalog of a Kudu master has private keys: no view or export of its tablet shows them. */
import { join } from "node:path";
import { openKuduDir } from "@cfile/kudu-dir";
import { PRIVATE_KEY, syntheticCluster } from "@cfile-tools/kudu-synthetic";
import { temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, test } from "vitest";
import type { Doc } from "../src/engine/docs/doc.js";
import { serverDoc } from "../src/engine/docs/tables/kudu-doc.js";

const NOT_SHOWN = "private key, not shown";
const ENTRIES = 5;
const MESSAGE_COLUMN = 2;
const FORMATS = ["csv", "ndjson", "arrow", "parquet"] as const;
const work = { signal: new AbortController().signal, progress: () => undefined };

interface NamedDoc {
  readonly path: string;
  readonly doc: Doc;
}

async function catalogDocs(): Promise<NamedDoc[]> {
  const folder = join(temporaryFolder(), "cluster");
  const size = { servers: 1, tables: 1, tabletsPerTable: 1, writes: 1, rowsPerWrite: 1, rows: 10 };
  await syntheticCluster(folder, size);
  return below({ path: "m0", doc: await serverDoc(await openKuduDir(join(folder, "m0")), "m0") });
}

async function below({ path, doc }: NamedDoc): Promise<NamedDoc[]> {
  const children = (await doc.children?.(work)) ?? [];
  const found = await Promise.all(
    children.map(async ({ label, open }) => below({ path: `${path}/${label}`, doc: await open(work) })),
  );
  return [{ path, doc }, ...found.flat()];
}

/** All answers of the documents of rows and blocks, as text. */
async function answersOf({ view, rows, profile, export: save }: Doc): Promise<string> {
  const answers: unknown[] = [view];
  answers.push(await rows?.({ from: 0, to: 2 * ENTRIES }, work));
  for (let column = 0; column < view.columns.length; column++) {
    answers.push(await profile?.({ column }, work));
  }
  for (const format of FORMATS) {
    const { blob } = (await save?.({ format }, work)) ?? {};
    answers.push(blob && Buffer.from(await blob.arrayBuffer()).toString("latin1"));
  }
  return JSON.stringify(answers, (_, value) => (typeof value === "bigint" ? String(value) : value));
}

describe("the catalog of a master", async () => {
  const docs = await catalogDocs();
  const tables = docs.filter(({ doc }) => doc.view.kind === "table");

  test("has the rows of its tablet and its row set, with a text in place of private keys", async () => {
    expect(tables).toHaveLength(2);
    for (const { doc } of tables) {
      const { rows = [] } = (await doc.rows?.({ from: 0, to: 2 * ENTRIES }, work)) ?? {};
      const cells = rows.map((row) => [row[0], row[1], row[MESSAGE_COLUMN] === NOT_SHOWN]);
      expect(cells).toEqual([
        ["1", expect.any(String), false],
        ["2", expect.any(String), false],
        ["3", "root-ca-info", true],
        ["4", "1", true],
        ["7", "cluster_id", false],
      ]);
    }
  });

  test("profiles and exports that text", async () => {
    for (const { doc } of tables) {
      const profile = await doc.profile?.({ column: MESSAGE_COLUMN }, work);
      expect([profile?.rows, JSON.stringify(profile)]).toEqual([ENTRIES, expect.stringContaining(NOT_SHOWN)]);
      const saved = await doc.export?.({ format: "csv" }, work);
      expect((await saved?.blob.text())?.split(NOT_SHOWN)).toHaveLength(3);
    }
  });

  test("shows a private key nowhere, not even as the block of a column", async () => {
    expect(docs.map(({ path }) => path.split("/").at(-1))).toEqual(
      expect.arrayContaining(["entry_type", "entry_id", "metadata", "UNDO 0"]),
    );
    for (const { path, doc } of docs) {
      const text = await answersOf(doc);
      expect([path, text.includes(PRIVATE_KEY)]).toEqual([path, false]);
    }
  });
});
