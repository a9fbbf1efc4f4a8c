/** `cfile kudu rebuild` on data directories without their metadata. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { output, run } from "./run.js";

const four = pathToGolden("kudu-cluster/four");
const lost = [`${four}/ts1/data1`, `${four}/ts1/data2`];
const encrypted = pathToGolden("servers/encrypted/ts/data1");
const encryptedMaster = pathToGolden("server-masters/encrypted");

describe("cfile kudu rebuild", () => {
  it("writes superblocks with which tables have the rows they had", async () => {
    const meta = join(await temporaryFolder(), "meta");
    const rebuilt = await output([
      ...["kudu", "rebuild", ...lost, "--catalog", `${four}/master`, "-o", meta, "--no-sync"],
    ]);
    expect(rebuilt).toContain("18 superblocks; not written: 0 tablets");
    for (const table of ["one_copy", "sales", "types", "events", "renamed", "soft_deleted"]) {
      const columns = ["--table", table, "--ndjson"];
      const before = await output(["kudu", "scan", `${four}/ts1`, ...columns]);
      expect(await output(["kudu", "scan", meta, ...lost, ...columns])).toBe(before);
    }
    const { stdout } = await run(["kudu", "check", meta, ...lost, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true });
  });

  it("lists ambiguous files, and writes their tablets only if asked", async () => {
    const options = ["kudu", "rebuild", encrypted, "--catalog", encryptedMaster];
    const { code, stdout } = await run(options);
    expect(code).toBe(3);
    expect(stdout).toContain("delta file in block 24, 1 change from 7353262840208875520: row set 1 or 8");
    const folder = await temporaryFolder();
    const strict = await run([...options, "-o", join(folder, "strict"), "--json"]);
    expect(strict.code).toBe(3);
    const written = (text: string): unknown =>
      JSON.parse(text).tablets.map((tablet: Record<string, unknown>) => [tablet["table"], tablet["written"]]);
    expect(written(strict.stdout)).toEqual([
      ["small", false],
      ["unflushed", true],
    ]);
    const lenient = await run([...options, "-o", join(folder, "lenient"), "--json", "--leave-out"]);
    expect(written(lenient.stdout)).toEqual([
      ["small", true],
      ["unflushed", true],
    ]);
  });

  it("takes decisions", async () => {
    const decided = await run([
      ...["kudu", "rebuild", encrypted, "--catalog", encryptedMaster],
      ...["--assign", "24=8", "--assign", "26=8", "--json"],
    ]);
    expect(decided.code).toBe(0);
    expect(JSON.parse(decided.stdout)).toMatchObject({ ambiguous: [], leftover: [] });
    const { row_sets: rowSets } = JSON.parse(decided.stdout);
    expect(rowSets.find(({ id }: { id: string }) => id === "8").redo).toEqual(["24", "26"]);
  });

  it("takes a schema", async () => {
    const schema = "id:int32,n:int32?,s:string?,b:bool?";
    const { stdout } = await run(["kudu", "rebuild", encrypted, "--schema", schema, "--table", "mine"]);
    expect(stdout).toMatch(/^mine .* schema as given/m);
  });

  it.each([
    ["--assign", "x=1", "must be BLOCK=ROW_SET, BLOCK=ROW_SET/COLUMN"],
    ["--assign", "24=7", "no row set 7 for block 24"],
  ])("rejects %s %s", async (option, value, message) => {
    const { code, stderr } = await run(["kudu", "rebuild", encrypted, option, value]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
  });

  it("never writes over another directory, and leaves nothing behind", async () => {
    const folder = await temporaryFolder();
    const into = await run(["kudu", "rebuild", encrypted, "-o", four]);
    expect(into.stderr).toContain("the directory is not empty");
    const options = ["--schema", "id:int64", "-o", join(folder, "new")];
    const none = await run(["kudu", "rebuild", pathToGolden("servers/file/ts/data1"), ...options]);
    expect(none.stderr).toContain("no tablet is certain enough");
    expect(await readdir(folder)).toEqual([]);
  });
});
