/** Two blocks with the same ID, as after a copied container: neither can be trusted. */
import type { CFileError } from "@cfile/bytes";
import { expect, test } from "vitest";
import { keyExtents, rolesOf } from "../src/catalog.js";
import type { DirProblem } from "../src/check.js";
import { checkKuduDir, type KuduDir, openKuduDir } from "../src/index.js";
import type { RowSetAccount } from "../src/recover.js";
import { withSuperblock } from "./edited-files.js";
import { collectRows } from "./json-rows.js";
import { serverFiles, treeOf } from "./servers.js";

const pristine = await openKuduDir(treeOf(serverFiles("log")));
const tablet = (await pristine.tablets()).find(({ rowSets }) => rowSets.length > 1);
const id = tablet?.id ?? "";
const rowSet = tablet?.rowSets[0];
const key = tablet?.schema.columns.find(({ isKey }) => isKey)?.id ?? -1;
const keyBlock = rowSet?.blocks.columns.get(key) ?? 0n;
const { path } = await pristine.block(keyBlock);
const twice = (await pristine.blocks.list()).filter((block) => block.path === path).map((block) => block.id);

/** The server with a second copy of the container that holds the row set's keys. */
function withCopy(change = (files: Map<string, Uint8Array>) => files): Promise<KuduDir> {
  const files = change(serverFiles("log"));
  const data = path.slice("server/".length);
  const copy = data.replace(/[0-9a-f]{32}\.data$/, "ffffffffffffffffffffffffffffffff.data");
  for (const [from, to] of [
    [data, copy],
    [data.replace(/data$/, "metadata"), copy.replace(/data$/, "metadata")],
  ] as const) {
    files.set(to, files.get(from) ?? new Uint8Array(0));
  }
  return openKuduDir(treeOf(files));
}

const uses = (await pristine.blockUses()).get(keyBlock) ?? [];

test("a lookup and a scan throw; the problems of the server name each ID once", async () => {
  await using dir = await withCopy();
  await expect(dir.block(keyBlock)).rejects.toMatchObject({ code: "E_CORRUPT", field: "block_id" });
  await expect(collectRows((await dir.tablet(id)).scan())).rejects.toMatchObject({ code: "E_CORRUPT" });
  await expect((await dir.tablet(id)).size()).rejects.toMatchObject({ code: "E_CORRUPT", field: "block_id" });
  const problems = await dir.problems();
  expect(problems.map(({ code, field }) => ({ code, field }))).toEqual(
    twice.map(() => ({ code: "E_CORRUPT", field: "block_id" })),
  );
});

test("the size leaves out such blocks, and names them, if that is requested", async () => {
  await using dir = await withCopy();
  const errors: CFileError[] = [];
  const size = await (await dir.tablet(id)).size((error) => errors.push(error));
  const whole = await (await pristine.tablet(id)).size();
  const lost = new Set<string>();
  let bytes = 0;
  for (const { id: block } of tablet?.superblock.rowSets.flatMap(rolesOf) ?? []) {
    if (twice.includes(block)) {
      lost.add(`two blocks have ID ${block}`);
      bytes += Number(await (await pristine.block(block)).source.size());
    }
  }
  expect(bytes).toBeGreaterThan(0);
  expect(size).toMatchObject({ total: whole.total - bytes, missing: [] });
  expect(errors.map(({ code }) => code)).toEqual([...lost].map(() => "E_CORRUPT"));
  expect(new Set(errors.map(({ reason }) => reason.split(":")[0]))).toEqual(lost);
});

test("the key ranges have the error as a problem of each row set that uses such an ID", async () => {
  await using dir = await withCopy();
  const { rowSets } = await keyExtents(await dir.tablet(id));
  const { rowSets: expected } = await keyExtents(await pristine.tablet(id));
  let damaged = 0;
  for (const extent of rowSets) {
    const before = expected.find((one) => one.id === extent.id);
    const blocks = tablet?.superblock.rowSets.find((one) => one.id === extent.id);
    const isDamaged = blocks !== undefined && rolesOf(blocks).some((one) => twice.includes(one.id));
    damaged += isDamaged ? 1 : 0;
    expect(extent).toMatchObject(
      isDamaged
        ? { problem: { code: "E_CORRUPT" }, missing: [] }
        : { rows: before?.rows, minKey: before?.minKey, bytes: before?.bytes, problem: undefined },
    );
  }
  expect(damaged).toBeGreaterThan(0);
  expect(rowSets.find((one) => one.id === rowSet?.id)).toMatchObject({ rows: undefined, minKey: undefined });
});

test("a check reports them with their roles, and goes on", async () => {
  await using dir = await withCopy();
  const problems: DirProblem[] = [];
  const { ok, missing, rowSets, liveRows } = await checkKuduDir(dir, {
    onProblem: (problem) => problems.push(problem),
  });
  const whole = await checkKuduDir(pristine);
  expect({ ok, missing, rowSets }).toEqual({ ok: false, missing: [], rowSets: whole.rowSets });
  expect(liveRows).toBeLessThan(whole.liveRows);
  expect(liveRows).toBeGreaterThan(0);
  const [{ role } = { role: "" }] = uses;
  expect(problems).toContainEqual(
    expect.objectContaining({
      code: "E_CORRUPT",
      path: `block ${keyBlock}`,
      role,
      tablet: id,
      rowSet: rowSet?.id,
    }),
  );
});

test("a check goes on if no tablet uses them", async () => {
  const rowsOf = (files: Map<string, Uint8Array>) => withSuperblock(id, () => ({ rowsets: [] }), files);
  await using dir = await withCopy(rowsOf);
  const { ok, orphaned } = await checkKuduDir(dir);
  expect(ok).toBe(false);
  expect(orphaned).toContain(keyBlock);
});

test("recovery keeps what other blocks have", async () => {
  await using dir = await withCopy();
  const accounts: RowSetAccount[] = [];
  const rows = await collectRows(
    (await dir.tablet(id)).recover({}, (account) => void accounts.push(account)),
  );
  const all = await collectRows((await pristine.tablet(id)).scan());
  expect(all).toEqual(expect.arrayContaining(rows));
  expect(accounts.map((account) => account.rowSet)).toContain(rowSet?.id);
});
