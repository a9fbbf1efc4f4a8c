/**
 * Finds size and version of a file without a HEAD request. The first request asks for the end of the file. A server that does
 * not support suffix ranges gets a request for the first byte, which works with every server that has ranges; a server without
 * ranges sends the whole file.
 */
import { CFileError } from "@cfile/bytes";
import { ArrivedBytes } from "./arrived-bytes.js";
import { contentRange, sizeOfUnsatisfied } from "./content-range.js";
import { type FileVersion, versionOf } from "./file-version.js";
import type { HttpResponse } from "./http-response.js";
import { type RangeRequests, requirePart, wrongRange } from "./range-requests.js";
import { bodyOfRange, wholeBody } from "./response-body.js";

export interface FirstResponse {
  readonly size: number;
  readonly version: FileVersion;
  /** The end of the file; all of it from a server without ranges. */
  readonly tail: ArrivedBytes;
}

export interface FirstResponseLimits {
  /** Size of the requested end of the file, in bytes. */
  readonly tailBytes: number;
  /** Maximum size of a whole file, in bytes. */
  readonly maxWholeBytes: number;
}

/** Above this size, a server that has ranges but sends the whole file is asked again, for the first byte. */
const LARGE_WHOLE = 1024 * 1024;

/** @throws {CFileError} like reads of `httpSource` */
export async function readFirstResponse(
  { url, onBytes, send }: RangeRequests,
  { tailBytes, maxWholeBytes }: FirstResponseLimits,
  signal: AbortSignal,
): Promise<FirstResponse> {
  const wholeFile = async (response: HttpResponse): Promise<FirstResponse> => {
    const tail = await wholeBody(response, maxWholeBytes, url, onBytes);
    return { size: tail.end, version: versionOf(response), tail };
  };
  const end = await send(`bytes=-${tailBytes}`, signal, async (response) => {
    const version = versionOf(response);
    switch (response.status) {
      case 400:
      case 501:
        return undefined;
      case 416: {
        const size = sizeOfUnsatisfied(response, url);
        return size === undefined ? undefined : { size, version, tail: new ArrivedBytes(size) };
      }
      case 200:
        return isTooLarge(response, maxWholeBytes) ? undefined : wholeFile(response);
    }
    const { from, to, size } = sizedRange(response, url);
    if (to !== size - 1 || to - from >= tailBytes) {
      throw wrongRange(`bytes ${from}-${to} of ${size}`, `the last ${tailBytes}`, url);
    }
    return { size, version, tail: await bodyOfRange(response, from, size, url, onBytes) };
  });
  if (end !== undefined) {
    return end;
  }
  return send("bytes=0-0", signal, async (response) => {
    const version = versionOf(response);
    switch (response.status) {
      case 416: {
        const size = sizeOfUnsatisfied(response, url) ?? 0;
        return { size, version, tail: new ArrivedBytes(size) };
      }
      case 200:
        return wholeFile(response);
    }
    const { from, to, size } = sizedRange(response, url);
    if (from !== 0 || to !== 0) {
      throw wrongRange(`bytes ${from}-${to} of ${size}`, "the first", url);
    }
    return { size, version, tail: new ArrivedBytes(size) };
  });
}

/** Whether a whole file is so large that a second request is worthwhile. */
function isTooLarge({ headers }: HttpResponse, maxWholeBytes: number): boolean {
  const hasRanges = headers.get("Accept-Ranges")?.toLowerCase() === "bytes";
  return (
    Number(headers.get("Content-Length")) > (hasRanges ? Math.min(LARGE_WHOLE, maxWholeBytes) : maxWholeBytes)
  );
}

function sizedRange(response: HttpResponse, path: string): { from: number; to: number; size: number } {
  requirePart(response, path);
  const { from, to, size } = contentRange(response, path) ?? {};
  if (from === undefined || to === undefined || size === undefined) {
    throw new CFileError(
      "E_IO",
      "the server does not state the file size (send Content-Range; across origins, name it in Access-Control-Expose-Headers)",
      { path },
    );
  }
  return { from, to, size };
}
