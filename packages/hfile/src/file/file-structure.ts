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
import { BlockLoader, type OpenedBlock } from "../blocks/block-loader.js";
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

/** What is known of a file once it is open: trailer, file info, and the roots of its indexes. */
export interface HFileStructure {
  readonly fileSize: number;
  readonly trailer: HFileTrailer;
  readonly fileInfo: FileInfo;
  readonly layout: CellLayout;
  readonly dataIndex: IndexNode;
  readonly metaIndex: IndexNode;
  /** Whether rows are ordered by their bytes, which lookups rely on; HBase's own meta table has another order. */
  readonly bytewise: boolean;
  readonly loader: BlockLoader;
  /** Blocks of the load-on-open section, in file order. */
  readonly loadOnOpen: readonly (BlockLocation & { readonly kind: BlockKind })[];
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
    const blocks = new LoadOnOpen(loader, section, start);
    const root = blocks.next("root index");
    const meta = blocks.next("root index");
    const dataIndex = inBlock(root, () => parseRootIndex(root.body, trailer.dataIndexCount, "data", limits));
    const metaIndex = inBlock(meta, () => parseRootIndex(meta.body, trailer.metaIndexCount, "meta", limits));
    blocks.position = trailer.fileInfoOffset;
    const info = blocks.next("file info");
    const fileInfo = inBlock(info, () => parseFileInfo(info.body));
    const bytewise = !/meta/i.test(trailer.comparator);
    inBlock(root, () => checkIndexOrder(dataIndex, 0, start, bytewise));
    inBlock(meta, () => checkIndexOrder(metaIndex, 0, start, false));
    const indexes = { dataIndex, metaIndex, bytewise };
    const layout = layoutOf(fileInfo);
    return { fileSize, trailer, fileInfo, layout, ...indexes, loader, loadOnOpen: blocks.found };
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

/** What follows the value of each cell. */
export function layoutOf(info: FileInfo): CellLayout {
  return {
    mvcc: info.integer(FILE_INFO_KEYS.keyValueVersion, 4) === 1n,
    tags: info.get(FILE_INFO_KEYS.maxTagsLength) !== undefined,
  };
}

type LocatedBlock = OpenedBlock & { readonly location: BlockLocation };

function inBlock<T>({ location }: LocatedBlock, action: () => T): T {
  return withErrorContext({ block: location }, action);
}

/** The blocks of the load-on-open section, one after the other. */
class LoadOnOpen {
  readonly found: (BlockLocation & { kind: BlockKind })[] = [];
  /** File offset of the next block. */
  position: number;
  private readonly loader: BlockLoader;
  private readonly section: Uint8Array;
  private readonly start: number;

  constructor(loader: BlockLoader, section: Uint8Array, start: number) {
    this.loader = loader;
    this.section = section;
    this.start = start;
    this.position = start;
  }

  next(kind: BlockKind): LocatedBlock {
    const offset = this.position;
    const from = offset - this.start;
    const last = this.found.at(-1);
    if (last !== undefined && offset < last.offset + last.size) {
      throw corrupt(`the ${kind} at ${offset} overlaps the previous block`, { offset, field: kind });
    }
    const rest = this.section.length - from;
    const { size } = withErrorContext({ block: { offset, size: rest } }, () =>
      parseBlockHeader(this.section, from, rest, this.loader.options.limits),
    );
    const location = { offset, size };
    const opened = this.loader.open(this.section.subarray(from, from + size), location, [kind]);
    this.found.push({ ...location, kind });
    this.position = offset + size;
    return { ...opened, location };
  }
}
