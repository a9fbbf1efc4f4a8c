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
