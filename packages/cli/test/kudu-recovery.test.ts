/** `cfile kudu scan` and `export` of a cluster with damaged replicas. */
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToGolden, readGoldenJson, temporaryFolder } from "@cfile-tools/testkit";
import { beforeAll, describe, expect, it } from "vitest";
import { run } from "./run.js";

const four = pathToGolden("kudu-cluster/four");

describe("a cluster with damaged replicas", () => {
  const tablet = "11eb61387cd844f68e2b8360ccc9f6b7";
  const truth = readGoldenJson<{ snapshots: { tablets: Record<string, unknown[]> }[] }>(
    "kudu-cluster/four/rows/renamed.json",
  );
  const total = Object.values(truth.snapshots.at(-1)?.tablets ?? {}).flat().length;
  let copy = "";
  let rows: readonly string[] = [];

  /** The best replica has a damaged block, the second one no log. */
  beforeAll(async () => {
    copy = join(temporaryFolder(), "damaged");
    await cp(four, copy, { recursive: true });
    const block = `${copy}/ts0/data1/data/4cff36c70d1e40259100b8b2c3013772.data`;
    const bytes = await readFile(block);
    bytes[426_040] = 0x55;
    await writeFile(block, bytes);
    await rm(`${copy}/ts2/wal/wals/${tablet}`, { recursive: true });
    rows = sortedLines((await run(["kudu", "scan", four, "--table", "renamed", "--csv"])).stdout);
  });

  const roots = (...names: string[]): string[] => names.map((name) => `${copy}/${name}`);
  const sortedLines = (text: string): readonly string[] => text.trimEnd().split("\n").sort();

  it("is read from an undamaged replica, which stderr names", async () => {
    const { code, stdout, stderr } = await run(["kudu", "scan", copy, "--table", "renamed", "--csv"]);
    expect(code).toBe(0);
    expect(sortedLines(stdout)).toEqual(rows);
    expect(rows).toHaveLength(total + 1);
    expect(stderr).toMatch(/tablet 11eb\w+: read from server 58cb\w+ instead \(server b74c\w+: CRC mismatch/);
  });

  it("fails if no replica is whole, and asks for --recover", async () => {
    const args = [...roots("master", "ts0", "ts1", "ts2"), "--table", "renamed"];
    const scan = await run(["kudu", "scan", ...args, "--csv"]);
    expect(scan.code).toBe(3);
    expect(scan.stderr).toContain(`no replica of tablet ${tablet} of table "renamed" is undamaged`);
    expect(scan.stderr).toContain("use --recover to combine what remains in the replicas");
    const target = join(copy, "none.csv");
    const exported = await run(["kudu", "export", ...args, "-j", "1", "-o", target]);
    expect(exported.code).toBe(3);
    expect(exported.stderr).toContain("--recover");
    await expect(readFile(target)).rejects.toThrow();
  });

  it("takes rows from all replicas with --recover, and the ledger says from where", async () => {
    const args = [...roots("master", "ts0", "ts1", "ts2"), "--table", "renamed", "--recover"];
    const scan = await run(["kudu", "scan", ...args, "--csv"]);
    // The lost log may have had more operations.
    expect([scan.code, sortedLines(scan.stdout)]).toEqual([3, rows]);
    expect(scan.stderr).toContain("later operations are lost, or hidden by damage");
    expect(scan.stderr).toMatch(/server b74c\w+: \d+ rows \(DiskRowSet 8 lost 44 rows\)/);
    const target = join(copy, "all.csv");
    const { code, stdout } = await run(["kudu", "export", ...args, "-j", "1", "-o", target, "--json"]);
    expect(code).toBe(3);
    const { rows: count, tablets_recovered: ledgers } = JSON.parse(stdout);
    expect([count, ledgers.length]).toEqual([total, 2]);
    const ledger = ledgers.find((one: { tablet: string }) => one.tablet === tablet);
    expect(ledger).toMatchObject({ complete: false, snapshot: "earlier", lost: [], rows_different: 0 });
    expect(ledger.sources.length).toBeGreaterThan(1);
    expect(ledger.sources[0]).toMatchObject({ rows: expect.any(Number), from_text: expect.any(String) });
  });

  it("is queried with sql --recover, which reports the ledger once per tablet", async () => {
    const sql = (query: string, ...options: string[]) =>
      run(["sql", query, ...roots("master", "ts0", "ts1", "ts2"), "--csv", ...options]);
    const damaged = await sql("select count(*) n from renamed");
    expect(damaged.code).toBe(3);
    expect(damaged.stderr).toContain(`no replica of tablet ${tablet}`);
    const query = "select count(*) n, count(distinct a.id) m from renamed a join renamed b using (id)";
    const { code, stdout, stderr } = await sql(query, "--recover");
    expect([code, stdout]).toEqual([3, `n,m\n${total},${total}\n`]);
    expect(stderr.match(/later operations are lost, or hidden by damage/g)).toHaveLength(1);
  });

  it("is compared with kudu diff --recover", async () => {
    const times = readGoldenJson<{ snapshots: { timestamp: string }[] }>(
      "kudu-cluster/four/rows/renamed.json",
    ).snapshots.map(({ timestamp }) => timestamp);
    const range = ["--from", String(times[1]), "--to", String(times[3])];
    const args = ["--table", "renamed", ...range, "--csv"];
    const changes = sortedLines((await run(["kudu", "diff", four, ...args])).stdout);
    const rowsAt = async (time: string | undefined) =>
      new Set(
        sortedLines(
          (await run(["kudu", "scan", four, ...args.slice(0, 2), "--as-of", String(time), "--csv"])).stdout,
        ),
      );
    const [before, after] = [await rowsAt(times[1]), await rowsAt(times[3])];
    // Rows that changed and changed back are in both snapshots.
    const isLasting = (line: string): boolean => {
      const row = line.slice(line.indexOf(",") + 1);
      return !(line.startsWith("false,") && before.has(row) && after.has(row));
    };
    const damaged = roots("master", "ts0");
    expect((await run(["kudu", "diff", ...damaged, ...args])).code).toBe(3);
    const { code, stdout } = await run(["kudu", "diff", ...damaged, ...args, "--recover"]);
    expect(code).toBe(0);
    expect(sortedLines(stdout)).toEqual(changes.filter(isLasting));
    expect(sortedLines(stdout).length).toBeGreaterThan(30);
  });

  it("applies the operations of the logs if every replica has lost rows", async () => {
    const args = [...roots("master", "ts0"), "--table", "renamed", "--recover", "--csv"];
    const { code, stdout, stderr } = await run(["kudu", "scan", ...args]);
    expect([code, sortedLines(stdout)]).toEqual([0, rows]);
    expect(stderr).toMatch(/write-ahead logs: \d+ rows/);
    expect(stderr).toMatch(
      /committed writes after operation 1\.18 at .* may be missing: the logs of 2 of 3 voters/,
    );
  });

  it("says which keys are lost in all replicas and logs, with exit code 3", async () => {
    await rm(`${copy}/ts0/wal/wals/${tablet}`, { recursive: true });
    const args = [...roots("master", "ts0"), "--table", "renamed", "--recover", "--csv"];
    const { code, stdout, stderr } = await run(["kudu", "scan", ...args]);
    expect(code).toBe(3);
    const left = sortedLines(stdout);
    expect(rows).toEqual(expect.arrayContaining([...left]));
    expect(left.length).toBeLessThan(rows.length);
    expect(stderr).toMatch(/lost: at most \d+ rows with keys from -?\d+ to -?\d+/);
    expect(stderr).toContain("no log can be read from its start");
  });

  it("names the keys of tablets that no server has, and who had them", async () => {
    const { stderr } = await run([
      "kudu",
      "scan",
      `${four}/master`,
      `${four}/ts0`,
      "--table",
      "one_copy",
      "--csv",
    ]);
    expect(stderr).toMatch(
      /add the directories of server \w{32} \(\S+\); missing keys: HASH \(id\) PARTITION \d/,
    );
  });
});
