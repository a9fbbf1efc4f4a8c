/**
 * A file on a web server, read by ranges (RFC 9110, section 14). There is no HEAD request: the first request asks for the end of
 * the file, which gives its size and usually includes a CFile's footer and indexes; the first read near the beginning fetches
 * more of it. Both ends are kept.
 */
import { freshMemory, invalidArgument } from "@cfile/bytes";
import { type ByteSource, checkOption, checkRead, memoryFor } from "../source/byte-source.js";
import { sharedRequest } from "../source/shared-request.js";
import type { ArrivedBytes } from "./arrived-bytes.js";
import { contentRange } from "./content-range.js";
import { requireSameFile, versionOf } from "./file-version.js";
import { type FirstResponse, readFirstResponse } from "./first-response.js";
import { HttpPrefetch } from "./http-prefetch.js";
import { type RangeRequests, rangeRequests, requirePart, wrongRange } from "./range-requests.js";
import { bodyOfRange } from "./response-body.js";
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
  const headLength = ({ tail }: FirstResponse): number => Math.min(tail.start, maxHead);
  const head = sharedRequest(async (signal) => {
    const answer = await first(signal);
    return readPart(requests, answer, 0, headLength(answer), signal);
  });
  /** Bytes that include the range. */
  const arrivedWith = async (
    offset: number,
    length: number,
    signal: AbortSignal | undefined,
  ): Promise<ArrivedBytes> => {
    checkRead(offset, length, signal);
    const answer = await first(signal);
    const { size, tail } = answer;
    const end = Math.min(size, offset + length);
    if (offset >= Math.min(end, tail.start)) {
      return tail;
    }
    const prefetched = await prefetch?.read(offset, end, signal);
    if (prefetched !== undefined) {
      requireSameFile(answer, prefetch?.file ?? answer, name);
      return prefetched;
    }
    return end <= headLength(answer) ? head(signal) : readPart(requests, answer, offset, end, signal);
  };
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
    read: async (offset, length, { signal, target } = {}) =>
      (await arrivedWith(offset, length, signal)).between(offset, offset + length, (size) =>
        memoryFor(size, target),
      ),
    readParts: async (offset, length, { signal } = {}) => {
      const arrived = await arrivedWith(offset, length, signal);
      return {
        subarray: (start, end, memory = freshMemory) =>
          arrived.between(offset + start, offset + end, (size) => new Uint8Array(memory.take(size), 0, size)),
      };
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
  start: number,
  end: number,
  signal: AbortSignal | undefined,
): Promise<ArrivedBytes> {
  const last = end - 1;
  return send(`bytes=${start}-${last}`, signal, (response) => {
    requirePart(response, url);
    const range = contentRange(response, url);
    requireSameFile(first, { size: range?.size, version: versionOf(response) }, url);
    if (range?.from !== start || range.to !== last) {
      const sent = range === undefined ? "no Content-Range" : `bytes ${range.from}-${range.to}`;
      throw wrongRange(sent, `bytes ${start}-${last}`, url);
    }
    return bodyOfRange(response, start, end, url, onBytes);
  });
}
