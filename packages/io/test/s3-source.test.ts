import { describe, expect, test } from "vitest";
import { s3Source } from "../src/http.js";
import { numbered } from "./paused-source.js";

interface Input {
  readonly Bucket: string;
  readonly Key: string;
  readonly VersionId?: string;
  readonly Range: string;
}

class GetObjectCommand {
  readonly input: Input;
  constructor(input: Input) {
    this.input = input;
  }
}

class ServiceError extends Error {
  readonly $metadata: { httpStatusCode: number };
  constructor(name: string, status: number) {
    super(name);
    this.name = name;
    this.$metadata = { httpStatusCode: status };
  }
}

/** Responds like the AWS client. */
function fakeClient(bytes: Uint8Array, etag: (count: number) => string = () => '"1"') {
  const sent: Input[] = [];
  return {
    sent,
    send: async ({ input }: GetObjectCommand, options: { abortSignal?: AbortSignal } = {}) => {
      options.abortSignal?.throwIfAborted();
      sent.push(input);
      if (input.Key !== "folder/c.cfile") {
        throw new ServiceError("NoSuchKey", 404);
      }
      const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(input.Range) ?? [];
      const from = first ? Number(first) : Math.max(0, bytes.length - Number(last));
      const to = first && last ? Math.min(Number(last), bytes.length - 1) : bytes.length - 1;
      if (from > to) {
        throw new ServiceError("InvalidRange", 416);
      }
      const body = bytes.slice(from, to + 1);
      return {
        $metadata: { httpStatusCode: 206 },
        Body: { transformToWebStream: () => new Blob([body]).stream() },
        ContentRange: `bytes ${from}-${to}/${bytes.length}`,
        ContentLength: body.length,
        ContentEncoding: "gzip",
        ETag: etag(sent.length),
        LastModified: new Date(0),
      };
    },
  };
}

const sizes = { tailBytes: 1000, headBytes: 2000 };

describe("an object", () => {
  test("is read by ranges", async () => {
    const client = fakeClient(numbered);
    const source = s3Source("bucket", "folder/c.cfile", { client, GetObjectCommand, ...sizes });
    expect(source.name).toBe("s3://bucket/folder/c.cfile");
    expect(await source.size()).toBe(100_000);
    expect(await source.version?.()).toBe('"1" 100000');
    expect(await source.read(99_990, 100)).toEqual(numbered.subarray(99_990));
    expect(await source.read(10, 10)).toEqual(numbered.subarray(10, 20));
    expect(await source.read(1000, 1000)).toEqual(numbered.subarray(1000, 2000));
    expect(await source.read(1000, 1001)).toEqual(numbered.subarray(1000, 2001));
    expect(client.sent).toEqual(
      ["bytes=-1000", "bytes=0-1999", "bytes=1000-2000"].map((Range) => ({
        Bucket: "bucket",
        Key: "folder/c.cfile",
        Range,
      })),
    );
    expect(source.traffic).toMatchObject({ requests: 3, bytes: 4001 });
  });

  test("may be a version, and may be empty", async () => {
    const client = fakeClient(new Uint8Array(0));
    const source = s3Source("b", "folder/c.cfile", { client, GetObjectCommand, versionId: "v" });
    expect(await source.size()).toBe(0);
    expect(client.sent[0]).toMatchObject({ VersionId: "v" });
  });

  test("that does not exist is E_NOT_FOUND", async () => {
    const source = s3Source("b", "other", { client: fakeClient(numbered), GetObjectCommand });
    await expect(source.size()).rejects.toMatchObject({ code: "E_NOT_FOUND", path: "s3://b/other" });
  });

  test("that is replaced is E_SOURCE_CHANGED", async () => {
    const client = fakeClient(numbered, (count) => `"${count}"`);
    const source = s3Source("b", "folder/c.cfile", { client, GetObjectCommand, ...sizes });
    await expect(source.read(0, 10)).rejects.toMatchObject({ code: "E_SOURCE_CHANGED", field: "ETag" });
  });

  test.each([
    ["refused", new ServiceError("AccessDenied", 403), { code: "E_IO", field: "status", actual: 403 }],
    ["unreachable", new TypeError("no route"), { code: "E_IO", cause: expect.any(TypeError) }],
    ["not there by its name only", { name: "NoSuchBucket" }, { code: "E_NOT_FOUND" }],
  ])("that is %s", async (_name, error, expected) => {
    const client = { send: () => Promise.reject(error) };
    await expect(s3Source("b", "k", { client, GetObjectCommand }).size()).rejects.toMatchObject(expected);
  });

  test("whose read is aborted fails with the reason", async () => {
    const client = { send: () => new Promise<never>(() => undefined) };
    const source = s3Source("b", "k", { client, GetObjectCommand });
    await expect(source.size({ signal: AbortSignal.timeout(5) })).rejects.toMatchObject({
      name: "TimeoutError",
    });
  });

  test.each([
    ["no body", undefined],
    ["a short body", new Uint8Array(9)],
  ])("with a body of %s is E_IO", async (_name, Body) => {
    const client = { send: async () => ({ Body, ContentRange: "bytes 0-9/10" }) };
    await expect(s3Source("b", "k", { client, GetObjectCommand }).size()).rejects.toMatchObject({
      code: "E_IO",
    });
  });
});
