/** Finds and reads the segments of write-ahead logs: `wals/TABLET_ID/wal-NNNNNNNNN` (docs/spec/kudu-wal.md#1-files). */
import type { CFileError } from "@cfile/bytes";
import { type FilePlace, type FilePool, fileNamesIn, placeName } from "../blocks/file-pool.js";
import { requireCFileError } from "../blocks/problems.js";
import { joined } from "../catalog/server-roots.js";
import type { LogSegment } from "./log-segment.js";

const SEGMENT = /^wal-\d{9}$/;
const TABLET = /^([0-9a-f]{32})(?:\.recovery)?$/;
/** Length of the magic and the length field of the header. */
const HEADER_START = 12;
const MAX_SEGMENT = 1024 * 1024 * 1024;

type SegmentParser<T> = (bytes: Uint8Array, path: string, start: number) => T;

export interface SegmentOptions {
  /** Whether messages stay compressed in memory, and are decompressed each time one is read. Default: no. */
  readonly packed?: boolean | undefined;
}

/**
 * The segments of a tablet in order, read one at a time; an error for each that cannot be read.
 *
 * @param folders the `wals` folders of the server
 */
export async function* logSegments(
  folders: readonly FilePlace[],
  pool: FilePool,
  tabletId: string,
  { packed = false }: SegmentOptions = {},
): AsyncGenerator<LogSegment | CFileError, void, void> {
  const { packedSegmentParser, segmentParser } = await import("./log-segment.js");
  const { chooseDecoders } = await import("@cfile/kernels/decode");
  const parserOf = packed ? packedSegmentParser : segmentParser;
  yield* segmentsWith(parserOf(chooseDecoders()), folders, pool, tabletId);
}

/** Like {@link logSegments}, with another parser. */
export async function* segmentsWith<T>(
  parse: SegmentParser<T>,
  folders: readonly FilePlace[],
  pool: FilePool,
  tabletId: string,
): AsyncGenerator<T | CFileError, void, void> {
  const places = await segmentPlaces(folders, tabletId);
  for (const [i, place] of places.entries()) {
    try {
      const segment = await readSegment(place, pool, i === places.length - 1, parse);
      if (segment !== undefined) {
        yield segment;
      }
    } catch (error) {
      yield requireCFileError(error);
    }
  }
}

/** IDs of the tablets that have a log. */
export async function loggedTablets(folders: readonly FilePlace[]): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const { tree, path } of folders) {
    for (const { name, kind } of await tree.list(path)) {
      const match = TABLET.exec(name);
      if (kind === "folder" && match !== null) {
        found.add(match[1] as string);
      }
    }
  }
  return [...found].sort();
}

/**
 * `undefined` if the server stopped before it wrote the header of the last segment: the file is empty or all zeros. Kudu also skips such
 * a segment.
 */
async function readSegment<T>(
  place: FilePlace,
  pool: FilePool,
  isLast: boolean,
  parse: SegmentParser<T>,
): Promise<T | undefined> {
  const { bytes, start } = await pool.readWhole(place, "log segment", MAX_SEGMENT);
  const isUnused = bytes.length - start < HEADER_START || bytes.subarray(start).every((byte) => byte === 0);
  return isLast && isUnused ? undefined : parse(bytes, placeName(place), start);
}

/**
 * The path of a tablet's first segment; `undefined` if it has no log.
 *
 * @throws {CFileError} `E_IO` if a folder cannot be read
 */
export async function firstSegment(
  folders: readonly FilePlace[],
  tabletId: string,
): Promise<string | undefined> {
  const [first] = await segmentPlaces(folders, tabletId);
  return first && placeName(first);
}

/** After an interrupted start of the server, another folder has the complete log. */
async function segmentPlaces(folders: readonly FilePlace[], tabletId: string): Promise<readonly FilePlace[]> {
  for (const name of [`${tabletId}.recovery`, tabletId]) {
    for (const { tree, path } of folders) {
      const folder = joined(path, name);
      const names = await fileNamesIn({ tree, path: folder });
      const segments = names.filter((file) => SEGMENT.test(file)).sort();
      if (segments.length > 0) {
        return segments.map((file) => ({ tree, path: joined(folder, file) }));
      }
    }
  }
  return [];
}
