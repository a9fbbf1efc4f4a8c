/**
 * A root directory of HBase with one damaged file: descriptors, regions, manifests, references, logs, store files. Some files get
 * hostile names instead.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isCFileError } from "@cfile/bytes";
import { type HBaseTable, openHBaseRoot } from "@cfile/hbase";
import { verifyTable } from "@cfile/hbase/verify";
import { memoryTree } from "@cfile/io";
import { defineHarness } from "../define-harness.js";
import type { Harness, Subject } from "../harness.js";
import { mutateFields } from "../mutate-fields.js";
import type { Random } from "../random.js";

const ROOTS = ["hbase-table", "hbase-root"];
const MAX_CELLS = 5000;

export interface FileOfRoot extends Subject {
  /** All files of the root, by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly path: string;
}

/** Files of root directories that HBase wrote. */
export function filesOfRoots(): FileOfRoot[] {
  return ROOTS.flatMap((name) => {
    const root = fileURLToPath(new URL(`../../../../fixtures/golden/${name}/root/`, import.meta.url));
    const files = new Map(
      readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => [path.slice(root.length).replaceAll("\\", "/"), new Uint8Array(readFileSync(path))]),
    );
    return [...files].map(([path, bytes]) => ({ name: `${name}/${path}`, bytes, files, path }));
  });
}

/** Names that lead out of the root, and links and references to themselves. */
function hostileName(name: string, random: Random): string {
  const [parent = ""] = name.split("/").slice(-3);
  return random.pick([
    `..=..=${parent}-0a`,
    `default=..=${parent}-0a`,
    `${name.split("/").at(-1) ?? ""}.${parent}`,
    `a=b=${parent}-0a.${parent}`,
    "0a_SeqId_99999999999999999999_",
    "not-a-store-file",
  ]);
}

/** Reads everything; only `CFileError` may be thrown. */
async function readAll(open: () => Promise<HBaseTable>, random: Random): Promise<void> {
  try {
    await using table = await open();
    let cells = 0;
    for await (const batch of table.scan({
      versions: "all",
      raw: random.below(4) === 0,
      now: 1795332590000,
    })) {
      cells += batch.length;
      if (cells > MAX_CELLS) {
        break;
      }
    }
    await table.get("r0001", { now: 1795332590000 });
    if (random.below(4) === 0) {
      await verifyTable(table);
    }
  } catch (error) {
    if (!isCFileError(error)) {
      throw error;
    }
  }
}

const damagedRoot = defineHarness({
  name: "HBase: a root directory with one damaged file",
  share: 60,
  load: (): FileOfRoot[] => {
    const all = filesOfRoots();
    // Small files have the structure, but most files are store files.
    const small = all.filter(({ name }) => !/\/[0-9a-f]{32}$/.test(name));
    return [...all, ...small, ...small];
  },
  mutate: ({ bytes }, random) => mutateFields(bytes, random),
  act: async (bytes, { files, path }, random) => {
    const changed = new Map(files);
    changed.set(path, bytes);
    if (random.below(4) === 0) {
      changed.delete(path);
      changed.set([...path.split("/").slice(0, -1), hostileName(path, random)].join("/"), bytes);
    }
    const root = await openHBaseRoot(memoryTree(changed, "fuzz"));
    const [, , namespace = "", table = ""] =
      /^(archive\/|mobdir\/)?data\/([^/]+)\/([^/]+)\//.exec(path) ?? [];
    const [, snapshot] = /^\.hbase-snapshot\/([^/]+)\//.exec(path) ?? [];
    const recover = random.below(3) === 0;
    if (snapshot !== undefined) {
      await readAll(() => root.openSnapshot(snapshot, { recover }), random);
      return;
    }
    const tables = table === "" || namespace === "hbase" ? await root.tables() : [`${namespace}:${table}`];
    await readAll(() => root.openTable(random.pick(tables), { recover }), random);
  },
});

/** All harnesses of HBase's directories. */
export const HBASE_FILES: readonly Harness[] = [damagedRoot];
