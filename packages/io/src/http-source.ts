/**
 * A file on a web server, read by ranges (RFC 9110, section 14). The first request asks for the file's end, which tells
 * its size and usually brings a CFile's footer along; no HEAD request is made.
 */
import { CFileError } from "@cfile/bytes";
import { type ByteSource, type ReadOptions, requireRange, sourceError } from "./byte-source.js";
import { parseContentRange, readBody } from "./http-response.js";
import { memorySource } from "./memory-source.js";

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
 * that goes wrong.
 */
export function httpSource(url: string | URL, options: HttpSourceOptions = {}): ByteSource {
  return new HttpSource(String(url), options);
}

/** What was learnt from the first answer. */
interface FirstAnswer {
  readonly size: number;
  /** ETag or Last-Modified; `undefined` when the server tells neither. */
  readonly version: string | undefined;
  /** The end of the file, from `size - tail.length` on; all of it when the server knows no ranges. */
  readonly tail: Uint8Array;
}

class HttpSource implements ByteSource {
  readonly name: string;
  private readonly options: HttpSourceOptions;
  private first: Promise<FirstAnswer> | undefined;

  constructor(url: string, options: HttpSourceOptions) {
    this.name = url;
    this.options = options;
  }

  async size(options: ReadOptions = {}): Promise<number> {
    return (await this.firstAnswer(options)).size;
  }

  async read(offset: number, length: number, options: ReadOptions = {}): Promise<Uint8Array> {
    requireRange(offset, length);
    const { size, version, tail } = await this.firstAnswer(options);
    const end = Math.min(size, offset + length);
    if (offset >= end || offset >= size - tail.length) {
      return memorySource(tail).read(Math.max(0, offset - (size - tail.length)), Math.max(0, end - offset));
    }
    return this.attempt(options, async () => {
      const response = await this.request(`bytes=${offset}-${end - 1}`, options);
      this.requireStatus(response, 206);
      this.requireVersion(response, version);
      const range = parseContentRange(response);
      if (range !== undefined && range.size !== undefined && range.size !== size) {
        throw this.changed("Content-Range", size, range.size);
      }
      if (range !== undefined && (range.from !== offset || range.to !== end - 1)) {
        throw this.fail(`the server sent bytes ${range.from}-${range.to} instead of ${offset}-${end - 1}`);
      }
      return readBody(response, end - offset, this.name);
    });
  }

  /** Shared between all reads; one that failed, or was aborted, is tried again by the next. */
  private firstAnswer(options: ReadOptions): Promise<FirstAnswer> {
    if (this.first === undefined) {
      const first = this.attempt(options, () => this.ask(options));
      this.first = first;
      first.catch(() => {
        this.first = undefined;
      });
    }
    return this.first;
  }

  private async ask(options: ReadOptions): Promise<FirstAnswer> {
    const response = await this.request(`bytes=-${TAIL_LENGTH}`, options);
    const version = versionOf(response);
    if (response.status === 416) {
      // There is no last byte: the file is empty.
      await response.body?.cancel();
      return { size: 0, version, tail: new Uint8Array(0) };
    }
    if (response.status === 200) {
      const limit = this.options.maxWholeBytes ?? DEFAULT_MAX_WHOLE;
      const tail = await readBody(response, undefined, this.name, limit);
      return { size: tail.length, version, tail };
    }
    this.requireStatus(response, 206);
    const range = parseContentRange(response);
    if (range?.size === undefined) {
      await response.body?.cancel();
      throw this.fail(
        "the server does not tell the file's size (Content-Range; across origins Access-Control-Expose-Headers must name it)",
      );
    }
    const tail = await readBody(response, range.to - range.from + 1, this.name);
    if (range.to !== range.size - 1 || tail.length > TAIL_LENGTH) {
      throw this.fail(
        `the server sent bytes ${range.from}-${range.to} of ${range.size} instead of the last ones`,
      );
    }
    return { size: range.size, version, tail };
  }

  private request(range: string, { signal }: ReadOptions): Promise<Response> {
    const send = this.options.fetch ?? globalThis.fetch;
    const headers = { ...this.options.headers, Range: range };
    return send(this.name, { headers, ...(signal && { signal }) });
  }

  private requireStatus(response: Response, status: number): void {
    if (response.status === status) {
      return;
    }
    void response.body?.cancel().catch(() => undefined);
    if (response.status === 404 || response.status === 410) {
      throw new CFileError("E_NOT_FOUND", `there is no such file (status ${response.status})`, {
        path: this.name,
      });
    }
    if (response.status === 412 || response.status === 416) {
      throw new CFileError("E_SOURCE_CHANGED", `the file was changed (status ${response.status})`, {
        path: this.name,
      });
    }
    throw this.fail(`the server answered with status ${response.status}, ${status} is expected`);
  }

  private requireVersion(response: Response, version: string | undefined): void {
    const now = versionOf(response);
    if (version !== undefined && now !== undefined && now !== version) {
      void response.body?.cancel().catch(() => undefined);
      throw this.changed("ETag", version, now);
    }
  }

  private async attempt<T>({ signal }: ReadOptions, action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      throw sourceError(error, this.name, signal);
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

function versionOf(response: Response): string | undefined {
  return response.headers.get("ETag") ?? response.headers.get("Last-Modified") ?? undefined;
}
