/**
 * A file on a web server, read by ranges (RFC 9110, section 14). No HEAD request is made: the first request asks for the
 * file's end, which gives its size and usually includes a CFile's footer and indexes; the first read of the beginning
 * fetches more of it. Both ends are kept.
 */
import { invalidArgument } from "@cfile/bytes";
import { type ByteSource, checkRead, type ReadOptions, type SourceTraffic } from "../source/byte-source.js";
import { SharedRequest } from "../source/shared-request.js";
import { contentRange } from "./content-range.js";
import { requireSameSize, requireSameVersion, versionOf } from "./file-version.js";
import { type FirstAnswer, readFirstAnswer } from "./first-answer.js";
import { HttpPrefetch } from "./http-prefetch.js";
import { RangeRequests, type RequestOptions, requirePart, wrongRange } from "./range-requests.js";
import { bodyOfLength } from "./response-body.js";

/** How a file on a web server is asked for. */
export interface HttpSourceOptions extends RequestOptions {
  /** A server that knows no ranges sends the whole file: up to this many bytes are taken. Default 64 MiB. */
  readonly maxWholeBytes?: number | undefined;
  /** Bytes of the file's end that the first request asks for, at least 1; they are kept. Default 16 KiB. */
  readonly tailBytes?: number | undefined;
  /** Bytes of the file's beginning that the first read inside them asks for; they are kept. Default 112 KiB. */
  readonly headBytes?: number | undefined;
  /**
   * Bytes of the file's beginning that are requested together with its end, ahead of the reads, at most 1 GiB: for callers
   * that read the file from its start and do not want to wait for two answers one after the other. They are kept. Default 0.
   */
  readonly prefetchBytes?: number | undefined;
}

/** Footer and the indexes of most files. */
const DEFAULT_TAIL = 16 * 1024;
/** Header and the first data block of most files. */
const DEFAULT_HEAD = 112 * 1024;
const DEFAULT_MAX_WHOLE = 64 * 1024 * 1024;
const MAX_PREFETCH = 1024 * 1024 * 1024;

/**
 * The file at an `http:` or `https:` URL. Nothing is requested before the first read.
 *
 * Reads throw `CFileError`: `E_NOT_FOUND` for 404 and 410, `E_SOURCE_CHANGED` when the file's ETag, modification time or
 * size differs from that of the first request, `E_LIMIT` for a whole file above `maxWholeBytes`, `E_IO` for everything else
 * that goes wrong. After a failure the next read asks again.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` when `maxWholeBytes`, `tailBytes`, `headBytes` or `prefetchBytes` are invalid,
 *   and for a URL with a user name or a password
 */
export function httpSource(url: string | URL, options: HttpSourceOptions = {}): ByteSource {
  const {
    maxWholeBytes = DEFAULT_MAX_WHOLE,
    tailBytes = DEFAULT_TAIL,
    headBytes = DEFAULT_HEAD,
    prefetchBytes = 0,
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
  };
  const path = String(url);
  if (/^https?:\/\/[^/?#]*@/i.test(path)) {
    throw invalidArgument("a URL with a name or a password is not requested; send an Authorization header", {
      path,
    });
  }
  return new HttpSource(new RangeRequests(path, options), settings);
}

function requireBytes(field: string, value: number, least: number): void {
  if (!(value >= least)) {
    throw invalidArgument(`${field} must be a number of bytes ≥ ${least}: ${value}`, { field });
  }
}

type Settings = Readonly<Record<"maxWholeBytes" | "tailBytes" | "headBytes" | "prefetchBytes", number>>;

class HttpSource implements ByteSource {
  readonly name: string;
  readonly traffic: SourceTraffic;
  private readonly requests: RangeRequests;
  private readonly settings: Settings;
  private readonly first = new SharedRequest((signal) => this.readFirst(signal));
  private readonly head = new SharedRequest((signal) => this.readHead(signal));
  private prefetch: HttpPrefetch | undefined;

  constructor(requests: RangeRequests, settings: Settings) {
    this.name = requests.url;
    this.traffic = requests.traffic;
    this.requests = requests;
    this.settings = settings;
    this.prefetch = settings.prefetchBytes > 0 ? new HttpPrefetch(settings.prefetchBytes) : undefined;
  }

  async size({ signal }: ReadOptions = {}): Promise<number> {
    return (await this.first.answer(signal)).size;
  }

  /** The ETag, else the modification time, with the size; `undefined` when the server sends neither. */
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
    return this.readPart(first, offset, end, { signal, target });
  }

  /** Ends a prefetch that is still under way. */
  async close(): Promise<void> {
    this.prefetch?.close();
    this.prefetch = undefined;
  }

  private readFirst(signal: AbortSignal): Promise<FirstAnswer> {
    if (this.prefetch !== undefined && !this.prefetch.isStarted) {
      void this.startPrefetch(this.prefetch);
    }
    return readFirstAnswer(this.requests, this.settings, signal);
  }

  /** No caller waits for its outcome or sees its failure. */
  private async startPrefetch(prefetch: HttpPrefetch): Promise<void> {
    try {
      await this.requests.send(prefetch.start(), prefetch.signal, (response) =>
        prefetch.take(response, this.name, this.requests.onBytes),
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
      requireSameVersion(version, file.version, this.name);
      requireSameSize(size, file.size, this.name);
    }
  }

  private headLength({ size, tail }: FirstAnswer): number {
    return Math.min(size - tail.length, this.settings.headBytes);
  }

  private async readHead(signal: AbortSignal): Promise<Uint8Array> {
    const first = await this.first.answer(signal);
    return this.readPart(first, 0, this.headLength(first), { signal });
  }

  private readPart(
    { size, version }: FirstAnswer,
    offset: number,
    end: number,
    { signal, target }: ReadOptions,
  ): Promise<Uint8Array> {
    return this.requests.send(`bytes=${offset}-${end - 1}`, signal, (response) => {
      requirePart(response, this.name);
      requireSameVersion(version, versionOf(response), this.name);
      const range = contentRange(response, this.name);
      requireSameSize(size, range?.size, this.name);
      if (range?.from !== offset || range.to !== end - 1) {
        const sent = range === undefined ? "no Content-Range" : `bytes ${range.from}-${range.to}`;
        throw wrongRange(sent, `bytes ${offset}-${end - 1}`, this.name);
      }
      return bodyOfLength(response, end - offset, this.name, this.requests.onBytes, target);
    });
  }
}
