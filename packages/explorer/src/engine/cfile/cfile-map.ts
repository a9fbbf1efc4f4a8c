/** The parts of a CFile in the order in which they stand in it, and its trees. */
import { type BlockLocation, CFileError } from "@cfile/bytes";
import type { CFileLayout, CFileReader } from "@cfile/format";
import { decodePositionalKey } from "@cfile/index-btree";
import type { PartKind, PartView, TreeView } from "../../protocol.js";

type LoosePart = Omit<PartView, "index">;

export interface CFileMap {
  readonly parts: readonly PartView[];
  readonly trees: readonly TreeView[];
  /** Part by the offset of its first byte. */
  readonly at: ReadonlyMap<number, number>;
}

const DATA_KINDS = { column: "data", bloom: "bloom", delta: "delta" } as const;

export async function readMap(file: CFileReader, signal: AbortSignal): Promise<CFileMap> {
  const layout = await file.layout({ signal });
  const blocks = await dataParts(file, layout, signal);
  const { headerRange, footerRange } = file.structure;
  const part = (kind: PartKind, location: BlockLocation, label: string): LoosePart => ({
    kind,
    offset: location.offset,
    size: location.size,
    label,
    health: "unchecked",
  });
  const index = (kind: "posidx" | "validx", name: string): LoosePart[] =>
    (layout[kind]?.indexBlocks ?? []).map((block) => {
      const place = block.depth === 0 ? "root" : block.leaf ? "leaf" : `level ${block.depth}`;
      return part(kind, block, `${name}, ${place}, ${block.entries} entries`);
    });
  const found = [
    { ...part("header", headerRange, "Header"), health: "sound" as const },
    ...blocks,
    ...index("posidx", "Positional index"),
    ...index("validx", "Value index"),
    ...(layout.dictionary ? [part("dictionary", layout.dictionary, "Dictionary")] : []),
    { ...part("footer", footerRange, "Footer"), health: "sound" as const },
  ];
  return mapOf(found, (at) => treesOf(layout, at));
}

/** @throws CFileError `E_NOT_FOUND` for a number that no part has */
export function partOf({ parts }: CFileMap, index: number): PartView {
  const part = parts[index];
  if (part === undefined) {
    throw new CFileError("E_NOT_FOUND", `no part ${index}`);
  }
  return part;
}

export function mapOf(
  found: readonly LoosePart[],
  trees: (at: ReadonlyMap<number, number>) => readonly TreeView[] = () => [],
): CFileMap {
  const sorted = [...found].sort((a, b) => a.offset - b.offset);
  const parts = sorted.map((one, i) => ({ ...one, index: i }));
  const at = new Map(parts.map(({ offset, index: i }) => [offset, i]));
  return { parts, trees: trees(at), at };
}

async function dataParts(file: CFileReader, layout: CFileLayout, signal: AbortSignal): Promise<LoosePart[]> {
  const kind = DATA_KINDS[file.kind];
  const entries = layout.posidx?.entries;
  if (entries !== undefined && file.kind !== "bloom") {
    return entries.map(({ key, offset, size }, i) => {
      const firstRow = decodePositionalKey(key);
      const next = entries[i + 1];
      const rows = (next === undefined ? file.rowCount : decodePositionalKey(next.key)) - firstRow;
      return { kind, offset, size, label: `Data block ${i}`, firstRow, rows, health: "unchecked" };
    });
  }
  const blocks = layout.validx?.entries ?? (await file.listDataBlocks({ signal }));
  return blocks.map(({ offset, size }, i) => ({
    kind,
    offset,
    size,
    label: `${file.kind === "bloom" ? "Bloom filter" : file.kind === "delta" ? "Delta block" : "Data block"} ${i}`,
    health: "unchecked",
  }));
}

function treesOf({ posidx, validx }: CFileLayout, at: ReadonlyMap<number, number>): TreeView[] {
  return (
    [
      ["posidx", "Positional index", posidx],
      ["validx", "Value index", validx],
    ] as const
  ).flatMap(([kind, title, layout]) => {
    const root = layout?.indexBlocks.find(({ depth }) => depth === 0);
    const part = root && at.get(root.offset);
    return layout === undefined || part === undefined
      ? []
      : [{ kind, title, levels: layout.levels, root: part }];
  });
}
