/** A log that a running server is still writing: readers with the same given end see the same writes. */
import { expect, it } from "vitest";
import { type KuduDirOptions, openKuduDir } from "../src/index.js";
import { parseLogSegment } from "../src/log.js";
import { collectRows } from "./json-rows.js";
import { serverFiles, treeOf } from "./servers.js";

const TABLE = "unflushed";
const FILES = serverFiles("log");

async function tabletId(): Promise<string> {
  await using dir = await openKuduDir(treeOf(FILES));
  const { tablets } = await dir.table(TABLE);
  for (const tablet of tablets) {
    if (((await tablet.unflushed())?.operations.length ?? 0) > 1) {
      return tablet.id;
    }
  }
  return "";
}

/** The files at a time when the last segment had only some of its entries, followed by zeros. */
function filesBefore(tablet: string, entries: number): Map<string, Uint8Array> {
  const files = new Map(FILES);
  const path =
    [...files.keys()]
      .filter((name) => name.includes(`wals/${tablet}/wal-`))
      .sort()
      .at(-1) ?? "";
  const bytes = (files.get(path) ?? new Uint8Array()).slice();
  const offset = parseLogSegment(bytes, path).entries[entries]?.offset ?? bytes.length;
  files.set(path, bytes.fill(0, offset));
  return files;
}

async function rowsOf(files: Map<string, Uint8Array>, tablet: string, options: KuduDirOptions = {}) {
  await using dir = await openKuduDir(treeOf(files), options);
  const found = await dir.tablet(tablet);
  const rows = await collectRows(found.scan({ withLog: true }));
  return { rows, end: await found.logEnd() };
}

it("readers that are given the end of another one's log read the same rows, whatever was written since", async () => {
  const tablet = await tabletId();
  const now = await rowsOf(FILES, tablet);
  const [last = 0] = Object.values(now.end ?? {}).slice(-1);
  expect(last).toBeGreaterThan(1);
  let different = 0;
  for (let entries = 0; entries < last; entries++) {
    const before = await rowsOf(filesBefore(tablet, entries), tablet);
    const later = await rowsOf(FILES, tablet, { logEnds: { [tablet]: before.end ?? {} } });
    expect(later).toEqual(before);
    different += JSON.stringify(before.rows) === JSON.stringify(now.rows) ? 0 : 1;
  }
  expect(different).toBeGreaterThan(0);
  expect(await rowsOf(FILES, tablet, { logEnds: { [tablet]: now.end ?? {} } })).toEqual(now);
});
