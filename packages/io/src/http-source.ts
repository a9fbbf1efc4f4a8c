/**
 * A file on a web server, read by ranges (RFC 9110, section 14). The first request asks for the file's end, which tells
 * its size and usually brings a CFile's footer along; no HEAD request is made.
 */
import { CFileError, invalidArgument } from "@cfile/bytes";
import { type ByteSource, checkRead, type ReadOptions, sourceError } from "./byte-source.js";
import { bodyOfLength, contentRange, sizeOfUnsatisfied, wholeBody } from "./http-response.js";
import { SharedRequest } from "./shared-request.js";

export interface HttpSourceOptions {
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** A server that knows no ranges sends the whole file: up to this many bytes are taken. Default 64 MiB. */
  readonly maxWholeBytes?: number | undefined;
}

/** Bytes of the file's end that the first request asks for. */
const TAIL_LENGTH = 16 * 1024;
const DEFAULT_MAX_WHOLE = 64 * 1024 * 1024;

/**
 * The file at an `http:` or `https:` URL. Nothing is requested before the first read.
 *
 * Reads throw `CFileError`: `E_NOT_FOUND` for 404 and 410, `E_SOURCE_CHANGED` when the file's ETag, modification time or
 * size is another than at the first request, `E_LIMIT` for a whole file above `maxWholeBytes`, `E_IO` for everything else
 * that goes wrong. After a failure the next read asks again.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` when `maxWholeBytes` is no number from 0 on
 */
export function httpSource(url: string | URL, options: HttpSourceOptions = {}): ByteSource {
  const { maxWholeBytes = DEFAULT_MAX_WHOLE } = options;
  if (!(maxWholeBytes >= 0)) {
    throw invalidArgument(`maxWholeBytes is no number of bytes: ${maxWholeBytes}`, {
      field: "maxWholeBytes",
    });
  }
  return new HttpSource(String(url), { ...options, maxWholeBytes });
}

/** What was learnt from the first answer. */
interface FirstAnswer {
  readonly size: number;
  readonly version: Version;
  /** The end of the file, from `size - tail.length` on; all of it when the server knows no ranges. */
  readonly tail: Uint8Array;
}

/** What tells a file from another at the same URL; `null` where the server tells nothing. */
type Version = Readonly<Record<"ETag" | "Last-Modified", string | null>>;

class HttpSource implements ByteSource {
  readonly name: string;
  private readonly options: HttpSourceOptions & { readonly maxWholeBytes: number };
  private readonly first = new SharedRequest((signal) => this.readEnd(signal));

  constructor(url: string, options: HttpSourceOptions & { readonly maxWholeBytes: number }) {
    this.name = url;
    this.options = options;
  }

  async size({ signal }: ReadOptions = {}): Promise<number> {
    return (await this.first.answer(signal)).size;
  }

  async read(offset: number, length: number, { signal }: ReadOptions = {}): Promise<Uint8Array> {
    checkRead(offset, length, signal);
    const { size, version, tail } = await this.first.answer(signal);
    const end = Math.min(size, offset + length);
    const tailStart = size - tail.length;
    if (offset >= end) {
      return new Uint8Array(0);
    }
    if (offset >= tailStart) {
      return tail.subarray(offset - tailStart, end - tailStart);
    }
    return this.receive(`bytes=${offset}-${end - 1}`, signal, (response) => {
      this.requirePart(response);
      this.requireVersion(response, version);
      const range = contentRange(response, this.name);
      if (range?.size !== undefined && range.size !== size) {
        throw this.changed("Content-Range", size, range.size);
      }
      if (range?.from !== offset || range.to !== end - 1) {
        const sent = range === undefined ? "no Content-Range" : `bytes ${range.from}-${range.to}`;
        throw this.fail(`the server sent ${sent} instead of bytes ${offset}-${end - 1}`);
      }
      return bodyOfLength(response, end - offset, this.name);
    });
  }

  private readEnd(signal: AbortSignal): Promise<FirstAnswer> {
    return this.receive(`bytes=-${TAIL_LENGTH}`, signal, async (response) => {
      const version = versionOf(response);
      if (response.status === 416) {
        // The file is empty, or the server knows no ranges that count from the end.
        return { size: sizeOfUnsatisfied(response, this.name) ?? 0, version, tail: new Uint8Array(0) };
      }
      if (response.status === 200) {
        const tail = await wholeBody(response, this.options.maxWholeBytes, this.name);
        return { size: tail.length, version, tail };
      }
      this.requirePart(response);
      const range = contentRange(response, this.name);
      if (range?.size === undefined) {
        throw this.fail(
          "the server does not tell the file's size (Content-Range; across origins Access-Control-Expose-Headers must name it)",
        );
      }
      const { from, to, size } = range;
      if (to !== size - 1 || to - from >= TAIL_LENGTH) {
        throw this.fail(`the server sent bytes ${from}-${to} of ${size} instead of the last ${TAIL_LENGTH}`);
      }
      return { size, version, tail: await bodyOfLength(response, to - from + 1, this.name) };
    });
  }

  /** Sends a request and takes what is needed from its answer; the rest is not read. */
  private async receive<T>(
    range: string,
    signal: AbortSignal | undefined,
    take: (response: Response) => Promise<T>,
  ): Promise<T> {
    const send = this.options.fetch ?? globalThis.fetch;
    const headers = { ...this.options.headers, Range: range };
    try {
      const response = await send(this.name, { headers, ...(signal && { signal }) });
      try {
        return await take(response);
      } finally {
        void response.body?.cancel().catch(() => undefined);
      }
    } catch (error) {
      throw sourceError(error, this.name, signal);
    }
  }

  private requirePart({ status }: Response): void {
    if (status === 206) {
      return;
    }
    if (status === 404 || status === 410) {
      throw new CFileError("E_NOT_FOUND", `there is no such file (status ${status})`, { path: this.name });
    }
    if (status === 412 || status === 416) {
      throw new CFileError("E_SOURCE_CHANGED", `the file was changed (status ${status})`, {
        path: this.name,
      });
    }
    throw this.fail(`the server answered with status ${status}, 206 is expected`);
  }

  private requireVersion(response: Response, expected: Version): void {
    const actual = versionOf(response);
    // Of the two, the ETag is the better judge: servers that share the work may differ in times.
    for (const field of ["ETag", "Last-Modified"] as const) {
      const [before, now] = [expected[field], actual[field]];
      if (before !== null && now !== null) {
        if (before !== now) {
          throw this.changed(field, before, now);
        }
        return;
      }
    }
  }

  private fail(reason: string): CFileError {
    return new CFileError("E_IO", reason, { path: this.name });
  }

  private changed(field: string, expected: string | number, actual: string | number): CFileError {
    return new CFileError("E_SOURCE_CHANGED", "the file was changed while it was read", {
      path: this.name,
      field,
      expected,
      actual,
    });
  }
}

function versionOf({ headers }: Response): Version {
  return { ETag: headers.get("ETag"), "Last-Modified": headers.get("Last-Modified") };
}
