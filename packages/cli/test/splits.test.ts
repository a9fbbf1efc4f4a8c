import { execFile, spawn } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parseRange, pathToGolden, ranges, temporaryFolder, webServer } from "@cfile-tools/testkit";
import { createCFile } from "cfile";
import { beforeAll, describe, expect, it } from "vitest";
import { inputLines } from "../src/splits/input-lines.js";
import { output, run } from "./run.js";

const golden = pathToGolden("");
const main = fileURLToPath(new URL("../dist/bundle/cfile.js", import.meta.url));
const ROWS = 30_000;
let folder = "";
let column = "";

interface Answer {
  readonly id: string | null;
  readonly file?: string;
  readonly rows?: number;
  readonly line?: number;
  readonly rowsLost?: number;
  readonly retryable?: boolean;
  readonly error?: { readonly code: string; readonly message: string; readonly path?: string };
  readonly recovered?: readonly { readonly ledger?: unknown }[];
}

const answersOf = (text: string): Answer[] =>
  text
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

beforeAll(async () => {
  folder = temporaryFolder();
  column = join(folder, "column.cfile");
  const writer = await createCFile(column, { type: "INT32", encoding: "PLAIN_ENCODING", blockSize: 4096 });
  await writer.append(Int32Array.from({ length: ROWS }, (_, i) => i));
  await writer.finish();
});

async function newFolder(): Promise<string> {
  return mkdtemp(join(folder, "work-"));
}

/** All rows of the Parquet files of a folder, sorted. */
async function rowsIn(parts: string): Promise<string[]> {
  const rows: string[] = [];
  for (const name of (await readdir(parts)).filter((file) => file.endsWith(".parquet"))) {
    const csv = join(parts, "back.csv");
    await output(["convert", join(parts, name), csv]);
    rows.push(...(await readFile(csv, "utf8")).trim().split("\n").slice(1));
    await rm(csv);
  }
  return rows.toSorted();
}

const numbers = Array.from({ length: ROWS }, (_, i) => String(i)).toSorted();

describe("cfile splits and run-split", () => {
  it("report requests and bytes with --stats", async () => {
    const work = await newFolder();
    const splits = join(work, "s.ndjson");
    const planned = await run(["splits", column, "--stats", "-o", splits]);
    expect(planned.stderr).toMatch(/column\.cfile: \d+ reads?, [\d.]+ KiB of [\d.]+ KiB/);
    const stdin = await readFile(splits, "utf8");
    const ran = await run(["run-split", "--stats", "-o", join(work, "parts")], { stdin });
    expect(ran.stderr).toMatch(/column\.cfile: \d+ reads?, 1\d\d(?:\.\d)? KiB of 1\d\d(?:\.\d)? KiB/);
  });

  it("write a table in parts that together equal an export", async () => {
    const work = await newFolder();
    const [splits, parts] = [join(work, "s.ndjson"), join(work, "parts")];
    const server = join(golden, "servers/log");
    for (const table of ["history", "keys_composite"]) {
      const told = await output(["splits", server, "--table", table, "--target", "4K", "-o", splits]);
      expect(told).toMatch(/^\S+: \d+ splits?, about \d+ rows, [\d.]+ KiB\n$/);
      const ran = await run(["run-split", "-o", parts], { stdin: await readFile(splits, "utf8") });
      expect([ran.code, ran.stderr]).toEqual([0, ""]);
      const csv = join(work, "all.csv");
      await output(["kudu", "export", server, "--table", table, "-j", "1", "-o", csv]);
      expect(await rowsIn(parts)).toEqual(
        (await readFile(csv, "utf8")).trim().split("\n").slice(1).toSorted(),
      );
      await rm(parts, { recursive: true });
    }
  });

  it("support columns, conditions and snapshots", async () => {
    const work = await newFolder();
    const args = ["--columns", "n,id", "--where", "id < -44000", "--where", "n is not null"];
    const asOf = ["--as-of", "7353263250431393793"];
    const server = join(golden, "servers/log");
    const lines = await output(["splits", server, "--table", "history", ...args, ...asOf]);
    await output(["run-split", "-o", join(work, "parts")], { stdin: lines });
    const scan = ["kudu", "scan", server, "--table", "history", ...args, ...asOf];
    const scanned = await output([...scan, "--csv", "--decode"]);
    expect(await rowsIn(join(work, "parts"))).toEqual(scanned.trim().split("\n").slice(1).toSorted());
    const csv = join(work, "exported.csv");
    await output(["kudu", "export", server, "--table", "history", ...args, ...asOf, "-j", "1", "-o", csv]);
    expect(await readFile(csv, "utf8")).toBe(scanned);
    expect(JSON.parse(lines)).toMatchObject({ kind: "kudu", columns: ["n", "id"], asOf: asOf[1] });
  });

  it("read folders of CFiles, table stores, and row sets by role", async () => {
    const work = await newFolder();
    const dataset = join(work, "dataset");
    await mkdir(dataset);
    for (const part of [9, 10]) {
      await cp(join(golden, "enc_int32_bshuf_n1000.cfile"), join(dataset, `part-${part}.cfile`));
    }
    const lines = await output(["splits", dataset]);
    expect(JSON.parse(lines)).toMatchObject({ kind: "cfiles", rows: 2000, pieces: [{}, {}] });
    await writeFile(join(work, "t.csv"), "id,name\n1,a\n2,b\n3,\n");
    const table = join(work, "table");
    await output(["convert", join(work, "t.csv"), table, "--to", "rowset", "--key", "id"]);
    const files = (await readdir(table)).filter((file) => file.endsWith(".cfile")).toSorted();
    const manifest = JSON.parse(await readFile(join(table, "rowset.json"), "utf8"));
    const [{ columns }] = manifest.rowSets;
    const roles = join(work, "roles.json");
    await writeFile(
      roles,
      JSON.stringify({
        schema: [
          { id: columns[0].id, name: "id", type: "int32", key: true },
          { id: columns[1].id, name: "name", type: "string?" },
        ],
        row_sets: [
          {
            columns: Object.fromEntries(
              columns.map(({ id, file }: { id: number; file: string }) => [id, `table/${file}`]),
            ),
          },
        ],
      }),
    );
    expect(files.length).toBeGreaterThan(2);
    for (const source of [table, join(table, "rowset.json"), roles]) {
      const parts = join(await newFolder(), "parts");
      await output(["run-split", "-o", parts], { stdin: await output(["splits", source]) });
      expect(await rowsIn(parts)).toEqual(["1,a", "2,b", "3,"]);
    }
    expect((await run(["splits", table, table])).code).toBe(2);
    expect((await run(["splits", column, "--as-of", "5"])).code).toBe(2);
    expect((await run(["splits", column, "--table", "t"])).code).toBe(2);
    expect((await run(["splits", column, "--target", "none"])).code).toBe(2);
  });

  it("run on several processors with one shell command", async () => {
    const work = await newFolder();
    const bin = join(work, "bin");
    await mkdir(bin);
    await writeFile(join(bin, "cfile"), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
    await chmod(join(bin, "cfile"), 0o755);
    const env = { ...process.env, PATH: `${bin}:${process.env["PATH"]}` };
    const readme = await readFile(fileURLToPath(new URL("../../splits/README.md", import.meta.url)), "utf8");
    const documented = [...readme.matchAll(/^(?:seq .*xargs -P|parallel) .*run-split.*$/gm)].map(
      ([line]) => line,
    );
    expect(documented.length).toBe(2);
    const shell = (line: string) => promisify(execFile)("sh", ["-c", line], { cwd: work, env });
    await shell(`cfile splits '${column}' --target 32K -o splits.ndjson`);
    for (const line of documented) {
      const tool = line.startsWith("parallel") ? "parallel" : "xargs";
      const isThere = await shell(`command -v ${tool}`).then(
        () => true,
        () => false,
      );
      if (isThere) {
        await shell(line);
        expect(await rowsIn(join(work, "parts"))).toEqual(numbers);
        await rm(join(work, "parts"), { recursive: true });
      }
    }
  }, 60_000);

  it("report each split that fails and run the others", async () => {
    const work = await newFolder();
    const lines = (await output(["splits", column, "--target", "16K"])).trim().split("\n");
    const [first = "", second = "", third = "", ...rest] = lines;
    expect(rest.length).toBeGreaterThan(0);
    const stdin = [
      first.replace('"cfileSplit":1', '"cfileSplit":9'),
      first.replace('"kind":"cfiles"', '"kind":"else"'),
      second.slice(0, 200),
      "",
      third.replace('"rows":', '"rows":1e400,"x":'),
      "null",
      "{}",
      ...rest,
    ].join("\n");
    const ran = await run(["run-split", "-o", join(work, "parts")], { stdin });
    const answers = answersOf(ran.stdout);
    expect(answers.map(({ error }) => error?.code)).toEqual([
      "E_UNSUPPORTED",
      "E_UNSUPPORTED",
      "E_CORRUPT",
      "E_CORRUPT",
      "E_CORRUPT",
      "E_CORRUPT",
      ...rest.map(() => undefined),
    ]);
    expect(answers.slice(0, 6).map(({ line }) => line)).toEqual([1, 2, 3, 5, 6, 7]);
    expect(answers[0]).toMatchObject({ id: JSON.parse(first).id, retryable: false });
    expect(answers[4]?.id).toBe(null);
    expect((await readdir(join(work, "parts"))).length).toBe(rest.length);
    expect(ran.code).toBe(3);
    const zero = await run(["run-split", "-o", join(work, "parts"), "--exit-zero"], { stdin });
    expect([zero.code, answersOf(zero.stdout).length]).toEqual([0, answers.length]);
  });

  it("read only below the allowed roots, even through links", async () => {
    const work = await newFolder();
    const inside = join(work, "in");
    const outside = join(work, "out");
    for (const root of [inside, outside]) {
      await mkdir(root);
      await cp(column, join(root, "c.cfile"));
    }
    await symlink(join(outside, "c.cfile"), join(inside, "link.cfile"));
    await symlink(inside, join(outside, "back"));
    const sources = [
      join(inside, "c.cfile"),
      join(outside, "c.cfile"),
      join(inside, "link.cfile"),
      join(outside, "back", "c.cfile"),
      `${inside}/../out/c.cfile`,
    ];
    let stdin = "";
    for (const source of sources) {
      stdin += await output(["splits", source]);
    }
    const server = join(golden, "servers/log");
    stdin += await output(["splits", server, "--table", "history"]);
    const parts = join(work, "parts");
    const ran = await run(["run-split", "-o", parts, "--allow-root", inside], { stdin });
    const codes = answersOf(ran.stdout).map(({ error }) => error?.code);
    const refused = "E_INVALID_ARGUMENT";
    expect(codes).toEqual([undefined, refused, refused, undefined, refused, refused]);
    expect(answersOf(ran.stdout)[1]?.error?.path).toBe(join(outside, "c.cfile"));
    expect(ran.code).toBe(1);
    const both = ["--allow-root", work, "--allow-root", server];
    expect((await run(["run-split", "-o", parts, ...both], { stdin })).code).toBe(0);
    expect((await run(["run-split", "-o", parts, "--allow-root", join(work, "none")], { stdin })).code).toBe(
      5,
    );
  });

  it("of a damaged source fail, or report the ledger of recover", async () => {
    const work = await newFolder();
    const damaged = join(work, "damaged.cfile");
    const bytes = await readFile(column);
    bytes[60_000] = (bytes[60_000] ?? 0) ^ 1;
    await writeFile(damaged, bytes);
    const stdin = await output(["splits", damaged, "--target", "32K"]);
    const parts = join(work, "parts");
    const failed = await run(["run-split", "-o", parts], { stdin });
    const errors = answersOf(failed.stdout).filter(({ error }) => error !== undefined);
    expect([failed.code, errors.length, errors[0]?.error?.code]).toEqual([3, 1, "E_CHECKSUM"]);
    expect((await readdir(parts)).length).toBe(answersOf(failed.stdout).length - 1);
    const saved = await run(["run-split", "-o", parts, "--recover"], { stdin });
    const recovered = await run(["recover", damaged, join(work, "saved.cfile"), "--json"]);
    const { ledger } = JSON.parse(recovered.stdout);
    const [answer] = answersOf(saved.stdout).filter((one) => one.recovered?.length === 1);
    expect(answer?.recovered?.[0]).toMatchObject({
      path: damaged,
      column: "value",
      rows_lost: ledger.rowsLost,
    });
    expect(answer?.recovered?.[0]?.ledger).toEqual(ledger);
    expect(saved.code).toBe(3);
    const kept = (await output(["cat", join(work, "saved.cfile")])).trim().split("\n");
    expect(await rowsIn(parts)).toEqual(kept.toSorted());
  });
});

/** Serves the column; with `stall`, requests far from the end of the file get no response. */
async function serveColumn() {
  const bytes = await readFile(column);
  const state = { stall: false, etag: '"1"' };
  const answer = ranges(() => ({ bytes, headers: { ETag: state.etag } }));
  const server = await webServer((request, response, count) => {
    const range = parseRange(request.headers.range, bytes.length);
    if (!state.stall || range === undefined || range.start >= bytes.length - 16_384) {
      answer(request, response, count);
    }
  });
  return Object.assign(state, server);
}

describe("a worker", () => {
  it("leaves no file under the final name when killed, and the next one cleans up", async () => {
    const work = await newFolder();
    const server = await serveColumn();
    const stdin = await output(["splits", server.url]);
    server.stall = true;
    const parts = join(work, "parts");
    const child = spawn(process.execPath, [main, "run-split", "-o", parts], {
      stdio: ["pipe", "ignore", "inherit"],
    });
    child.stdin.end(stdin);
    const left = (): Promise<string[]> => readdir(parts).catch(() => []);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    try {
      await expect.poll(left, { interval: 20, timeout: 20_000 }).not.toEqual([]);
    } finally {
      child.kill("SIGKILL");
    }
    await ended;
    const { id } = JSON.parse(stdin);
    expect((await left()).map((name) => name.startsWith(`.part-${id}.parquet.`))).toEqual([true]);
    server.stall = false;
    const again = await run(["run-split", "-o", parts], { stdin });
    expect(answersOf(again.stdout)).toMatchObject([{ id, rows: ROWS }]);
    expect(await left()).toEqual([`part-${id}.parquet`]);
    const bytes = await readFile(join(parts, `part-${id}.parquet`));
    await output(["run-split", "-o", parts], { stdin });
    expect((await readFile(join(parts, `part-${id}.parquet`))).equals(bytes)).toBe(true);
    expect(await rowsIn(parts)).toEqual(numbers);
  }, 30_000);

  it("sends the given headers, and rejects files that changed", async () => {
    const work = await newFolder();
    const server = await serveColumn();
    const header = ["--header", "X-Key: a"];
    const stdin = await output(["splits", server.url, "--target", "32K", ...header]);
    const parts = join(work, "parts");
    await output(["run-split", "-o", parts, ...header], { stdin });
    expect(new Set(server.asked.map(({ headers }) => headers["x-key"]))).toEqual(new Set(["a"]));
    expect(await rowsIn(parts)).toEqual(numbers);
    const root = server.url.replace("/c.cfile", "");
    expect((await run(["run-split", "-o", parts, "--allow-root", root], { stdin })).code).toBe(0);
    const refused = await run(["run-split", "-o", parts, "--allow-root", `${root}/d`], { stdin });
    expect(answersOf(refused.stdout)[0]?.error?.code).toBe("E_INVALID_ARGUMENT");
    server.etag = '"2"';
    const changed = await run(["run-split", "-o", parts], { stdin });
    expect(new Set(answersOf(changed.stdout).map(({ error }) => error?.code))).toEqual(
      new Set(["E_SOURCE_CHANGED"]),
    );
    expect(changed.code).toBe(5);
  });

  it("stops without leaving a file", async () => {
    const work = await newFolder();
    const stopped = new AbortController();
    stopped.abort(new DOMException("stopped", "AbortError"));
    const stdin = await output(["splits", column]);
    const { code, stdout } = await run(["run-split", "-o", join(work, "parts")], {
      stdin,
      signal: stopped.signal,
    });
    expect([code, stdout]).toEqual([130, ""]);
    expect(await readdir(join(work, "parts"))).toEqual([]);
  });
});

describe("inputLines", () => {
  it("reports lines that are too long and reads the next ones", async () => {
    const { Readable } = await import("node:stream");
    const stream = Readable.from([
      Buffer.from("ab\n0123"),
      Buffer.from("456789\n\ncd"),
      Buffer.from("e\r\n"),
      Buffer.from("f"),
    ]);
    const lines: unknown[] = [];
    for await (const { number, text } of inputLines(stream, 5)) {
      lines.push([number, typeof text === "string" ? text.trim() : text.code]);
    }
    expect(lines).toEqual([
      [1, "ab"],
      [2, "E_LIMIT"],
      [4, "cde"],
      [5, "f"],
    ]);
  });
});
