/** Kinds of blocks, by their first eight bytes (docs/spec/hfile.md#2-block-header). */

/** A block with the 33-byte header. The trailer also has a magic, but no such header. */
export type BlockKind =
  | "data"
  | "encoded data"
  | "leaf index"
  | "bloom chunk"
  | "meta"
  | "intermediate index"
  | "root index"
  | "file info"
  | "general bloom meta"
  | "delete family bloom meta";

const KINDS: Readonly<Record<string, BlockKind>> = /* @__PURE__ */ Object.freeze({
  "DATABLK*": "data",
  DATABLKE: "encoded data",
  IDXLEAF2: "leaf index",
  BLMFBLK2: "bloom chunk",
  METABLKc: "meta",
  IDXINTE2: "intermediate index",
  IDXROOT2: "root index",
  FILEINF2: "file info",
  BLMFMET2: "general bloom meta",
  DFBLMET2: "delete family bloom meta",
});

export const MAGIC_LENGTH = 8;
export const TRAILER_MAGIC = 'TRABLK"$';

/** The eight bytes at `offset` as Latin-1 text. */
export function magicAt(bytes: Uint8Array, offset: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + MAGIC_LENGTH));
}

/** The kind of block that starts at `offset`; `undefined` for unknown magics. */
export function blockKindAt(bytes: Uint8Array, offset: number): BlockKind | undefined {
  const magic = magicAt(bytes, offset);
  return Object.hasOwn(KINDS, magic) ? KINDS[magic] : undefined;
}

/** The magic of a kind. */
export function magicOf(kind: BlockKind): string {
  return Object.keys(KINDS).find((magic) => KINDS[magic] === kind) ?? "";
}
