/**
 * What is learnt about a file before anything of it is read: its size and version, without a HEAD request. The first request asks for
 * the file's end. A server that does not know ranges from the end is asked for the first byte, which every server with
 * ranges gives; one without ranges sends the whole file.
 */
import { CFileError } from "@cfile/bytes";
import { contentRange, sizeOfUnsatisfied } from "./content-range.js";
import { type FileVersion, versionOf } from "./file-version.js";
import { type RangeRequests, requirePart, wrongRange } from "./range-requests.js";
import { bodyOfLength, wholeBody } from "./response-body.js";

export interface FirstAnswer {
  readonly size: number;
  readonly version: FileVersion;
  /** The end of the file, from `size - tail.length` on; all of it when the server knows no ranges. */
  readonly tail: Uint8Array;
}

export interface FirstAnswerLimits {
  /** Bytes of the file's end that are asked for. */
  readonly tailBytes: number;
  /** Maximum bytes of a whole file. */
  readonly maxWholeBytes: number;
}

/** A server that sends the whole file although it says that it knows ranges is asked in another way from this size on. */
const LARGE_WHOLE = 1024 * 1024;
const NOTHING = new Uint8Array(0);

/** @throws CFileError as reads of `httpSource` */
export async function readFirstAnswer(
  requests: RangeRequests,
  limits: FirstAnswerLimits,
  signal: AbortSignal,
): Promise<FirstAnswer> {
  return (await readEnd(requests, limits, signal)) ?? (await readStart(requests, limits, signal));
}

/** `undefined` when the server does not seem to know ranges from the end. */
function readEnd(
  requests: RangeRequests,
  limits: FirstAnswerLimits,
  signal: AbortSignal,
): Promise<FirstAnswer | undefined> {
  const { tailBytes } = limits;
  const { url, onBytes } = requests;
  return requests.send(`bytes=-${tailBytes}`, signal, async (response) => {
    const version = versionOf(response);
    switch (response.status) {
      case 400:
      case 501:
        return undefined;
      case 416: {
        const size = sizeOfUnsatisfied(response, url);
        return size === undefined ? undefined : { size, version, tail: NOTHING };
      }
      case 200:
        return isUnwilling(response, limits) ? undefined : wholeFile(requests, response, limits);
    }
    const { from, to, size } = sizedRange(response, url);
    if (to !== size - 1 || to - from >= tailBytes) {
      throw wrongRange(`bytes ${from}-${to} of ${size}`, `the last ${tailBytes}`, url);
    }
    return { size, version, tail: await bodyOfLength(response, to - from + 1, url, onBytes) };
  });
}

function readStart(
  requests: RangeRequests,
  limits: FirstAnswerLimits,
  signal: AbortSignal,
): Promise<FirstAnswer> {
  const { url } = requests;
  return requests.send("bytes=0-0", signal, async (response) => {
    const version = versionOf(response);
    switch (response.status) {
      case 416:
        return { size: sizeOfUnsatisfied(response, url) ?? 0, version, tail: NOTHING };
      case 200:
        return wholeFile(requests, response, limits);
    }
    const { from, to, size } = sizedRange(response, url);
    if (from !== 0 || to !== 0) {
      throw wrongRange(`bytes ${from}-${to} of ${size}`, "the first", url);
    }
    return { size, version, tail: NOTHING };
  });
}

/** Whether a whole file is so large that it is worth another question. */
function isUnwilling({ headers }: Response, { maxWholeBytes }: FirstAnswerLimits): boolean {
  const knowsRanges = headers.get("Accept-Ranges")?.toLowerCase() === "bytes";
  return (
    Number(headers.get("Content-Length")) >
    (knowsRanges ? Math.min(LARGE_WHOLE, maxWholeBytes) : maxWholeBytes)
  );
}

async function wholeFile(
  { url, onBytes }: RangeRequests,
  response: Response,
  { maxWholeBytes }: FirstAnswerLimits,
): Promise<FirstAnswer> {
  const tail = await wholeBody(response, maxWholeBytes, url, onBytes);
  return { size: tail.length, version: versionOf(response), tail };
}

function sizedRange(
  response: Response,
  path: string,
): { readonly from: number; readonly to: number; readonly size: number } {
  requirePart(response, path);
  const range = contentRange(response, path);
  if (range?.size === undefined) {
    throw new CFileError(
      "E_IO",
      "the server does not tell the file's size (Content-Range; across origins Access-Control-Expose-Headers must name it)",
      { path },
    );
  }
  return { from: range.from, to: range.to, size: range.size };
}
