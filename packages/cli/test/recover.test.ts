import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import { output, run } from "./run.js";

const golden = pathToGolden("idx_posidx_only_int32.cfile");
let folder: string;
let damaged: string;
let target: string;

beforeAll(async () => {
  folder = temporaryFolder();
  damaged = join(folder, "damaged.cfile");
  target = join(folder, "saved.cfile");
  const bytes = await readFile(golden);
  bytes[700] = (bytes[700] ?? 0) ^ 1;
  await writeFile(damaged, bytes);
});

describe("recover", () => {
  test("recovers undamaged data and reports what was lost", async () => {
    const { code, stdout, stderr } = await run(["recover", damaged, target]);
    expect(stderr).toBe("");
    expect(code).toBe(3);
    expect(stdout).toContain("lost E_CHECKSUM");
    expect(stdout).toContain("130..259");
    expect(stdout).toMatch(/saved\.cfile: [\d,]+ rows saved, 130 rows lost/);
    expect(await output(["verify", target])).toContain("ok");
  });

  test("a valid file is copied, with exit code 0", async () => {
    const { code, stdout } = await run(["recover", golden, target, "--no-sync"]);
    expect(code).toBe(0);
    expect(stdout).toContain("0 rows lost");
    expect(await output(["digest", target])).toContain((await output(["digest", golden])).split(" ")[0]);
  });

  test("--json prints the ledger; --lost null replaces lost rows", async () => {
    const { code, stdout } = await run(["recover", damaged, target, "--lost", "null", "--json"]);
    const json = JSON.parse(stdout);
    expect(code).toBe(3);
    expect(json.nulls_for_lost).toBe(130);
    expect(json.rows).toBe(json.ledger.rowsTotal);
    expect(json.ledger.blocks[1]).toMatchObject({ state: "lost", firstRow: 130, rows: 130, verified: false });
    expect(json.ledger.column.knownFrom.type).toBe("footer");
  });

  test("without a footer the type is required", async () => {
    const cut = join(folder, "cut.cfile");
    await writeFile(cut, (await readFile(golden)).subarray(0, 3000));
    const untyped = await run(["recover", cut, target]);
    expect(untyped.stderr).toContain("type is required");
    expect(untyped.code).toBe(1);
    const given = await run(["recover", cut, target, "--type", "int32"]);
    expect(given.code).toBe(3);
    expect(given.stdout).toContain("guessed: encoding");
    expect(given.stdout).toContain("perhaps more after the last block");
    expect((await run(["recover", cut, target, "--type", "int33"])).code).toBe(2);
  });
});

describe("recover of the files of a row set", () => {
  const copy = async (name: string, damage: (bytes: Buffer) => Buffer): Promise<string> => {
    const path = join(folder, "damaged-part.cfile");
    await writeFile(path, damage(await readFile(pathToGolden(name))));
    return path;
  };
  const flipped = (bytes: Buffer): Buffer => {
    bytes[600] = (bytes[600] ?? 0) ^ 1;
    return bytes;
  };
  const cut = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length - 40);

  test("keeps the entries of undamaged blocks of a delta file, and lists rows that may have lost some", async () => {
    const file = await copy("deltafile/delta_redo_multiblock.cfile", flipped);
    const { code, stdout } = await run(["recover", file, target]);
    expect(code).toBe(3);
    expect(stdout).toMatch(/REDO file, by the order of timestamps/);
    expect(stdout).toMatch(/lost E_CHECKSUM/);
    expect(stdout).toMatch(/lost by the counts of the footer: .*cells of column/);
    expect(stdout).toMatch(/saved\.cfile: [\d,]+ entries saved, [\d,]+ entries lost/);
    expect(await output(["verify", target])).toContain("ok");
    const json = JSON.parse((await run(["recover", file, target, "--kind", "redo", "--json"])).stdout);
    expect(json.ledger).toMatchObject({ kind: "redo", kindFrom: "given", complete: false });
    expect(json.ledger.entriesKept + json.ledger.entriesLost).toBe(json.ledger.entriesTotal);
  });

  test("requires the kind of a delta file without footer", async () => {
    const file = await copy("deltafile/delta_undo_multiblock.cfile", cut);
    const { code, stderr } = await run(["recover", file, target]);
    expect(code).toBe(1);
    expect(stderr).toContain("type is required");
    const { stdout } = await run(["recover", file, target, "--kind", "undo"]);
    expect(stdout).toContain("UNDO file");
    expect(stdout).toContain("perhaps more after the last block");
  });

  test("rebuilds a Bloom file from its keys, as the server wrote it", async () => {
    for (const table of ["cluster_int32", "cluster_string", "tablet_composite"]) {
      const original = await readFile(pathToGolden(`rowset-blooms/${table}_bloom.cfile`));
      const keys = ["--keys", pathToGolden(`rowset-blooms/${table}_keys.cfile`)];
      const file = await copy(`rowset-blooms/${table}_bloom.cfile`, flipped);
      expect(await output(["recover", file, target, ...keys])).toMatch(
        /Bloom file of [\d,]+ keys?, [\d,]+ filter/,
      );
      expect((await readFile(target)).equals(original)).toBe(true);
      const without = await copy(`rowset-blooms/${table}_bloom.cfile`, cut);
      await output(["recover", without, target, ...keys, "--kind", "bloom", "--json"]);
      expect((await readFile(target)).equals(original)).toBe(true);
    }
    const file = pathToGolden("rowset-blooms/cluster_int32_bloom.cfile");
    const { code, stderr } = await run(["recover", file, target]);
    expect(code).toBe(2);
    expect(stderr).toContain("missing option: --keys");
  });

  test("rebuilds an ad-hoc index from its key columns", async () => {
    const columns = [join(folder, "keys", "a.cfile"), join(folder, "keys", "b.cfile")];
    const csv = join(folder, "keys.csv");
    await writeFile(
      csv,
      ["a,b", ...Array.from({ length: 400 }, (_, i) => `${Math.floor(i / 7)},x${i % 7}`)].join("\n"),
    );
    await output(["write", csv, "--output", join(folder, "keys"), "--schema", "a:int32,b:string"]);
    const index = await copy("adhoc_index.cfile", flipped);
    const keys = columns.flatMap((path) => ["--keys", path]);
    expect(await output(["recover", index, target, ...keys])).toContain("ad-hoc index of 400 keys");
    expect(await output(["verify", target])).toContain("ok, 400 rows");
    const { code, stderr } = await run(["recover", index, target, "--keys", columns[0] ?? ""]);
    expect(code).toBe(1);
    expect(stderr).toContain("keys of several columns");
  });
});
