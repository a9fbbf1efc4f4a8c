/**
 * Objects of S3 and what speaks like it. The client is the caller's, from `@aws-sdk/client-s3`: it knows region, endpoint and
 * credentials. What it answers is checked as any web server's answer is.
 */
import type { ByteSource } from "./byte-source.js";
import { type HttpSourceOptions, httpSource } from "./http-source.js";

/** The part of the client that is used. */
export interface S3Client<Command> {
  send(command: Command, options?: { readonly abortSignal?: AbortSignal }): Promise<unknown>;
}

export interface S3SourceOptions<Command>
  extends Pick<HttpSourceOptions, "maxWholeBytes" | "tailBytes" | "headBytes"> {
  /** An `S3Client`. */
  readonly client: S3Client<Command>;
  /** The class `GetObjectCommand`. */
  readonly GetObjectCommand: new (
    input: S3Object & { readonly Range: string },
  ) => Command;
  /** Of a version of the object; default: the present one. */
  readonly versionId?: string | undefined;
}

/** What is asked for. */
export interface S3Object {
  readonly Bucket: string;
  readonly Key: string;
  readonly VersionId?: string;
}

/**
 * The object at `s3://bucket/key`. Reads throw what those of `httpSource` throw; `NoSuchKey` and `NoSuchBucket` are
 * `E_NOT_FOUND`.
 */
export function s3Source<Command>(
  bucket: string,
  key: string,
  options: S3SourceOptions<Command>,
): ByteSource {
  const { client, GetObjectCommand, versionId, ...settings } = options;
  const object = { Bucket: bucket, Key: key, ...(versionId !== undefined && { VersionId: versionId }) };
  return httpSource(`s3://${bucket}/${key}`, {
    ...settings,
    fetch: async (_url, init) => {
      const Range = new Headers(init?.headers).get("Range") ?? "";
      const { signal } = init ?? {};
      try {
        const answer = await client.send(
          new GetObjectCommand({ ...object, Range }),
          signal ? { abortSignal: signal } : {},
        );
        return responseOf(answer);
      } catch (error) {
        const status = statusOf(error);
        if (status === undefined) {
          throw error;
        }
        return new Response(null, { status });
      }
    },
  });
}

/**
 * An answer of the client as one of a web server. The client gives bodies as they are stored, whatever content coding the
 * object's metadata name.
 */
function responseOf(answer: unknown): Response {
  const headers = new Headers();
  for (const [name, header] of [
    ["ContentRange", "Content-Range"],
    ["ContentLength", "Content-Length"],
    ["ETag", "ETag"],
  ] as const) {
    const value = field(answer, name);
    if (typeof value === "string" || typeof value === "number") {
      headers.set(header, String(value));
    }
  }
  const modified = field(answer, "LastModified");
  if (modified instanceof Date) {
    headers.set("Last-Modified", modified.toUTCString());
  }
  const status = headers.has("Content-Range") ? 206 : (statusOf(answer) ?? 200);
  return new Response(bodyOf(field(answer, "Body")), { status, headers });
}

/** Bodies of the client are web streams in browsers and Node streams in Node; both know how to become web streams. */
function bodyOf(body: unknown): BodyInit | null {
  const transform = field(body, "transformToWebStream");
  const stream: unknown = typeof transform === "function" ? transform.call(body) : body;
  if (stream instanceof Uint8Array) {
    return new Uint8Array(stream);
  }
  return stream instanceof ReadableStream || stream instanceof Blob ? stream : null;
}

/** The status that the client tells with an answer or an error; for errors without one, by their name. */
function statusOf(answer: unknown): number | undefined {
  const status = field(field(answer, "$metadata"), "httpStatusCode");
  if (typeof status === "number" && status >= 200 && status <= 599) {
    return status;
  }
  switch (field(answer, "name")) {
    case "NoSuchKey":
    case "NoSuchBucket":
    case "NotFound":
      return 404;
    case "InvalidRange":
      return 416;
    default:
      return undefined;
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
