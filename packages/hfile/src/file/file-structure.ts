/**
 * Opens a file: reads the trailer, then the load-on-open section before it. The section has the root data index, the meta
 * index and the file info (docs/spec/hfile.md#1-file-layout and docs/spec/hfile.md#11-reading-with-ranges).
 */
import {
  type BlockLocation,
  CFileError,
  corrupt,
  DEFAULT_LIMITS,
  type Limits,
  withErrorContext,
} from "@cfile/bytes";
import { type ByteSource, type ReadOptions, readExactly, sizeOf } from "@cfile/io";
import { parseBlockHeader } from "../blocks/block-header.js";
import type { BlockKind } from "../blocks/block-kind.js";
import { BlockLoader } from "../blocks/block-loader.js";
import type { CellLayout } from "../cells/cell-batch.js";
import { checkIndexOrder, type IndexNode, parseRootIndex } from "../index/index-node.js";
import { FILE_INFO_KEYS, type FileInfo, parseFileInfo } from "./file-info.js";
import { type HFileTrailer, parseTrailer, TRAILER_LENGTH } from "./trailer.js";

/** Limits for HFiles: larger blocks and fewer levels than CFiles have. */
export const HFILE_LIMITS: Limits = /* @__PURE__ */ Object.freeze({
  ...DEFAULT_LIMITS,
  maxBlockSize: 64 * 1024 * 1024,
  maxIndexDepth: 16,
});

export interface StructureOptions extends ReadOptions {
  /** Whether to verify checksums. Default `true`. */
  readonly checksums?: boolean | undefined;
  /** Limits on what a file may claim. Default {@link HFILE_LIMITS}. */
  readonly limits?: Partial<Limits> | undefined;
}

/** The metadata of an open file: trailer, file info, and the roots of its indexes. */
export interface HFileStructure {
  readonly fileSize: number;
  readonly trailer: HFileTrailer;
  readonly fileInfo: FileInfo;
  readonly layout: CellLayout;
  readonly dataIndex: IndexNode;
  readonly metaIndex: IndexNode;
  /** Whether rows are ordered by their bytes, which lookups rely on. HBase's own meta table has a different order. */
  readonly bytewise: boolean;
  readonly loader: BlockLoader;
  /** Blocks of the load-on-open section up to the file info, in file order. */
  readonly loadOnOpen: readonly (BlockLocation & { readonly kind: BlockKind })[];
  /** The blocks after the file info, where HBase has the metadata of Bloom filters, as stored. */
  readonly afterFileInfo: { readonly offset: number; readonly bytes: Uint8Array };
}

/**
 * Reads trailer and load-on-open section: two requests.
 * @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED`, `E_CHECKSUM`, `E_UNSUPPORTED`, `E_LIMIT` for a damaged file
 */
export async function readFileStructure(
  source: ByteSource,
  options: StructureOptions = {},
): Promise<HFileStructure> {
  const limits = { ...HFILE_LIMITS, ...options.limits };
  const fileSize = await sizeOf(source, options);
  const trailer = await readTrailer(source, fileSize, limits, options);
  const end = fileSize - TRAILER_LENGTH;
  const { codec } = trailer;
  const loader = new BlockLoader(source, { codec, checksums: options.checksums ?? true, limits, end });
  const start = trailer.loadOnOpenOffset;
  const section = await loader.read({ offset: start, size: end - start }, options);
  return withErrorContext({ path: source.name }, () => {
    const found: (BlockLocation & { readonly kind: BlockKind })[] = [];
    /** End of the previous block. */
    let position = start;
    /** Parses the block at `offset`. */
    const next = <T>(kind: BlockKind, offset: number, parse: (body: Uint8Array) => T): T => {
      if (offset < position) {
        throw corrupt(`the ${kind} at ${offset} overlaps the previous block`, { offset, field: kind });
      }
      const from = offset - start;
      const rest = section.length - from;
      const { size } = withErrorContext({ block: { offset, size: rest } }, () =>
        parseBlockHeader(section, from, rest, limits),
      );
      const location = { offset, size };
      const { body } = loader.open(section.subarray(from, from + size), location, [kind]);
      found.push({ ...location, kind });
      position = offset + size;
      return withErrorContext({ block: location }, () => parse(body));
    };
    const bytewise = !/meta/i.test(trailer.comparator);
    const index = (kind: "data" | "meta", count: number, isOrdered: boolean): IndexNode =>
      next("root index", position, (body) => {
        const node = parseRootIndex(body, count, kind, limits);
        checkIndexOrder(node, 0, start, isOrdered);
        return node;
      });
    const dataIndex = index("data", trailer.dataIndexCount, bytewise);
    const metaIndex = index("meta", trailer.metaIndexCount, false);
    const fileInfo = next("file info", trailer.fileInfoOffset, parseFileInfo);
    const layout = layoutOf(fileInfo);
    const afterFileInfo = { offset: position, bytes: section.subarray(position - start) };
    return {
      fileSize,
      trailer,
      fileInfo,
      layout,
      dataIndex,
      metaIndex,
      bytewise,
      loader,
      loadOnOpen: found,
      afterFileInfo,
    };
  });
}

/** @throws {CFileError} `E_TRUNCATED` for a file shorter than a trailer; as {@link parseTrailer} */
export async function readTrailer(
  source: ByteSource,
  fileSize: number,
  limits: Limits,
  options: ReadOptions,
): Promise<HFileTrailer> {
  const offset = fileSize - TRAILER_LENGTH;
  if (offset < 0) {
    const details = { path: source.name, field: "trailer", expected: TRAILER_LENGTH, actual: fileSize };
    throw new CFileError("E_TRUNCATED", `file of ${fileSize} bytes is too short for a trailer`, details);
  }
  const bytes = await readExactly(source, offset, TRAILER_LENGTH, { ...options, field: "trailer" });
  const block = { offset, size: TRAILER_LENGTH };
  return withErrorContext({ path: source.name, block }, () => parseTrailer(bytes, fileSize, limits));
}

/** The layout of cells, from the file info. */
export function layoutOf(info: FileInfo): CellLayout {
  return {
    mvcc: info.integer(FILE_INFO_KEYS.keyValueVersion, 4) === 1n,
    tags: info.get(FILE_INFO_KEYS.maxTagsLength) !== undefined,
    tagsCompressed: info.get(FILE_INFO_KEYS.tagsCompressed)?.some((byte) => byte !== 0) ?? false,
  };
}
