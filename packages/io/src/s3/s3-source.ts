/**
 * Objects in S3 and compatible services, through the caller's client, which has the credentials: `AwsClient` of `aws4fetch` or
 * `S3Client` of `@aws-sdk/client-s3`. Their responses are checked like those of any web server.
 */
import { invalidArgument } from "@cfile/bytes";
import { type HttpSourceOptions, httpSource } from "../http/http-source.js";
import type { ByteSource } from "../source/byte-source.js";

type SharedOptions = Pick<
  HttpSourceOptions,
  "headers" | "maxWholeBytes" | "tailBytes" | "headBytes" | "prefetchBytes"
> & {
  /** Version of the object. Default: the current one. */
  readonly versionId?: string | undefined;
};

/** For `AwsClient` of `aws4fetch`, or any other client that signs and fetches. */
export interface S3FetchOptions extends SharedOptions {
  /** An `AwsClient`, or `{ fetch }` for public buckets. */
  readonly client: {
    /** Signs the request and sends it. */
    fetch(url: string, init?: RequestInit): Promise<Response>;
  };
  /** Default `"us-east-1"`. */
  readonly region?: string | undefined;
  /** URL of the service, to which bucket and key are appended. Default: Amazon's for the region. */
  readonly endpoint?: string | URL | undefined;
}

/** The required part of the client of `@aws-sdk/client-s3`. */
export interface S3Client {
  /** Sends a command. */
  send(command: never, options?: { readonly abortSignal?: AbortSignal }): Promise<unknown>;
}

/** For the AWS SDK, which returns only the headers that it knows. */
export interface S3SdkOptions extends Omit<SharedOptions, "headers"> {
  /** An `S3Client`. */
  readonly client: S3Client;
  /** The class `GetObjectCommand`. */
  readonly GetObjectCommand: new (
    input: Readonly<Record<"Bucket" | "Key" | "Range", string>> & { readonly VersionId?: string },
  ) => unknown;
}

/** The client, and which object to read. */
export type S3SourceOptions = S3FetchOptions | S3SdkOptions;

/**
 * The object at `s3://bucket/key`. Reads throw like those of `httpSource`; `NoSuchKey` and `NoSuchBucket` are `E_NOT_FOUND`.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` like `httpSource`
 */
export function s3Source(bucket: string, key: string, options: S3SourceOptions): ByteSource {
  const { versionId, ...settings } = options;
  return httpSource(`s3://${bucket}/${key}`, {
    ...settings,
    fetch: "GetObjectCommand" in options ? sdkFetch(bucket, key, options) : signedFetch(bucket, key, options),
  });
}

/**
 * Bucket and key of an `s3:` URL; the key is everything after the first slash, verbatim.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for anything else
 */
export function parseS3Location(location: string): { readonly bucket: string; readonly key: string } {
  const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/is.exec(location) ?? [];
  if (bucket === undefined || key === undefined) {
    throw invalidArgument(`invalid s3: URL: ${location} (must be s3://bucket/key)`, { field: "input" });
  }
  return { bucket, key };
}

type Fetch = typeof globalThis.fetch;

function signedFetch(
  bucket: string,
  key: string,
  { client, region = "us-east-1", endpoint, versionId }: S3FetchOptions,
): Fetch {
  // The certificate of the bucket's own host does not cover a name with dots.
  const host = bucket.includes(".")
    ? `https://s3.${region}.amazonaws.com/${bucket}`
    : `https://${bucket}.s3.${region}.amazonaws.com`;
  const base = endpoint === undefined ? host : `${String(endpoint).replace(/\/+$/, "")}/${bucket}`;
  const query = versionId === undefined ? "" : `?versionId=${encodePart(versionId)}`;
  const url = `${base}/${key.split("/").map(encodePart).join("/")}${query}`;
  return (_url, init) => client.fetch(url, init);
}

/** Percent-encodes like S3 does when it checks signatures. */
function encodePart(text: string): string {
  const hex = (character: string) => character.charCodeAt(0).toString(16).toUpperCase();
  return encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${hex(character)}`);
}

function sdkFetch(bucket: string, key: string, { client, GetObjectCommand, versionId }: S3SdkOptions): Fetch {
  const object = { Bucket: bucket, Key: key, ...(versionId !== undefined && { VersionId: versionId }) };
  return async (_url, init) => {
    const Range = new Headers(init?.headers).get("Range") ?? "";
    const { signal } = init ?? {};
    try {
      const command = new GetObjectCommand({ ...object, Range });
      return responseOf(await client.send(command as never, signal ? { abortSignal: signal } : {}));
    } catch (error) {
      const status = statusOf(error);
      if (status === undefined) {
        throw error;
      }
      return new Response(null, { status });
    }
  };
}

/** The SDK's output as the response of a web server. Bodies are as stored, regardless of the content coding in the metadata. */
function responseOf(output: unknown): Response {
  const headers = new Headers();
  for (const [name, header] of [
    ["ContentRange", "Content-Range"],
    ["ContentLength", "Content-Length"],
    ["ETag", "ETag"],
  ] as const) {
    const value = field(output, name);
    if (typeof value === "string" || typeof value === "number") {
      headers.set(header, String(value));
    }
  }
  const modified = field(output, "LastModified");
  if (modified instanceof Date) {
    headers.set("Last-Modified", modified.toUTCString());
  }
  const status = headers.has("Content-Range") ? 206 : (statusOf(output) ?? 200);
  return new Response(bodyOf(field(output, "Body")), { status, headers });
}

/** The SDK's bodies are web streams in browsers and Node streams in Node; both convert to web streams. */
function bodyOf(body: unknown): BodyInit | null {
  const transform = field(body, "transformToWebStream");
  const stream: unknown = typeof transform === "function" ? transform.call(body) : body;
  if (stream instanceof Uint8Array) {
    return new Uint8Array(stream);
  }
  return stream instanceof ReadableStream || stream instanceof Blob ? stream : null;
}

const STATUSES: Readonly<Record<string, number | undefined>> = {
  NoSuchKey: 404,
  NoSuchBucket: 404,
  NotFound: 404,
  InvalidRange: 416,
};

/** The status of an output or an error; errors without one are recognized by name. */
function statusOf(output: unknown): number | undefined {
  const status = field(field(output, "$metadata"), "httpStatusCode");
  if (typeof status === "number" && status >= 200 && status <= 599) {
    return status;
  }
  const name = field(output, "name");
  return typeof name === "string" ? STATUSES[name] : undefined;
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
