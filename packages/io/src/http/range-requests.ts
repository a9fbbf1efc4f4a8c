/** Requests for ranges of one URL, with their traffic, and checks shared by all responses. */
import { CFileError } from "@cfile/bytes";
import { type SourceTraffic, sourceError } from "../source/byte-source.js";
import type { HttpResponse } from "./http-response.js";
import type { OnBytes } from "./response-body.js";
import { retryAfterOf } from "./retry-after.js";
import { type RequestOptions, sendRequest } from "./send-request.js";

export interface RangeRequests {
  readonly url: string;
  readonly traffic: SourceTraffic;
  readonly onBytes: OnBytes;
  /**
   * Sends a request and passes the response to `take`; the rest of the body is not read.
   *
   * @param range the header `Range`
   * @throws {CFileError} `E_IO` when there is no response, and what `take` throws. An aborted request throws the signal's reason
   */
  send<T>(
    range: string,
    signal: AbortSignal | undefined,
    take: (response: HttpResponse) => Promise<T>,
  ): Promise<T>;
}

export function rangeRequests(url: string, options: RequestOptions): RangeRequests {
  const traffic = { requests: 0, bytes: 0, milliseconds: 0 };
  return {
    url,
    traffic,
    onBytes: (length) => {
      traffic.bytes += length;
    },
    send: async (range, signal, take) => {
      const started = performance.now();
      traffic.requests++;
      try {
        const response = await sendRequest(url, { Range: range }, options, signal);
        try {
          return await take(response);
        } finally {
          response.discard();
        }
      } catch (error) {
        throw sourceError(error, url, signal);
      } finally {
        traffic.milliseconds += performance.now() - started;
      }
    },
  };
}

/** @throws {CFileError} `E_NOT_FOUND`, `E_SOURCE_CHANGED` or `E_IO` unless a response has status 206 */
export function requirePart(response: HttpResponse, path: string): void {
  const { status } = response;
  switch (status) {
    case 206:
      return;
    case 404:
    case 410:
      throw new CFileError("E_NOT_FOUND", `no such file (status ${status})`, { path });
    case 412:
    case 416:
      throw new CFileError("E_SOURCE_CHANGED", `the file changed (status ${status})`, { path });
  }
  throw new CFileError("E_IO", `unexpected status ${status} (expected 206)`, {
    path,
    field: "status",
    expected: 206,
    actual: status,
    cause: retryAfterOf(response, Date.now()),
  });
}

/** The error of a response whose range is not the requested one. */
export function wrongRange(sent: string, expected: string, path: string): CFileError {
  return new CFileError("E_IO", `the server sent ${sent} (expected ${expected})`, { path });
}
