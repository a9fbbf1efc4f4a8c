/** Real clients against a server that checks their signatures. */
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { type FileServer, requireSignature, serveFiles } from "@cfile-tools/testkit";
import { AwsClient } from "aws4fetch";
import { beforeAll, describe, expect, test } from "vitest";
import { s3Source } from "../src/http.js";
import { type ByteSource, openSource } from "../src/index.js";
import { numbered } from "./paused-source.js";

const region = "eu-central-1";
const credentials = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG",
  sessionToken: "a/b+c=",
};
const KEY = "folder/numbers 1+2 (ä)!.cfile";

let web: FileServer;
beforeAll(async () => {
  web = await serveFiles(
    { [`bucket/${KEY}`]: { body: numbered }, "bucket/empty": { body: "" } },
    { refuse: requireSignature({ ...credentials, region }) },
  );
});

const withFetch = (key: string, changes: object = {}): ByteSource =>
  s3Source("bucket", key, {
    client: new AwsClient({ ...credentials, ...changes, region, service: "s3", retries: 0 }),
    region,
    endpoint: web.url,
    tailBytes: 1000,
    headBytes: 0,
  });
const withSdk = (key: string, changes: object = {}): ByteSource =>
  s3Source("bucket", key, {
    client: new S3Client({
      region,
      endpoint: web.url,
      forcePathStyle: true,
      maxAttempts: 1,
      credentials: { ...credentials, ...changes },
    }),
    GetObjectCommand,
    tailBytes: 1000,
    headBytes: 0,
  });

describe.each([
  ["aws4fetch", withFetch],
  ["@aws-sdk/client-s3", withSdk],
])("an object through %s", (_name, open) => {
  test("is read with signed range requests", async () => {
    web.served.length = 0;
    const source = open(KEY);
    expect(await source.size()).toBe(numbered.length);
    expect(await source.read(99_500, 100)).toEqual(numbered.subarray(99_500, 99_600));
    expect(await source.read(5000, 100)).toEqual(numbered.subarray(5000, 5100));
    expect(await source.version?.()).toBe(`"1" ${numbered.length}`);
    expect(source.name).toBe(`s3://bucket/${KEY}`);
    expect(web.served.map(({ method, range, status }) => [method, range, status])).toEqual([
      ["GET", "bytes=-1000", 206],
      ["GET", "bytes=5000-5099", 206],
    ]);
  });

  test("that does not exist is E_NOT_FOUND", async () => {
    await expect(open("none").size()).rejects.toMatchObject({ code: "E_NOT_FOUND" });
  });

  test("may be empty", async () => {
    expect(await open("empty").size()).toBe(0);
  });

  test("with other credentials is E_IO with status 403", async () => {
    await expect(open(KEY, { secretAccessKey: "wrong" }).size()).rejects.toMatchObject({
      code: "E_IO",
      field: "status",
      actual: 403,
    });
  });

  test("that is replaced while it is read is E_SOURCE_CHANGED", async () => {
    const source = open(KEY);
    await source.size();
    web.files.set(`bucket/${KEY}`, { body: numbered, etag: '"2"' });
    try {
      await expect(source.read(5000, 100)).rejects.toMatchObject({ code: "E_SOURCE_CHANGED" });
    } finally {
      web.files.set(`bucket/${KEY}`, { body: numbered });
    }
  });
});

describe("an s3: URL", () => {
  const client = { fetch: (url: string, init?: RequestInit) => fetch(url, init) };

  test("requires a client", async () => {
    await expect(openSource("s3://bucket/x")).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
  });

  test.each(["s3://bucket", "s3://bucket/", "s3:///x"])("cannot be %s", async (location) => {
    await expect(openSource(location, { s3: { client } })).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
    });
  });

  test.each([
    [{}, "https://bucket.s3.us-east-1.amazonaws.com/a%20b/c%2B%28d%29"],
    [{ region }, "https://bucket.s3.eu-central-1.amazonaws.com/a%20b/c%2B%28d%29"],
    [{ endpoint: "http://host:9000/" }, "http://host:9000/bucket/a%20b/c%2B%28d%29"],
    [{ versionId: "v=1" }, "https://bucket.s3.us-east-1.amazonaws.com/a%20b/c%2B%28d%29?versionId=v%3D1"],
  ])("with %o is fetched from %s", async (options, expected) => {
    const asked: string[] = [];
    const source = await openSource("s3://bucket/a b/c+(d)", {
      s3: {
        ...options,
        client: {
          fetch: async (url) => {
            asked.push(url);
            return new Response(null, { status: 404 });
          },
        },
      },
    });
    await expect(source.size()).rejects.toMatchObject({ code: "E_NOT_FOUND" });
    expect(asked).toEqual([expected]);
  });

  test("of a bucket with dots becomes a path-style URL", async () => {
    const asked: string[] = [];
    const dotted = s3Source("my.bucket", "x", {
      client: {
        fetch: async (url) => {
          asked.push(url);
          return new Response(null, { status: 404 });
        },
      },
    });
    await expect(dotted.size()).rejects.toMatchObject({ code: "E_NOT_FOUND" });
    expect(asked).toEqual(["https://s3.us-east-1.amazonaws.com/my.bucket/x"]);
  });
});
