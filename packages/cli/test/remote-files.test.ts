import { readFileSync } from "node:fs";
import { pathToGolden, requireSignature, serveFiles, temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, test } from "vitest";
import { run } from "./run.js";

const file = pathToGolden("enc_int32_bshuf_n1000.cfile");

async function serve() {
  const web = await serveFiles(
    { "c.cfile": { body: readFileSync(file) } },
    { refuse: ({ headers }) => (headers["x-key"] === "refused" ? 403 : undefined) },
  );
  return { url: `${web.url}c.cfile`, asked: web.asked };
}

describe("a URL", () => {
  test.each([["cat"], ["head"], ["get", "--row", "5"], ["digest"], ["verify"], ["inspect"]])(
    "can be read by %s",
    async (command, ...rest) => {
      const { url } = await serve();
      const remote = await run([command, url, ...rest]);
      const expected = await run([command, file, ...rest]);
      expect(remote.code).toBe(0);
      expect(remote.stdout.replaceAll(url, file)).toBe(expected.stdout);
    },
  );

  test("is requested with the given headers", async () => {
    const { url, asked } = await serve();
    const { code } = await run(["head", url, "--header", "X-Key: a:b", "--header", "Accept: x"]);
    expect(code).toBe(0);
    expect(asked).toMatchObject([{ headers: { "x-key": "a:b", accept: "x" } }]);
    expect((await run(["head", url, "--header", "X-Key: refused"])).code).toBe(5);
  });
});

describe("--stats", () => {
  test("reports requests and bytes of a URL on stderr", async () => {
    const { url } = await serve();
    const { stderr, stdout } = await run(["head", url, "--stats"]);
    expect(stderr).toMatch(
      /^http:\S+: 1 request, [\d.]+ (?:B|KiB) of [\d.]+ (?:B|KiB) \(100\.0 %\), \d+ ms\n$/,
    );
    expect(stdout).toBe((await run(["head", file])).stdout);
  });

  test("reports reads and bytes of a file, even if the command fails", async () => {
    const { stderr } = await run(["get", file, "--row", "99999", "--stats"]);
    expect(stderr).toMatch(/: \d+ reads?, [\d.]+ (?:B|KiB) of [\d.]+ (?:B|KiB) \([\d.]+ %\), \d+ ms\n$/);
  });
});

test.each(["", "no colon", ": no name", "two words: x"])("--header %j is a usage error", async (header) => {
  const { code, stderr } = await run(["head", file, "--header", header]);
  expect([code, stderr]).toMatchObject([2, expect.stringContaining("--header")]);
});

describe("an s3: URL", () => {
  const keys = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret/+=", sessionToken: "token" };
  const env = {
    AWS_ACCESS_KEY_ID: keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
    AWS_SESSION_TOKEN: keys.sessionToken,
    AWS_REGION: "eu-west-1",
  };

  async function bucket(isPublic = false) {
    const web = await serveFiles(
      { "data/a b/c.cfile": { body: readFileSync(file) } },
      isPublic ? {} : { refuse: requireSignature({ ...keys, region: "eu-west-1" }) },
    );
    return { ...env, AWS_ENDPOINT_URL: web.url };
  }

  test.each([["cat"], ["get", "--row", "5"], ["digest"], ["verify"], ["inspect"]])(
    "is read by %s with signed requests",
    async (command, ...rest) => {
      const url = "s3://data/a b/c.cfile";
      const remote = await run([command, url, ...rest], { env: await bucket() });
      const expected = await run([command, file, ...rest]);
      expect(remote).toMatchObject({ code: 0, stderr: "" });
      expect(remote.stdout.replaceAll(url, file)).toBe(expected.stdout);
    },
  );

  test("has statistics; AWS_ENDPOINT_URL_S3 overrides AWS_ENDPOINT_URL", async () => {
    const { AWS_ENDPOINT_URL, ...others } = await bucket();
    const { stderr, code } = await run(["head", "s3://data/a b/c.cfile", "--stats"], {
      env: { ...others, AWS_ENDPOINT_URL: "http://127.0.0.1:1/", AWS_ENDPOINT_URL_S3: AWS_ENDPOINT_URL },
    });
    expect(stderr).toMatch(/^s3:\/\/data\/a b\/c\.cfile: 1 request, /);
    expect(code).toBe(0);
  });

  test("can be split, and the splits run", async () => {
    const folder = temporaryFolder();
    const settings = { env: await bucket() };
    const { stdout: lines } = await run(["splits", "s3://data/a b/c.cfile"], settings);
    const { code, stdout } = await run(["run-split", "-o", folder], { ...settings, stdin: lines });
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { rows: 1000 }]);
  });

  test("of a public bucket needs no keys", async () => {
    const { AWS_ENDPOINT_URL } = await bucket(true);
    expect((await run(["head", "s3://data/a b/c.cfile"], { env: { AWS_ENDPOINT_URL } })).code).toBe(0);
  });

  test.each([
    ["another secret", { AWS_SECRET_ACCESS_KEY: "x" }, "s3://data/a b/c.cfile", 5, "403"],
    [
      "half of the keys",
      { AWS_SECRET_ACCESS_KEY: "" },
      "s3://data/a b/c.cfile",
      2,
      "AWS_SECRET_ACCESS_KEY is not set",
    ],
    ["no such object", {}, "s3://data/none", 5, "no such file"],
    ["no object", {}, "s3://data", 1, "s3://bucket/key"],
  ])("with %s fails", async (_name, changes, url, code, message) => {
    const result = await run(["head", url], { env: { ...(await bucket()), ...changes } });
    expect(result).toMatchObject({ code, stderr: expect.stringContaining(message) });
  });
});
