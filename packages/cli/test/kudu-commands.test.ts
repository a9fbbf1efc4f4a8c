import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { clientRowFiles, pathToGolden, readGoldenJson } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { run } from "./run.js";

const golden = pathToGolden("");

interface ClientRows {
  readonly table: string;
  readonly columns: readonly Record<string, unknown>[];
  readonly snapshots: readonly { readonly timestamp: string; readonly tablets: Record<string, unknown[]> }[];
  readonly diffs: readonly {
    readonly from: string;
    readonly to: string;
    readonly tablets: Record<string, unknown[]>;
  }[];
}

const cases = (["log", "file", "encrypted"] as const).flatMap((server) =>
  clientRowFiles(server).map((file) => {
    const client = readGoldenJson<ClientRows>(file);
    return { server, client, name: `${server}, table ${client.table}` };
  }),
);

/** Leaves out tablets without rows: the client also lists dropped tablets. */
function withRows(tablets: Record<string, unknown[]>): Record<string, unknown[]> {
  return Object.fromEntries(Object.entries(tablets).filter(([, rows]) => rows.length > 0));
}

describe.each(cases)("cfile kudu: $name", ({ server, client }) => {
  const dir = `${golden}servers/${server}`;

  it("scans the rows that Kudu's client read, in the client's format", async () => {
    for (const { timestamp, tablets } of client.snapshots.slice(-2)) {
      const args = ["scan", dir, "--table", client.table, "--as-of", timestamp, "--with-log", "--json"];
      const { code, stdout, stderr } = await run(["kudu", ...args]);
      expect(stderr).toBe("");
      expect(code).toBe(0);
      const read = JSON.parse(stdout);
      expect(read.columns).toEqual(client.columns);
      expect(withRows(read.tablets)).toEqual(withRows(tablets));
    }
  });

  it.each(client.diffs.slice(0, 1))(
    "prints the changes that Kudu's client read, in the client's format",
    async (diff) => {
      const { from, to, tablets } = diff;
      const args = ["diff", dir, "--table", client.table, "--from", from, "--to", to, "--with-log", "--json"];
      const { code, stdout } = await run(["kudu", ...args]);
      expect(code).toBe(0);
      expect(withRows(JSON.parse(stdout).tablets)).toEqual(withRows(tablets));
    },
  );
});

const LOG = `${golden}servers/log`;

describe("cfile kudu", () => {
  it("lists tables and tablets", async () => {
    const { code, stdout } = await run(["kudu", "ls", LOG, "--table", "history"]);
    expect(code).toBe(0);
    expect(stdout).toContain("9c43c7bb4c0d438fab0e3b45108ffcac  ready");
    const { tablets, problems } = JSON.parse((await run(["kudu", "ls", LOG, "--json"])).stdout);
    expect(tablets.length).toBe(23);
    expect(problems).toEqual([]);
  });

  it("writes rows as text, CSV and NDJSON", async () => {
    const args = ["kudu", "scan", LOG, "--table", "history", "--columns", "id,n", "--where", "id < -48000"];
    expect((await run(args)).stdout).toBe("    id       n\n-50000    1008\n-49087  -28171\n-48174  -39973\n");
    expect((await run([...args, "--csv"])).stdout).toBe("id,n\n-50000,1008\n-49087,-28171\n-48174,-39973\n");
    expect((await run([...args, "--ndjson", "--limit", "1"])).stdout).toBe('{"id":-50000,"n":1008}\n');
  });

  it("reports changes that are only in the write-ahead log", async () => {
    const { code, stderr } = await run(["kudu", "scan", LOG, "--table", "unflushed"]);
    expect(code).toBe(0);
    expect(stderr).toContain("46 changes only in the write-ahead log");
  });

  it("reports a log that ends within an entry", async () => {
    const server = mkdtempSync(join(tmpdir(), "cfile-torn-log-"));
    cpSync(LOG, server, { recursive: true });
    const tablet = "7d73b92d1ec149d485190aeeb51422bf";
    const segment = join(server, `ts/wal/wals/${tablet}/wal-000000001`);
    truncateSync(segment, statSync(segment).size - 1);
    const place = "wal-000000001, offset 6542, entry: entry needs";
    for (const withLog of [[], ["--with-log"]]) {
      const { code, stderr } = await run(["kudu", "scan", server, "--table", "unflushed", ...withLog]);
      expect(code).toBe(0);
      expect(stderr).toContain("the log ends within an entry, whose writes are missing: E_TRUNCATED");
      expect(stderr).toContain(place);
    }
    const check = await run(["kudu", "check", server]);
    expect(check.code).toBe(0);
    expect(check.stdout).toContain(
      `note: the log ends within an entry, whose writes are missing: unflushed ${tablet}`,
    );
    const { ok, torn_logs: torn } = JSON.parse((await run(["kudu", "check", server, "--json"])).stdout);
    expect([ok, torn]).toMatchObject([true, [{ tablet, code: "E_TRUNCATED", offset: 6542 }]]);
    rmSync(server, { recursive: true });
  });

  it("reports that the history is gone", async () => {
    const old = ["--table", "short_history", "--as-of", "2026-11-21T01:00:00Z"];
    const { code, stdout, stderr } = await run(["kudu", "scan", LOG, ...old, "--json"]);
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toContain("is no longer retained");
  });

  it("reads what one disk has and reports the missing blocks", async () => {
    const dirs = [`${LOG}/ts/data2`, `${LOG}/ts/wal`];
    const scan = await run(["kudu", "scan", ...dirs, "--table", "types_flushed", "--json"]);
    expect(scan.code).not.toBe(0);
    expect(scan.stderr).toContain("is missing");
    expect(Object.keys(JSON.parse(scan.stdout).tablets).length).toBe(2);
    const strict = await run(["kudu", "scan", ...dirs, "--table", "types_flushed", "--strict"]);
    expect(strict.code).not.toBe(0);
    const check = await run(["kudu", "check", ...dirs, "--json"]);
    expect(check.code).toBe(3);
    expect(JSON.parse(check.stdout).missing_blocks.length).toBeGreaterThan(100);
  });

  it("lists blocks, prints one and checks all", async () => {
    const { stdout } = await run(["kudu", "blocks", LOG, "--json"]);
    const { blocks } = JSON.parse(stdout);
    expect(blocks.length).toBe(694);
    expect(blocks[0]).toMatchObject({ table: expect.any(String), role: expect.any(String) });
    const bytes = await run(["kudu", "cat-block", "337", LOG]);
    expect(bytes.stdout.slice(0, 8)).toBe("kuducfl2");
    const check = await run(["kudu", "check", LOG]);
    expect(check).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^ok: 23 tablets, 40 DiskRowSets, 694 blocks/),
    });
    expect((await run(["kudu", "cat-block", "x", LOG])).code).toBe(2);
  });

  it.each([
    ["a valid server", [LOG], 0],
    ["one disk of it", [`${LOG}/ts/data2`, `${LOG}/ts/wal`], 3],
  ] as const)("checks %s with several threads, with the same result as with one", async (_, dirs, code) => {
    const alone = await run(["kudu", "check", ...dirs, "--json"]);
    expect(alone.code).toBe(code);
    const main = fileURLToPath(new URL("../dist/bundle/cfile.js", import.meta.url));
    const args = [main, "kudu", "check", ...dirs, "--json", "-j", "3"];
    const threads = spawnSync(process.execPath, args, { timeout: 25_000 });
    expect(JSON.parse(threads.stdout.toString())).toEqual(JSON.parse(alone.stdout));
    expect(threads.status).toBe(code);
  });

  it("requires a table if there are several", async () => {
    const { code, stderr } = await run(["kudu", "scan", LOG]);
    expect(code).toBe(2);
    expect(stderr).toContain("--table");
    expect((await run(["kudu", "scan", LOG, "--table", "nothing"])).code).not.toBe(0);
  });
});
