/**
 * Objects of S3 and what speaks like it, through a client of the caller's, which knows the credentials: `AwsClient` of
 * `aws4fetch`, which signs requests, or `S3Client` of `@aws-sdk/client-s3`. What they answer is checked as any web server's
 * answer is.
 */
import { invalidArgument } from "@cfile/bytes";
import { type HttpSourceOptions, httpSource } from "../http/http-source.js";
import type { ByteSource } from "../source/byte-source.js";

type SharedOptions = Pick<
  HttpSourceOptions,
  "headers" | "maxWholeBytes" | "tailBytes" | "headBytes" | "prefetchBytes"
> & {
  /** Of a version of the object; default: the present one. */
  readonly versionId?: string | undefined;
};

/** With `AwsClient` of `aws4fetch`, or anything else that fetches and signs. */
export interface S3FetchOptions extends SharedOptions {
  /** An `AwsClient`, or `{ fetch }` for buckets that are public. */
  readonly client: {
    /** Signs the request and sends it. */
    fetch(url: string, init?: RequestInit): Promise<Response>;
  };
  /** Default `"us-east-1"`. */
  readonly region?: string | undefined;
  /** Address of the service, to which bucket and key are appended; default: that of Amazon for the region. */
  readonly endpoint?: string | URL | undefined;
}

/** The part of the SDK's client that is used. */
export interface S3Client {
  /** Sends a command. `@aws-sdk/client-s3` has such clients. */
  send(command: never, options?: { readonly abortSignal?: AbortSignal }): Promise<unknown>;
}

/** With the SDK, which returns only the headers that it knows. */
export interface S3SdkOptions extends Omit<SharedOptions, "headers"> {
  /** An `S3Client`. */
  readonly client: S3Client;
  /** The class `GetObjectCommand`. */
  readonly GetObjectCommand: new (
    input: S3Object & { readonly Range: string },
  ) => unknown;
}

/** The client that asks for an object: of the AWS SDK, or one that signs requests for `fetch`. */
export type S3SourceOptions = S3FetchOptions | S3SdkOptions;

/** What is asked for. */
interface S3Object {
  readonly Bucket: string;
  readonly Key: string;
  readonly VersionId?: string;
}

/**
 * The object at `s3://bucket/key`. Reads throw what those of `httpSource` throw; `NoSuchKey` and `NoSuchBucket` are
 * `E_NOT_FOUND`.
 */
export function s3Source(bucket: string, key: string, options: S3SourceOptions): ByteSource {
  const { versionId, ...settings } = options;
  return httpSource(`s3://${bucket}/${key}`, {
    ...settings,
    fetch: "GetObjectCommand" in options ? sdkFetch(bucket, key, options) : signedFetch(bucket, key, options),
  });
}

/**
 * Bucket and key of an `s3:` URL; the key is everything behind the first slash, as it is.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` for something else
 */
export function parseS3Location(location: string): { readonly bucket: string; readonly key: string } {
  const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/is.exec(location) ?? [];
  if (bucket === undefined || key === undefined) {
    throw invalidArgument(`${location} must be s3://bucket/key`, { field: "input" });
  }
  return { bucket, key };
}

type Fetch = typeof globalThis.fetch;

function signedFetch(
  bucket: string,
  key: string,
  { client, region = "us-east-1", endpoint, versionId }: S3FetchOptions,
): Fetch {
  // A name with dots does not fit the certificate of the bucket's own host.
  const host = bucket.includes(".")
    ? `https://s3.${region}.amazonaws.com/${bucket}`
    : `https://${bucket}.s3.${region}.amazonaws.com`;
  const base = endpoint === undefined ? host : `${String(endpoint).replace(/\/+$/, "")}/${bucket}`;
  const query = versionId === undefined ? "" : `?versionId=${encodePart(versionId)}`;
  const url = `${base}/${key.split("/").map(encodePart).join("/")}${query}`;
  return (_url, init) => client.fetch(url, init);
}

/** As S3 encodes paths when it checks signatures. */
function encodePart(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sdkFetch(bucket: string, key: string, { client, GetObjectCommand, versionId }: S3SdkOptions): Fetch {
  const object = { Bucket: bucket, Key: key, ...(versionId !== undefined && { VersionId: versionId }) };
  return async (_url, init) => {
    const Range = new Headers(init?.headers).get("Range") ?? "";
    const { signal } = init ?? {};
    try {
      const answer = await client.send(
        new GetObjectCommand({ ...object, Range }) as never,
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
  };
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

/** The status in an answer or an error of the client; for errors without one, by their name. */
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
