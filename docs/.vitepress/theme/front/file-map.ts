/** The blocks of an open file in the order of its bytes. */
import type { CFileReader } from "@cfile/format";

type PartKind = "header" | "data" | "positional index" | "value index" | "dictionary" | "footer";

export interface FilePart {
  readonly kind: PartKind;
  readonly offset: number;
  readonly size: number;
}

export async function partsOf(file: CFileReader): Promise<FilePart[]> {
  const { headerRange, footerRange } = file.structure;
  const { posidx, validx, dictionary } = await file.layout();
  const parts: FilePart[] = [
    { kind: "header", ...headerRange },
    { kind: "footer", ...footerRange },
  ];
  const add = (kind: PartKind, blocks: readonly { offset: number; size: number }[] = []): void => {
    parts.push(...blocks.map(({ offset, size }) => ({ kind, offset, size })));
  };
  add("data", (posidx ?? validx)?.entries);
  add("positional index", posidx?.indexBlocks);
  add("value index", validx?.indexBlocks);
  add("dictionary", dictionary && [dictionary]);
  return parts.sort((a, b) => a.offset - b.offset);
}
