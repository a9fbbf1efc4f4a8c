/** Requests for ranges of one URL, which are counted; and what their answers have in common. */
import { CFileError } from "@cfile/bytes";
import { type SourceTraffic, sourceError } from "../source/byte-source.js";
import { retryAfterOf } from "./retry-after.js";

/** How requests are made. */
export interface RequestOptions {
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Makes the requests: a faster client, one with credentials, one behind a proxy. Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Goes to `fetch`. Default `"no-store"`: browsers serve parallel ranges of one URL badly from their cache. */
  readonly cache?: RequestCache | undefined;
  /** Goes to `fetch`: whether cookies are sent to other origins. */
  readonly credentials?: RequestCredentials | undefined;
}

export class RangeRequests {
  readonly url: string;
  readonly traffic: SourceTraffic;
  private readonly counted = { requests: 0, bytes: 0, milliseconds: 0 };
  private readonly options: RequestOptions;

  constructor(url: string, options: RequestOptions) {
    this.url = url;
    this.options = options;
    this.traffic = this.counted;
  }

  /** To be told of every piece of a body that arrives. */
  readonly onBytes = (length: number): void => {
    this.counted.bytes += length;
  };

  /**
   * Sends a request and takes what is needed from its answer; the rest is not read.
   *
   * @param range the header `Range`
   * @throws what `take` throws; `E_IO` when there is no answer, the signal's reason when aborted
   */
  async send<T>(
    range: string,
    signal: AbortSignal | undefined,
    take: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { cache = "no-store", credentials, fetch = globalThis.fetch } = this.options;
    const headers = { ...this.options.headers, Range: range };
    const started = performance.now();
    this.counted.requests++;
    try {
      const response = await fetch(this.url, {
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
      throw sourceError(error, this.url, signal);
    } finally {
      this.counted.milliseconds += performance.now() - started;
    }
  }
}

/** @throws CFileError `E_NOT_FOUND`, `E_SOURCE_CHANGED` or `E_IO` unless an answer has status 206 */
export function requirePart(response: Response, path: string): void {
  const { status } = response;
  if (status === 206) {
    return;
  }
  if (status === 404 || status === 410) {
    throw new CFileError("E_NOT_FOUND", `there is no such file (status ${status})`, { path });
  }
  if (status === 412 || status === 416) {
    throw new CFileError("E_SOURCE_CHANGED", `the file was changed (status ${status})`, { path });
  }
  throw new CFileError("E_IO", `the server answered with status ${status}, 206 is expected`, {
    path,
    field: "status",
    expected: 206,
    actual: status,
    cause: retryAfterOf(response, Date.now()),
  });
}

/** An answer that brings another range than the one asked for. */
export function wrongRange(sent: string, expected: string, path: string): CFileError {
  return new CFileError("E_IO", `the server sent ${sent} instead of ${expected}`, { path });
}
