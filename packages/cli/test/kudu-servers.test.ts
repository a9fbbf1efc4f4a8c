/** Commands that read each server of a killed cluster separately, and commands that read its tables as splits and with SQL. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToGolden, readGoldenJson, temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { run } from "./run.js";

const four = pathToGolden("kudu-cluster/four");
const { servers: uuids } = readGoldenJson<{ servers: Record<string, string> }>(
  "kudu-cluster/four/facts/servers.json",
);
const uuidOf = (name: string): string => String(uuids[name]);
const tabletServers = ["ts0", "ts1", "ts2", "ts3"];

interface Entry {
  readonly server?: string;
  readonly id?: string;
  readonly ok?: boolean;
}

interface Listed {
  readonly [field: string]: readonly Entry[];
}

async function json(...args: string[]): Promise<Listed> {
  const { code, stdout } = await run([...args, "--json"]);
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

describe("cfile kudu tree, log, check and blocks of several servers", () => {
  it.each([
    ["tree", "tablets"],
    ["log", "tablets"],
    ["blocks", "blocks"],
  ])(
    "%s names the server of each entry, and lists what it lists for that server alone",
    async (name, field) => {
      const all = (await json("kudu", name, four))[field] ?? [];
      for (const server of tabletServers) {
        const alone = (await json("kudu", name, `${four}/${server}`))[field];
        const own = all.filter((entry) => entry.server === uuidOf(server));
        expect(own.map(({ server: _, ...entry }) => entry)).toEqual(alone);
        expect((await json("kudu", name, four, "--server", uuidOf(server)))[field]).toEqual(own);
      }
    },
  );

  it("checks each server", async () => {
    const { servers = [] } = await json("kudu", "check", four);
    expect(servers.map(({ server, ok: isValid }) => [server, isValid])).toEqual(
      expect.arrayContaining(tabletServers.map((name) => [uuidOf(name), true])),
    );
    const { code, stdout } = await run(["kudu", "check", four, "--table", "one_copy"]);
    expect(code).toBe(0);
    expect(stdout.match(/^server [0-9a-f]{32}\n {2}ok: [12] tablets?, /gm)?.length).toBeGreaterThan(1);
  });

  it("names the damaged server", async () => {
    const folder = temporaryFolder();
    cpSync(four, folder, { recursive: true });
    const data = join(folder, "ts1/data1/data");
    for (const name of readdirSync(data).filter((file) => file.endsWith(".data"))) {
      const bytes = readFileSync(join(data, name));
      writeFileSync(join(data, name), bytes.fill(0xff));
    }
    const { code, stdout } = await run(["kudu", "check", folder, "--json"]);
    expect(code).toBe(3);
    const { servers } = JSON.parse(stdout);
    const damaged = servers.filter(({ ok }: { ok: boolean }) => !ok);
    expect(damaged.map(({ server }: { server: string }) => server)).toEqual([uuidOf("ts1")]);
  });

  it("rejects an unknown server and an unknown table", async () => {
    const unknown = await run(["kudu", "tree", four, "--server", "x"]);
    expect(unknown.code).not.toBe(0);
    expect(unknown.stderr).toContain("no server x; servers: ");
    const table = await run(["kudu", "tree", four, "--table", "x"]);
    expect(table.code).not.toBe(0);
    expect(table.stderr).toContain('no table "x"');
  });

  it("asks for the server of a block whose ID several servers have", async () => {
    const { blocks = [] } = await json("kudu", "blocks", four);
    const countOf = (id: string | undefined): number => blocks.filter((block) => block.id === id).length;
    const shared = blocks.find(({ id }) => countOf(id) > 1);
    const single = blocks.find(({ id }) => countOf(id) === 1);
    const ambiguous = await run(["kudu", "cat-block", shared?.id ?? "", four]);
    expect(ambiguous.code).toBe(2);
    expect(ambiguous.stderr).toContain("choose one with --server");
    for (const args of [
      [shared?.id ?? "", four, "--server", shared?.server ?? ""],
      [single?.id ?? "", four],
    ]) {
      expect((await run(["kudu", "cat-block", ...args])).code).toBe(0);
    }
  });
});

async function scanned(dirs: readonly string[], table: string, ...options: string[]): Promise<number> {
  const { stdout } = await run(["kudu", "scan", ...dirs, "--table", table, "--csv", ...options]);
  return stdout.trimEnd().split("\n").length - 1;
}

describe("splits of a cluster", () => {
  it.each([["sales"], ["types"], ["one_copy"], ["renamed"]])("have the rows of %s", async (table) => {
    const folder = temporaryFolder();
    const plan = await run(["splits", four, "--table", table]);
    expect(plan.code).toBe(0);
    const { code, stdout } = await run(["run-split", "-o", folder], { stdin: plan.stdout });
    expect(code).toBe(0);
    const rows = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).rows);
    expect(rows.reduce((sum, count) => sum + count, 0)).toBe(await scanned([four], table));
    expect(readdirSync(folder)).toHaveLength(rows.length);
  });

  it("state which writes are read", async () => {
    const folder = temporaryFolder();
    const plan = await run(["splits", four, "--table", "sales", "--unconfirmed"]);
    expect(plan.stdout).toContain('"writes":"unconfirmed"');
    const { stdout } = await run(["run-split", "-o", folder], { stdin: plan.stdout });
    const rows = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).rows);
    expect(rows.reduce((sum, count) => sum + count, 0)).toBe(await scanned([four], "sales", "--unconfirmed"));
  });

  it("report tablets without a replica", async () => {
    const { code, stderr } = await run(["splits", `${four}/master`, `${four}/ts0`, "--table", "one_copy"]);
    expect(code).toBe(3);
    expect(stderr.match(/its rows are in no split/g)).toHaveLength(3);
  });
});

describe("cfile sql over a cluster", () => {
  it.each([["sales"], ["types"], ["events"]])("counts the rows of %s", async (table) => {
    const { code, stdout } = await run(["sql", `select count(*) n from ${table}`, four, "--csv"]);
    expect(code).toBe(0);
    expect(stdout).toBe(`n\n${await scanned([four], table)}\n`);
  });

  it("reads only the requested tables, columns and rows", async () => {
    const { stdout, stderr } = await run([
      "sql",
      'select id from "sales" where id > 0',
      four,
      "--csv",
      "--explain",
    ]);
    const ids = stdout.trimEnd().split("\n").slice(1);
    expect(ids.every((id) => Number(id) > 0)).toBe(true);
    expect(stderr).toContain(`sales: id where id > 0: ${ids.length} rows read`);
    expect(stderr).not.toContain("types:");
  });

  it("reads snapshots and unconfirmed writes", async () => {
    const query = ["sql", "select count(*) n from sales", four, "--csv"];
    expect((await run([...query, "--unconfirmed"])).stdout).toBe(
      `n\n${await scanned([four], "sales", "--unconfirmed")}\n`,
    );
    const snapshots = readGoldenJson<{ snapshots: { timestamp: string }[] }>(
      "kudu-cluster/four/rows/sales.json",
    );
    const asOf = ["--as-of", String(snapshots.snapshots[0]?.timestamp)];
    expect((await run([...query, ...asOf])).stdout).toBe(`n\n${await scanned([four], "sales", ...asOf)}\n`);
  });

  it("refuses a table that has a tablet without a replica", async () => {
    const { code, stderr } = await run(["sql", "select * from one_copy", `${four}/master`, `${four}/ts0`]);
    expect(code).not.toBe(0);
    expect(stderr).toContain("no replica is in the directories");
  });
});
