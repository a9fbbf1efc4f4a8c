/**
 * A file on a web server, read by ranges (RFC 9110, section 14). No HEAD request is made: the first request asks for the
 * file's end, which tells its size and usually brings a CFile's footer and indexes along, and what is read of the beginning
 * brings more of it. Both ends are kept.
 */
import { CFileError, invalidArgument } from "@cfile/bytes";
import {
  type ByteSource,
  checkRead,
  type ReadOptions,
  type SourceTraffic,
  sourceError,
} from "../source/byte-source.js";
import { SharedRequest } from "../source/shared-request.js";
import type { HttpAnswer } from "./http-answer.js";
import { HttpPrefetch } from "./http-prefetch.js";
import { bodyOfLength, contentRange, sizeOfUnsatisfied, wholeBody } from "./http-response.js";
import { nodeHttpFor } from "./node-http.js";
import { retryAfterOf } from "./retry-after.js";

export interface HttpSourceOptions {
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default: the global `fetch`; in Node, where nobody has replaced it, its quicker `node:http`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** A server that knows no ranges sends the whole file: up to this many bytes are taken. Default 64 MiB. */
  readonly maxWholeBytes?: number | undefined;
  /** Bytes of the file's end that the first request asks for, at least 1; they are kept. Default 16 KiB. */
  readonly tailBytes?: number | undefined;
  /** Bytes of the file's beginning that the first read inside them asks for; they are kept. Default 112 KiB. */
  readonly headBytes?: number | undefined;
  /**
   * Bytes of the file's beginning that are requested together with its end, before anyone asks for them, at most 1 GiB: for who
   * reads the file from its start, and does not want to wait for two answers one after the other. They are kept. Default 0.
   */
  readonly prefetchBytes?: number | undefined;
  /** Goes to `fetch`. Default `"no-store"`: browsers serve parallel ranges of one URL badly from their cache. */
  readonly cache?: RequestCache | undefined;
  /** Goes to `fetch`: whether cookies are sent to other origins. */
  readonly credentials?: RequestCredentials | undefined;
}

/** Footer and the indexes of most files. */
const DEFAULT_TAIL = 16 * 1024;
/** Header and the first data block of most files. */
const DEFAULT_HEAD = 112 * 1024;
const DEFAULT_MAX_WHOLE = 64 * 1024 * 1024;
const MAX_PREFETCH = 1024 * 1024 * 1024;
/** A server that sends the whole file although it says that it knows ranges is asked in another way from this size on. */
const LARGE_WHOLE = 1024 * 1024;

/**
 * The file at an `http:` or `https:` URL. Nothing is requested before the first read.
 *
 * Reads throw `CFileError`: `E_NOT_FOUND` for 404 and 410, `E_SOURCE_CHANGED` when the file's ETag, modification time or
 * size is another than at the first request, `E_LIMIT` for a whole file above `maxWholeBytes`, `E_IO` for everything else
 * that goes wrong. After a failure the next read asks again.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` when `maxWholeBytes`, `tailBytes`, `headBytes` or `prefetchBytes` are no such numbers
 */
export function httpSource(url: string | URL, options: HttpSourceOptions = {}): ByteSource {
  const {
    maxWholeBytes = DEFAULT_MAX_WHOLE,
    tailBytes = DEFAULT_TAIL,
    headBytes = DEFAULT_HEAD,
    prefetchBytes = 0,
    cache = "no-store",
  } = options;
  requireBytes("maxWholeBytes", maxWholeBytes, 0);
  requireBytes("tailBytes", tailBytes, 1);
  requireBytes("headBytes", headBytes, 0);
  requireBytes("prefetchBytes", prefetchBytes, 0);
  const settings = {
    maxWholeBytes,
    tailBytes: Math.floor(tailBytes),
    headBytes: Math.floor(headBytes),
    prefetchBytes: Math.floor(Math.min(prefetchBytes, MAX_PREFETCH)),
    cache,
  };
  return new HttpSource(String(url), { ...options, ...settings });
}

function requireBytes(field: string, value: number, least: number): void {
  if (!(value >= least)) {
    throw invalidArgument(`${field} is no number of bytes: ${value}`, { field });
  }
}

type Settings = HttpSourceOptions &
  Readonly<Record<"maxWholeBytes" | "tailBytes" | "headBytes" | "prefetchBytes", number>> & {
    readonly cache: RequestCache;
  };

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
  readonly traffic: SourceTraffic;
  private readonly counted = { requests: 0, bytes: 0, milliseconds: 0 };
  private readonly onBytes = (length: number): void => {
    this.counted.bytes += length;
  };
  private readonly options: Settings;
  private readonly first = new SharedRequest((signal) => this.readFirst(signal));
  private readonly head = new SharedRequest((signal) => this.readHead(signal));
  private prefetch: HttpPrefetch | undefined;

  constructor(url: string, options: Settings) {
    this.name = url;
    this.options = options;
    this.traffic = this.counted;
    this.prefetch = options.prefetchBytes > 0 ? new HttpPrefetch(options.prefetchBytes) : undefined;
  }

  async size({ signal }: ReadOptions = {}): Promise<number> {
    return (await this.first.answer(signal)).size;
  }

  /** The ETag, else the modification time, with the size; `undefined` when the server tells neither. */
  async version({ signal }: ReadOptions = {}): Promise<string | undefined> {
    const { size, version } = await this.first.answer(signal);
    const mark = version.ETag ?? version["Last-Modified"];
    return mark === null ? undefined : `${mark} ${size}`;
  }

  async read(offset: number, length: number, { signal, target }: ReadOptions = {}): Promise<Uint8Array> {
    checkRead(offset, length, signal);
    const first = await this.first.answer(signal);
    const end = Math.min(first.size, offset + length);
    const tailStart = first.size - first.tail.length;
    if (offset >= end) {
      return new Uint8Array(0);
    }
    if (offset >= tailStart) {
      return first.tail.subarray(offset - tailStart, end - tailStart);
    }
    const prefetched = await this.prefetch?.read(offset, end, { signal, target });
    if (prefetched !== undefined) {
      this.requireSameFile(first);
      return prefetched;
    }
    if (end <= this.headLength(first)) {
      return (await this.head.answer(signal)).subarray(offset, end);
    }
    return this.readPart(first, offset, end, signal, target);
  }

  /** Ends a prefetch that is still under way. */
  async close(): Promise<void> {
    this.prefetch?.close();
    this.prefetch = undefined;
  }

  /** Nobody waits for its outcome, or is told of its failure. */
  private async startPrefetch(prefetch: HttpPrefetch): Promise<void> {
    try {
      await this.receive(prefetch.start(), prefetch.signal, (response) =>
        prefetch.take(response, this.name, this.onBytes),
      );
    } catch {
      // Reads make requests of their own then, and learn the reason.
    } finally {
      prefetch.end();
    }
  }

  private requireSameFile({ size, version }: FirstAnswer): void {
    const file = this.prefetch?.file;
    if (file !== undefined) {
      this.requireVersion(file, version);
      this.requireSize(size, file.size);
    }
  }

  private headLength({ size, tail }: FirstAnswer): number {
    return Math.min(size - tail.length, this.options.headBytes);
  }

  private async readHead(signal: AbortSignal): Promise<Uint8Array> {
    const first = await this.first.answer(signal);
    return this.readPart(first, 0, this.headLength(first), signal);
  }

  private readPart(
    { size, version }: FirstAnswer,
    offset: number,
    end: number,
    signal: AbortSignal | undefined,
    target?: Uint8Array,
  ): Promise<Uint8Array> {
    return this.receive(`bytes=${offset}-${end - 1}`, signal, (response) => {
      this.requirePart(response);
      this.requireVersion(response, version);
      const range = contentRange(response, this.name);
      this.requireSize(size, range?.size);
      if (range?.from !== offset || range.to !== end - 1) {
        const sent = range === undefined ? "no Content-Range" : `bytes ${range.from}-${range.to}`;
        throw this.fail(`the server sent ${sent} instead of bytes ${offset}-${end - 1}`);
      }
      return bodyOfLength(response, end - offset, this.name, this.onBytes, target);
    });
  }

  private async readFirst(signal: AbortSignal): Promise<FirstAnswer> {
    if (this.prefetch !== undefined && !this.prefetch.isStarted) {
      void this.startPrefetch(this.prefetch);
    }
    return (await this.readEnd(signal)) ?? (await this.readStart(signal));
  }

  /** `undefined` when the server does not seem to know ranges that count from the end. */
  private readEnd(signal: AbortSignal): Promise<FirstAnswer | undefined> {
    const { tailBytes } = this.options;
    return this.receive(`bytes=-${tailBytes}`, signal, async (response) => {
      const version = versionOf(response);
      if (response.status === 416) {
        const size = sizeOfUnsatisfied(response, this.name);
        return size === undefined ? undefined : { size, version, tail: new Uint8Array(0) };
      }
      if (response.status === 200) {
        return this.isUnwilling(response) ? undefined : this.whole(response, version);
      }
      if (response.status === 400 || response.status === 501) {
        return undefined;
      }
      this.requirePart(response);
      const { from, to, size } = this.sizedRange(response);
      if (to !== size - 1 || to - from >= tailBytes) {
        throw this.fail(`the server sent bytes ${from}-${to} of ${size} instead of the last ${tailBytes}`);
      }
      return { size, version, tail: await bodyOfLength(response, to - from + 1, this.name, this.onBytes) };
    });
  }

  /** Learns the size from the first byte, which every server with ranges gives. */
  private readStart(signal: AbortSignal): Promise<FirstAnswer> {
    return this.receive("bytes=0-0", signal, async (response) => {
      const version = versionOf(response);
      if (response.status === 416) {
        return { size: sizeOfUnsatisfied(response, this.name) ?? 0, version, tail: new Uint8Array(0) };
      }
      if (response.status === 200) {
        return this.whole(response, version);
      }
      this.requirePart(response);
      const { from, to, size } = this.sizedRange(response);
      if (from !== 0 || to !== 0) {
        throw this.fail(`the server sent bytes ${from}-${to} of ${size} instead of the first`);
      }
      return { size, version, tail: new Uint8Array(0) };
    });
  }

  /** Whether a whole file is so large that it is worth another question. */
  private isUnwilling({ headers }: HttpAnswer): boolean {
    const stated = Number(headers.get("Content-Length"));
    const knowsRanges = headers.get("Accept-Ranges")?.toLowerCase() === "bytes";
    return (
      stated > (knowsRanges ? Math.min(LARGE_WHOLE, this.options.maxWholeBytes) : this.options.maxWholeBytes)
    );
  }

  private async whole(response: HttpAnswer, version: Version): Promise<FirstAnswer> {
    const tail = await wholeBody(response, this.options.maxWholeBytes, this.name, this.onBytes);
    return { size: tail.length, version, tail };
  }

  private sizedRange(response: HttpAnswer): {
    readonly from: number;
    readonly to: number;
    readonly size: number;
  } {
    const range = contentRange(response, this.name);
    if (range?.size === undefined) {
      throw this.fail(
        "the server does not tell the file's size (Content-Range; across origins Access-Control-Expose-Headers must name it)",
      );
    }
    return { from: range.from, to: range.to, size: range.size };
  }

  /** Sends a request and takes what is needed from its answer; the rest is not read. */
  private async receive<T>(
    range: string,
    signal: AbortSignal | undefined,
    take: (response: HttpAnswer) => Promise<T>,
  ): Promise<T> {
    const { cache, credentials } = this.options;
    const send = this.options.fetch ?? nodeHttpFor(this.name) ?? globalThis.fetch;
    const headers = { ...this.options.headers, Range: range };
    const started = performance.now();
    this.counted.requests++;
    try {
      const response = await send(this.name, {
        headers,
        cache,
        ...(credentials && { credentials }),
        ...(signal && { signal }),
      });
      try {
        return await take(response);
      } finally {
        void response.body?.cancel().catch(() => undefined);
      }
    } catch (error) {
      throw sourceError(error, this.name, signal);
    } finally {
      this.counted.milliseconds += performance.now() - started;
    }
  }

  private requirePart(response: HttpAnswer): void {
    const { status } = response;
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
    throw new CFileError("E_IO", `the server answered with status ${status}, 206 is expected`, {
      path: this.name,
      field: "status",
      expected: 206,
      actual: status,
      cause: retryAfterOf(response, Date.now()),
    });
  }

  private requireSize(expected: number, actual: number | undefined): void {
    if (actual !== undefined && actual !== expected) {
      throw this.changed("Content-Range", expected, actual);
    }
  }

  private requireVersion(answer: Pick<HttpAnswer, "headers">, expected: Version): void {
    const actual = versionOf(answer);
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

function versionOf({ headers }: Pick<HttpAnswer, "headers">): Version {
  return { ETag: headers.get("ETag"), "Last-Modified": headers.get("Last-Modified") };
}
