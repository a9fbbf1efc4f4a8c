import { listGolden, readGolden, readGoldenJson } from "@cfile-tools/testkit";

interface GoldenTree {
  readonly levels: number;
  readonly index_blocks: readonly {
    readonly offset: number;
    readonly size: number;
    readonly depth: number;
    readonly leaf: boolean;
    readonly entries: number;
  }[];
  readonly entries: readonly { readonly key: string; readonly offset: number; readonly size: number }[];
}

interface GoldenFile {
  readonly compression: string;
  readonly checksums: boolean;
  readonly index_block_size: number;
  readonly footer: Record<"posidx_info" | "validx_info", { root_block: { offset: number; size: number } }>;
  readonly layout: { readonly posidx?: GoldenTree; readonly validx?: GoldenTree } | null;
}

export interface GoldenIndex {
  readonly name: string;
  readonly kind: "posidx" | "validx";
  readonly tree: GoldenTree;
  readonly root: { readonly offset: number; readonly size: number };
  readonly indexBlockSize: number;
  /** The content of a block. */
  readonly blockAt: (offset: number, size: number) => Uint8Array;
}

/** The index trees of all golden files whose blocks are not compressed. */
export const goldenIndexes: readonly GoldenIndex[] = listGolden(".", ".json").flatMap((name) => {
  const { compression, checksums, index_block_size, footer, layout } = readGoldenJson<GoldenFile>(
    `${name}.json`,
  );
  if (layout === null || compression !== "NO_COMPRESSION") {
    return [];
  }
  const checksum = checksums ? 4 : 0;
  let bytes: Uint8Array | undefined;
  const blockAt = (offset: number, size: number): Uint8Array => {
    bytes ??= readGolden(`${name}.cfile`);
    return bytes.subarray(offset, offset + size - checksum);
  };
  return (["posidx", "validx"] as const).flatMap((kind) => {
    const tree = layout[kind];
    const root = footer[`${kind}_info`]?.root_block;
    return tree === undefined ? [] : [{ name, kind, tree, root, indexBlockSize: index_block_size, blockAt }];
  });
});

/** Index trees with more than one level. */
export const goldenMultiLevelIndexes = goldenIndexes.filter(({ tree }) => tree.levels > 1);
