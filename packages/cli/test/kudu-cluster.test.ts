/** `cfile kudu catalog`, `describe` and `ksck` of a killed cluster, compared with the output of Kudu's own tools while it ran. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToGolden, readGoldenJson, temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { run } from "./run.js";

const four = pathToGolden("kudu-cluster/four");
const servers = (...names: string[]): string[] => names.map((name) => `${four}/${name}`);

describe("cfile kudu describe", () => {
  it.each(["sales", "events", "one_copy", "types", "renamed", "empty"])(
    "prints %s as `kudu table describe` does",
    async (table) => {
      const { code, stdout } = await run(["kudu", "describe", four, "--table", table]);
      expect(code).toBe(0);
      expect(stdout.trimEnd()).toBe(readFileSync(`${four}/facts/describe_${table}.txt`, "utf8").trimEnd());
    },
  );

  it("needs only the master's directories", async () => {
    const { code, stdout } = await run(["kudu", "describe", ...servers("master"), "--table", "sales"]);
    expect(code).toBe(0);
    expect(stdout.trimEnd()).toBe(readFileSync(`${four}/facts/describe_sales.txt`, "utf8").trimEnd());
  });

  it.each([
    ["masters", "kept"],
    ["masters", "renamed"],
    ["masters", "later"],
    ["old-master", "t0"],
    ["old-master", "t1"],
    ["old-master", "t2"],
  ])("prints the tables of %s: %s", async (cluster, table) => {
    const folder = pathToGolden(`kudu-cluster/${cluster}`);
    const { stdout } = await run(["kudu", "describe", folder, "--table", table]);
    expect(stdout.trimEnd()).toBe(readFileSync(`${folder}/facts/describe_${table}.txt`, "utf8").trimEnd());
  });

  it("prints what is unknown without a master", async () => {
    const { stdout } = await run(["kudu", "describe", ...servers("ts0", "ts1", "ts2"), "--table", "sales"]);
    expect(stdout).toContain('    PARTITION "row/c" <= VALUES < "row/m",');
    expect(stdout).toContain("OWNER unknown (no master in the directories)");
  });
});

describe("a cluster whose catalog is damaged", () => {
  it("is read with a note that tablets may be missing", async () => {
    const folder = await mkdtemp(join(tmpdir(), "cfile-catalog-"));
    cpSync(four, folder, { recursive: true });
    const wals = join(folder, "master", "wals", "0".repeat(32));
    for (const name of readdirSync(wals)) {
      const bytes = readFileSync(join(wals, name));
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
      writeFileSync(join(wals, name), bytes);
    }
    const note = "tablets that no directory has may be missing, as the catalog is damaged";
    const options = ["--table", "one_copy"];
    for (const command of [["kudu", "scan"], ["splits"], ["compare", four]]) {
      const damaged = await run([...command, folder, ...options]);
      expect([damaged.code, damaged.stderr]).toEqual([0, expect.stringContaining(note)]);
      expect((await run([...command, four, ...options])).stderr).not.toContain(note);
    }
    await rm(folder, { recursive: true });
  });
});

interface ListedTable {
  readonly name: string;
  readonly num_replicas: number;
  readonly tablet_with_partition: readonly {
    readonly tablet_id: string;
    readonly partition_info: string;
    readonly replica_info: readonly unknown[];
  }[];
}

describe("cfile kudu catalog", () => {
  it("lists the tables, tablets, partitions and replicas of `kudu table list`", async () => {
    const { code, stdout } = await run(["kudu", "catalog", ...servers("master"), "--json"]);
    expect(code).toBe(0);
    const { tables, redacted } = JSON.parse(stdout);
    expect(redacted).toBe(2);
    const facts = readGoldenJson<{ tables: readonly ListedTable[] }>("kudu-cluster/four/facts/list.json");
    for (const { name, num_replicas, tablet_with_partition } of facts.tables) {
      const table = tables.find((one: ListedTable) => one.name === name);
      expect(table.num_replicas).toBe(num_replicas);
      const found = new Map(table.tablets.map((tablet: { tablet_id: string }) => [tablet.tablet_id, tablet]));
      for (const { tablet_id, partition_info, replica_info } of tablet_with_partition) {
        expect(found.get(tablet_id)).toMatchObject({
          partition_info,
          replicas: expect.arrayContaining([...replica_info]),
        });
      }
    }
  });

  it("lists tables with their state", async () => {
    const { stdout } = await run(["kudu", "catalog", ...servers("master")]);
    expect(stdout).toMatch(/^dropped +[0-9a-f]{32} +removed +root +3 +1$/m);
    expect(stdout).toMatch(/^soft_deleted +[0-9a-f]{32} +soft deleted until \d{4}-/m);
    expect(stdout).toContain("redacted: 2 entries with private keys");
  });

  it("never prints a private key", async () => {
    for (const options of [[], ["--json"]]) {
      const { stdout } = await run(["kudu", "catalog", four, ...options]);
      expect(stdout).not.toMatch(/PRIVATE KEY|BEGIN/);
      expect(Buffer.from(stdout).includes(Buffer.from([0x30, 0x82]))).toBe(false);
    }
  });

  it("requires a master", async () => {
    const { code, stderr } = await run(["kudu", "catalog", ...servers("ts0")]);
    expect(code).not.toBe(0);
    expect(stderr).toContain("no master in the directories");
  });
});

describe("cfile kudu ksck", () => {
  it("reports the replicas of the stopped server as behind, with exit code 3", async () => {
    const facts = readGoldenJson<{ servers: Record<string, string>; stopped: string }>(
      "kudu-cluster/four/facts/servers.json",
    );
    const { code, stdout } = await run(["kudu", "ksck", four, "--json"]);
    expect(code).toBe(3);
    const { problems, servers: count, tables } = JSON.parse(stdout);
    expect([count, tables]).toEqual([5, 7]);
    const stopped = facts.servers[facts.stopped];
    const behind = problems.filter(({ kind }: { kind: string }) => kind === "replica behind");
    expect(behind.filter(({ server }: { server: string }) => server === stopped).length).toBeGreaterThan(8);
    expect(new Set(problems.map(({ kind }: { kind: string }) => kind))).toEqual(
      new Set(["replica behind", "writes unconfirmed"]),
    );
  });

  it("names tablets without a replica and voters whose disks are missing", async () => {
    const { code, stdout } = await run(["kudu", "ksck", ...servers("master", "ts0")]);
    expect(code).toBe(3);
    expect(stdout).toMatch(
      /no replica: one_copy, tablet [0-9a-f]{32}, HASH \(id\) PARTITION \d, RANGE .*: no replica is in the directories/,
    );
    expect(stdout).toMatch(/under-replicated: sales, tablet [0-9a-f]{32}, server [0-9a-f]{32}: voter/);
  });

  it("compares the rows of replicas, unless it must not read them", async () => {
    const { stdout } = await run(["kudu", "ksck", four, "--json"]);
    const { compared } = JSON.parse(stdout);
    expect(compared).toHaveLength(25);
    for (const { replicas } of compared) {
      expect(new Set(replicas.map(({ digest }: { digest: string }) => digest)).size).toBe(1);
      expect(replicas[0].digest).toMatch(/^[0-9a-f]{64}$/);
    }
    const skipped = await run(["kudu", "ksck", four, "--json", "--no-checksum-scan"]);
    expect(JSON.parse(skipped.stdout).compared).toEqual([]);
  });

  it("finds hash partitions that no server has when there is no master", async () => {
    const { stdout } = await run(["kudu", "ksck", ...servers("ts0")]);
    expect(stdout).toMatch(
      /gap in partitions: one_copy, HASH \(id\) PARTITION \d, RANGE \(id\) PARTITION UNBOUNDED: no tablet has the partition/,
    );
  });
});

describe("cfile kudu ls, scan, diff and export of a cluster", () => {
  it("lists replicas, marks the one that is read, and lists tablets without replicas", async () => {
    const { code, stdout } = await run(["kudu", "ls", ...servers("master", "ts0", "ts1"), "--json"]);
    expect(code).toBe(3);
    const { tablets } = JSON.parse(stdout);
    const sales = tablets.filter(({ table }: { table: string }) => table === "sales");
    expect(sales).toHaveLength(6);
    for (const { replicas, partition_info } of sales) {
      expect(replicas.filter(({ read }: { read: boolean }) => read)).toHaveLength(1);
      expect(partition_info).toMatch(/^HASH \(id\) PARTITION [01], RANGE \(region\) PARTITION /);
    }
    const lost = tablets.filter(({ replicas }: { replicas: unknown[] }) => replicas.length === 0);
    expect(lost.map(({ table }: { table: string }) => table)).toEqual(["one_copy", "one_copy"]);
  });

  it("words partitions as `kudu table list` does", async () => {
    const { stdout } = await run(["kudu", "ls", four, "--json"]);
    const { tablets } = JSON.parse(stdout);
    const found = new Map(
      tablets.map((one: { tablet: string; partition_info: string }) => [one.tablet, one.partition_info]),
    );
    const facts = readGoldenJson<{ tables: readonly ListedTable[] }>("kudu-cluster/four/facts/list.json");
    for (const { tablet_id, partition_info } of facts.tables.flatMap((one) => one.tablet_with_partition)) {
      expect(found.get(tablet_id)).toBe(partition_info);
    }
  });

  it("scans the last snapshot by default, and unconfirmed writes on request", async () => {
    const rows = async (...options: string[]): Promise<number> => {
      const { code, stdout } = await run(["kudu", "scan", four, "--table", "sales", "--csv", ...options]);
      expect(code).toBe(0);
      return stdout.trimEnd().split("\n").length - 1;
    };
    const facts = readGoldenJson<{ snapshots: { tablets: Record<string, unknown[]> }[] }>(
      "kudu-cluster/four/rows/sales.json",
    );
    const last = Object.values(facts.snapshots.at(-1)?.tablets ?? {}).flat().length;
    expect(await rows()).toBe(last);
    expect(await rows("--confirmed-only")).toBe(last);
    expect(await rows("--unconfirmed")).toBeGreaterThan(last);
  });

  it("scans a soft-deleted table", async () => {
    const { stdout } = await run(["kudu", "scan", four, "--table", "soft_deleted", "--csv"]);
    expect(stdout.trimEnd().split("\n")).toHaveLength(1 + 20);
  });

  it("exports the rows of all servers", async () => {
    const folder = await mkdtemp(join(tmpdir(), "cfile-cluster-"));
    const target = join(folder, "types.csv");
    const selected = [four, "--table", "types", "--columns", "id,int32_plain"];
    const { code } = await run(["kudu", "export", ...selected, "-o", target, "--jobs", "1"]);
    expect(code).toBe(0);
    const scan = await run(["kudu", "scan", ...selected, "--csv"]);
    const lines = (text: string): string[] => text.trimEnd().split("\n").slice(1).sort();
    expect(lines(await readFile(target, "utf8"))).toEqual(lines(scan.stdout));
    await rm(folder, { recursive: true });
  });

  it("skips and reports tablets without replicas, with an exit code", async () => {
    const args = ["kudu", "scan", ...servers("master", "ts0"), "--table", "one_copy", "--csv"];
    const { code, stdout, stderr } = await run(args);
    expect(code).not.toBe(0);
    expect(stdout.split("\n").length).toBeGreaterThan(2);
    expect(stderr.match(/no replica is in the directories/g)).toHaveLength(3);
    const strict = await run([...args, "--strict"]);
    expect([strict.code === 0, strict.stdout]).toEqual([false, ""]);
  });
});

describe("cfile kudu restore", () => {
  it("writes directories that have the same rows, and prints what they have", async () => {
    const out = join(temporaryFolder(), "new");
    const { code, stdout } = await run(["kudu", "restore", four, "-o", out, "--no-sync", "--json"]);
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    expect(report.servers.map(({ path }: { path: string }) => path)).toEqual([`${out}/master`, `${out}/ts0`]);
    expect(readdirSync(out).sort()).toEqual(["master", "ts0"]);
    for (const { name, num_replicas, soft_deleted, tablets } of report.tables) {
      expect([num_replicas, soft_deleted]).toEqual([1, name === "soft_deleted"]);
      const rows = async (dir: string): Promise<string[]> =>
        (await run(["kudu", "scan", dir, "--table", name, "--csv"])).stdout.trimEnd().split("\n");
      const copied = await rows(out);
      expect(copied).toEqual(await rows(four));
      const counts = tablets.map((tablet: { rows: number }) => tablet.rows);
      expect(counts.reduce((left: number, right: number) => left + right)).toBe(copied.length - 1);
    }
  });

  it("shows tables and servers", async () => {
    const out = join(temporaryFolder(), "new");
    const { code, stdout } = await run([
      ...["kudu", "restore", four, "-o", out, "--no-sync", "--table", "sales", "--table", "soft_deleted"],
      ...["--servers", "2"],
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain(": 2 tables, 8 tablets, 115 rows\n");
    expect(stdout).toMatch(/^soft_deleted +2 +2 +2 +20 +0 +soft deleted$/m);
    expect(stdout).toContain(`${out}/ts1`);
    expect(stdout).toMatch(/127\.0\.0\.1:7150$/m);
  });

  it("leaves a directory that is not empty as it is", async () => {
    const out = temporaryFolder();
    writeFileSync(join(out, "file"), "x");
    const { code, stderr } = await run(["kudu", "restore", four, "-o", out]);
    expect([code, stderr]).toEqual([5, `cfile: the directory is not empty [${out}]\n`]);
    expect(readdirSync(out)).toEqual(["file"]);
  });

  it("leaves nothing behind when a tablet has no replica, unless it may be empty", async () => {
    const folder = temporaryFolder();
    const out = join(folder, "new");
    const dirs = servers("master", "ts0", "ts1", "ts2");
    const failed = await run(["kudu", "restore", ...dirs, "-o", out]);
    expect(failed.code).toBe(5);
    expect(failed.stderr).toMatch(
      /of table "one_copy" \(HASH \(id\) PARTITION 1, .*\) cannot be read: no readable replica/,
    );
    expect(readdirSync(folder)).toEqual([]);
    const { code, stdout } = await run([
      "kudu",
      "restore",
      ...dirs,
      "-o",
      out,
      "--no-sync",
      "--empty-missing",
    ]);
    expect(code).toBe(3);
    expect(stdout).toMatch(
      /^ {2}one_copy: tablet [0-9a-f]{32}, HASH \(id\) PARTITION 1, .*: no replica was found: the tablet is new and empty$/m,
    );
  });

  it.each([
    [["--servers", "2", "--addresses", "a:1"], "--servers is 2, but --addresses has 1"],
    [["--servers", "0"], "invalid --servers"],
    [["--addresses", "a"], "invalid address"],
    [["--table", "nothing"], "no table"],
  ])("rejects %s", async (options, reason) => {
    const out = join(temporaryFolder(), "new");
    const { code, stderr } = await run(["kudu", "restore", four, "-o", out, ...options]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(reason);
  });
});
