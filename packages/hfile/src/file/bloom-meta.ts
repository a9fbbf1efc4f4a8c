/** Finds the metadata of HBase's Bloom filters after the file info (docs/spec/hbase-table.md#81-meta-block). */
import { withErrorContext } from "@cfile/bytes";
import { parseBlockHeader } from "../blocks/block-header.js";
import type { BlockKind } from "../blocks/block-kind.js";
import type { HFileStructure } from "./file-structure.js";

/** The kinds of blocks with the metadata of a Bloom filter: of keys, and of rows whose families were deleted. */
export type BloomMetaKind = Extract<BlockKind, "general bloom meta" | "delete family bloom meta">;

/** The body of the block of a kind, if there is one. @throws {CFileError} as `BlockLoader.open` */
export function readBloomMeta(
  { loader, afterFileInfo }: HFileStructure,
  kind: BloomMetaKind,
): Uint8Array | undefined {
  const { bytes, offset } = afterFileInfo;
  const { limits } = loader.options;
  for (let at = 0; at < bytes.length; ) {
    const block = { offset: offset + at, size: bytes.length - at };
    const header = withErrorContext({ path: loader.source.name, block }, () =>
      parseBlockHeader(bytes, at, block.size, limits),
    );
    if (header.kind === kind) {
      const location = { offset: block.offset, size: header.size };
      return loader.open(bytes.subarray(at, at + header.size), location, [kind]).body;
    }
    at += header.size;
  }
  return undefined;
}
