/** The sizes of replicas side by side. One of them has each block twice, with the same ID. */
import { copyFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { diskTree } from "@cfile/io/file";
import { syntheticCluster } from "@cfile-tools/kudu-synthetic";
import { temporaryFolder } from "@cfile-tools/testkit";
import { expect, test } from "vitest";
import type { Doc } from "../src/engine/docs/doc.js";
import { openKuduDocs } from "../src/engine/docs/tables/cluster-doc.js";

const work = { signal: new AbortController().signal, progress: () => undefined };

async function findReplicas(doc: Doc | undefined): Promise<Doc["replicas"]> {
  if (doc?.replicas !== undefined) {
    return doc.replicas;
  }
  for (const { label, open } of (await doc?.children?.(work)) ?? []) {
    const found = label === "Servers" ? undefined : await findReplicas(await open(work));
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

test("the size of a replica leaves out ambiguous blocks, and says how many", async () => {
  const folder = temporaryFolder();
  const size = { servers: 3, tables: 1, tabletsPerTable: 1, writes: 1, rowsPerWrite: 1, rows: 10 };
  await syntheticCluster(folder, size);
  const data = join(folder, "ts1/data1/data");
  for (const name of await readdir(data)) {
    if (/\.(data|metadata)$/.test(name)) {
      await copyFile(join(data, name), join(data, name.replace(/^[0-9a-f]{32}/, "f".repeat(32))));
    }
  }
  const { server } = await openKuduDocs([await diskTree(folder)]);
  const replicas = await findReplicas(server);
  const { rows } = (await replicas?.({}, work)) ?? { rows: [] };
  const bytes = rows.find(({ label }) => label === "Bytes");
  const [first, second, third] = bytes?.values ?? [];
  expect(second).toMatch(/^0 without [1-9]\d* ambiguous blocks$/);
  expect(Number(first?.replaceAll(",", ""))).toBeGreaterThan(0);
  expect(third).toBe(first);
});
