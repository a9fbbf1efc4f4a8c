import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { PassThrough } from "node:stream";
import { findChromium, launchChromium } from "@cfile-tools/browser";
import { pathToGolden } from "@cfile-tools/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "./run.js";

const file = pathToGolden("enc_int32_plain_n1000.cfile");
const bytes = readFileSync(file);

/** Starts the command; `url` is the address that it prints. */
function serve(args: readonly string[]) {
  const stop = new AbortController();
  const stdout = new PassThrough();
  const url = once(stdout, "data").then(([chunk]) => String(chunk).trim());
  const done = run(["serve", ...args], { signal: stop.signal, stdout });
  return { url, stop, done };
}

describe("cfile serve", () => {
  let url: string;
  let served: ReturnType<typeof serve>;

  beforeAll(async () => {
    served = serve([file, pathToGolden("servers/encrypted/ts")]);
    url = await served.url;
  });
  afterAll(async () => {
    served.stop.abort();
    expect((await served.done).code).toBe(0);
  });

  test("listens only on this machine, under a random path", async () => {
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/);
    for (const other of ["/", "/files/0", `/${"0".repeat(32)}/files/0`]) {
      expect((await fetch(new URL(other, url))).status).toBe(404);
    }
  });

  test("serves the page with a policy that allows no other hosts", async () => {
    const page = await fetch(url);
    expect(page.headers.get("content-security-policy")).toContain("connect-src 'self';");
    expect(await page.text()).toContain('<meta name="cfile-served" content="served.json" />');
    expect((await fetch(new URL("main.js", url))).headers.get("content-type")).toContain("text/javascript");
  });

  test("lists the given files and the files in given folders, and nothing else", async () => {
    const list = (await (await fetch(new URL("served.json", url))).json()) as { path: string; url: string }[];
    expect(list[0]).toEqual({ path: "enc_int32_plain_n1000.cfile", url: "files/0" });
    expect(list.slice(1).every(({ path }) => path.startsWith("ts/"))).toBe(true);
    expect(list.some(({ path }) => path === "ts/wal/instance")).toBe(true);
    expect((await fetch(new URL(`files/${list.length}`, url))).status).toBe(404);
    for (const path of ["../package.json", "..%2fpackage.json", "chunks/../../package.json", "%2e%2e/x"]) {
      expect((await fetch(url + path)).status).toBe(404);
    }
  });

  test.each([
    ["bytes=0-3", 0, 4],
    ["bytes=100-", 100, bytes.length],
    ["bytes=-16", bytes.length - 16, bytes.length],
    ["bytes=8-999999999", 8, bytes.length],
  ])("answers %s with the requested bytes", async (range, from, to) => {
    const answer = await fetch(new URL("files/0", url), { headers: { Range: range } });
    expect(answer.status).toBe(206);
    expect(answer.headers.get("content-range")).toBe(`bytes ${from}-${to - 1}/${bytes.length}`);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes.subarray(from, to));
  });

  test("serves whole files, and rejects ranges outside the file and other methods", async () => {
    const whole = await fetch(new URL("files/0", url));
    expect([whole.status, Buffer.from(await whole.arrayBuffer()).equals(bytes)]).toEqual([200, true]);
    const behind = await fetch(new URL("files/0", url), { headers: { Range: `bytes=${bytes.length}-` } });
    expect([behind.status, behind.headers.get("content-range")]).toEqual([416, `bytes */${bytes.length}`]);
    expect((await fetch(new URL("files/0", url), { method: "POST" })).status).toBe(405);
    expect((await fetch(new URL("files/0", url), { method: "HEAD" })).headers.get("content-length")).toBe(
      String(bytes.length),
    );
  });

  test("rejects requests for another host name", async () => {
    const { hostname, port, pathname } = new URL(url);
    const status = await new Promise((resolve) => {
      request({ hostname, port, path: pathname, headers: { Host: `evil.example:${port}` } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      }).end();
    });
    expect(status).toBe(404);
  });
});

describe.skipIf(findChromium().path === undefined)("the page of cfile serve in Chromium", () => {
  test("shows the given file without requests to other hosts", async () => {
    const served = serve([file]);
    const browser = await launchChromium();
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("pageerror", ({ message }) => complaints.push(message));
    page.on("console", (message) => {
      if (message.type() === "error") {
        complaints.push(message.text());
      }
    });
    await page.goto(await served.url);
    await page.getByText("No damage found; all checksums match").waitFor();
    expect(await page.title()).toBe("cfile explorer");
    expect(complaints).toEqual([]);
    await browser.close();
    served.stop.abort();
    await served.done;
  });

  test.each<[string, string[], string[], string | RegExp]>([
    [
      "a file and a server's directories",
      [file, "servers/file/ts"],
      ["ts", "enc_int32_plain_n1000.cfile"],
      "Encrypted",
    ],
    [
      "two servers as a cluster",
      ["servers/file/ts", "servers/encrypted/ts"],
      ["Servers"],
      /^Server [0-9a-f]{8}/,
    ],
    [
      "two files of one name",
      [file, file],
      ["enc_int32_plain_n1000.cfile", "enc_int32_plain_n1000.cfile (2)"],
      "No damage found; all checksums match",
    ],
  ])("shows %s", async (_, given, labels, content) => {
    const served = serve(given.map((path) => (path === file ? file : pathToGolden(path))));
    const browser = await launchChromium();
    const page = await browser.newPage();
    await page.goto(await served.url);
    for (const label of labels) {
      await page.locator(".node-name", { hasText: label }).first().waitFor();
    }
    await page
      .locator(".node-name", { hasText: labels[0] ?? "" })
      .first()
      .click();
    await page.getByText(content).first().waitFor();
    await browser.close();
    served.stop.abort();
    expect((await served.done).code).toBe(0);
  });
});

describe("cfile serve refuses", () => {
  test.each([
    [["no-such-file"], 5, "no such file or directory"],
    [[file, "--port", "70000"], 2, `invalid --port: "70000"`],
    [[], 2, "missing argument: <files..>"],
  ])("%j", async (args, code, message) => {
    const result = await run(["serve", ...args]);
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(message);
  });

  test("a port in use", async () => {
    const first = serve([file]);
    const { port } = new URL(await first.url);
    const second = await run(["serve", file, "--port", port]);
    expect([second.code, second.stderr]).toEqual([
      5,
      expect.stringContaining(`cannot listen on port ${port}: already in use`),
    ]);
    first.stop.abort();
    await first.done;
  });
});
