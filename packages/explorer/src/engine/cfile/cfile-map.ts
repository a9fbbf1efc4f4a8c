/** The parts of a CFile in file order, and its index trees. */
import { type BlockLocation, CFileError } from "@cfile/bytes";
import type { CFileLayout, CFileReader } from "@cfile/format";
import { decodePositionalKey } from "@cfile/index-btree";
import type { PartKind, PartView, TreeView } from "../../protocol.js";

export type UnnumberedPart = Omit<PartView, "index">;

export interface CFileMap {
  readonly parts: readonly PartView[];
  readonly trees: readonly TreeView[];
  /** Index of each part by the offset of its first byte. */
  readonly at: ReadonlyMap<number, number>;
}

const BLOCK_KINDS = {
  column: ["data", "Data block"],
  bloom: ["bloom", "Bloom filter"],
  delta: ["delta", "Delta block"],
} as const;
const TREES = [
  ["posidx", "Positional index"],
  ["validx", "Value index"],
] as const;

export async function readMap(file: CFileReader, signal: AbortSignal): Promise<CFileMap> {
  const layout = await file.layout({ signal });
  const { headerRange, footerRange } = file.structure;
  const found = [
    { ...partAt("header", headerRange, "Header"), health: "valid" as const },
    ...(await blockParts(file, layout, signal)),
    ...TREES.flatMap(([kind, title]) =>
      (layout[kind]?.indexBlocks ?? []).map((block) => {
        const level = block.depth === 0 ? "root" : block.leaf ? "leaf" : `level ${block.depth}`;
        return partAt(kind, block, `${title}, ${level}, ${block.entries} entries`);
      }),
    ),
    ...(layout.dictionary ? [partAt("dictionary", layout.dictionary, "Dictionary")] : []),
    { ...partAt("footer", footerRange, "Footer"), health: "valid" as const },
  ];
  return mapOf(found, (at) =>
    TREES.flatMap(([kind, title]) => {
      const { levels = 0, indexBlocks = [] } = layout[kind] ?? {};
      const root = at.get(indexBlocks.find(({ depth }) => depth === 0)?.offset ?? -1);
      return root === undefined ? [] : [{ kind, title, levels, root }];
    }),
  );
}

/** @throws {CFileError} `E_NOT_FOUND` for an unknown part */
export function partOf({ parts }: CFileMap, index: number): PartView {
  const part = parts[index];
  if (part === undefined) {
    throw new CFileError("E_NOT_FOUND", `no part ${index}`);
  }
  return part;
}

export function partAt(kind: PartKind, { offset, size }: BlockLocation, label: string): UnnumberedPart {
  return { kind, offset, size, label, health: "unchecked" };
}

export function mapOf(
  found: readonly UnnumberedPart[],
  trees: (at: ReadonlyMap<number, number>) => readonly TreeView[] = () => [],
): CFileMap {
  const parts = found.toSorted((a, b) => a.offset - b.offset).map((part, index) => ({ ...part, index }));
  const at = new Map(parts.map(({ offset, index }) => [offset, index]));
  return { parts, trees: trees(at), at };
}

async function blockParts(
  file: CFileReader,
  layout: CFileLayout,
  signal: AbortSignal,
): Promise<UnnumberedPart[]> {
  const [kind, name] = BLOCK_KINDS[file.kind];
  const entries = file.kind === "bloom" ? undefined : layout.posidx?.entries;
  if (entries === undefined) {
    const blocks = layout.validx?.entries ?? (await file.listDataBlocks({ signal }));
    return blocks.map((block, i) => partAt(kind, block, `${name} ${i}`));
  }
  return entries.map((entry, i) => {
    const firstRow = decodePositionalKey(entry.key);
    const next = entries[i + 1];
    const rows = (next === undefined ? file.rowCount : decodePositionalKey(next.key)) - firstRow;
    return { ...partAt(kind, entry, `Data block ${i}`), firstRow, rows };
  });
}
