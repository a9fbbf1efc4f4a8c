/**
 * A file on a web server, read by ranges (RFC 9110, section 14). There is no HEAD request: the first request asks for the end of
 * the file, which gives its size and usually includes a CFile's footer and indexes; the first read near the beginning fetches
 * more of it. Both ends are kept.
 */
import { invalidArgument } from "@cfile/bytes";
import {
  type ByteRange,
  type ByteSource,
  checkOption,
  checkRead,
  type ReadOptions,
} from "../source/byte-source.js";
import { sharedRequest } from "../source/shared-request.js";
import { contentRange } from "./content-range.js";
import { requireSameFile, versionOf } from "./file-version.js";
import { type FirstResponse, readFirstResponse } from "./first-response.js";
import { HttpPrefetch } from "./http-prefetch.js";
import { type RangeRequests, rangeRequests, requirePart, wrongRange } from "./range-requests.js";
import { bodyOfLength } from "./response-body.js";
import type { RequestOptions } from "./send-request.js";

/** Options for requesting a file from a web server. */
export interface HttpSourceOptions extends RequestOptions {
  /** Maximum size of a whole file from a server without ranges, in bytes. Default 64 MiB. */
  readonly maxWholeBytes?: number | undefined;
  /** Bytes at the end of the file that the first request fetches, at least 1; they are kept. Default 16 KiB. */
  readonly tailBytes?: number | undefined;
  /** Bytes at the beginning of the file that the first read inside them fetches; they are kept. Default 112 KiB. */
  readonly headBytes?: number | undefined;
  /** Bytes at the beginning to fetch ahead of the reads, in parallel with the end, at most 1 GiB; they are kept. Default 0. */
  readonly prefetchBytes?: number | undefined;
}

/**
 * The file at an `http:` or `https:` URL. Nothing is requested before the first read.
 *
 * Reads throw `CFileError`: `E_NOT_FOUND` for 404 and 410, `E_SOURCE_CHANGED` when ETag, modification time or size differ
 * from those of the first request, `E_LIMIT` for a whole file above `maxWholeBytes`, `E_IO` for everything else. After a
 * failure, the next read requests again.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for an invalid option, and for a URL with a user name or a password
 */
export function httpSource(url: string | URL, options: HttpSourceOptions = {}): ByteSource {
  const {
    maxWholeBytes = 64 * 1024 * 1024,
    // Footer and indexes of most files.
    tailBytes = 16 * 1024,
    // Header and first data block of most files.
    headBytes = 112 * 1024,
    prefetchBytes = 0,
  } = options;
  for (const [field, value] of Object.entries({ maxWholeBytes, tailBytes, headBytes, prefetchBytes })) {
    checkOption(field, value, field === "tailBytes" ? 1 : 0);
  }
  const name = String(url);
  if (/^https?:\/\/[^/?#]*@/i.test(name)) {
    throw invalidArgument("unsupported URL: has credentials (send an Authorization header)", { path: name });
  }
  const limits = { maxWholeBytes, tailBytes: Math.floor(tailBytes) };
  const maxHead = Math.floor(headBytes);
  const ahead = Math.floor(Math.min(prefetchBytes, 1024 ** 3));
  let prefetch = ahead > 0 ? new HttpPrefetch(ahead) : undefined;
  const requests = rangeRequests(name, options);
  const first = sharedRequest((signal) => {
    void prefetch?.start(requests);
    return readFirstResponse(requests, limits, signal);
  });
  const headLength = ({ size, tail }: FirstResponse): number => Math.min(size - tail.length, maxHead);
  const head = sharedRequest(async (signal) => {
    const answer = await first(signal);
    return readPart(requests, answer, { offset: 0, length: headLength(answer) }, { signal });
  });
  return {
    name,
    traffic: requests.traffic,
    size: async ({ signal } = {}) => (await first(signal)).size,
    /** The ETag or else the modification time, with the size. */
    version: async ({ signal } = {}) => {
      const { size, version } = await first(signal);
      const mark = version.ETag ?? version["Last-Modified"];
      return mark === null ? undefined : `${mark} ${size}`;
    },
    read: async (offset, length, { signal, target } = {}) => {
      checkRead(offset, length, signal);
      const answer = await first(signal);
      const { size, tail } = answer;
      const end = Math.min(size, offset + length);
      const tailStart = size - tail.length;
      if (offset >= end) {
        return new Uint8Array(0);
      }
      if (offset >= tailStart) {
        return tail.subarray(offset - tailStart, end - tailStart);
      }
      const prefetched = await prefetch?.read(offset, end, { signal, target });
      if (prefetched !== undefined) {
        requireSameFile(answer, prefetch?.file ?? answer, name);
        return prefetched;
      }
      return end <= headLength(answer)
        ? (await head(signal)).subarray(offset, end)
        : readPart(requests, answer, { offset, length: end - offset }, { signal, target });
    },
    close: async () => {
      prefetch?.close();
      prefetch = undefined;
    },
  };
}

function readPart(
  { url, onBytes, send }: RangeRequests,
  first: FirstResponse,
  { offset, length }: ByteRange,
  { signal, target }: ReadOptions,
): Promise<Uint8Array> {
  const last = offset + length - 1;
  return send(`bytes=${offset}-${last}`, signal, (response) => {
    requirePart(response, url);
    const range = contentRange(response, url);
    requireSameFile(first, { size: range?.size, version: versionOf(response) }, url);
    if (range?.from !== offset || range.to !== last) {
      const sent = range === undefined ? "no Content-Range" : `bytes ${range.from}-${range.to}`;
      throw wrongRange(sent, `bytes ${offset}-${last}`, url);
    }
    return bodyOfLength(response, length, url, onBytes, target);
  });
}
