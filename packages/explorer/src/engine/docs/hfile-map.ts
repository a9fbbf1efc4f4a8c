/** The blocks of an HFile, found by walking from header to header. */
import { type ByteSource, readExactly } from "@cfile/io";
import type { PartKind } from "../../protocol.js";
import { type CFileMap, mapOf, partAt, type UnnumberedPart } from "../cfile/cfile-map.js";

const HEADER_LENGTH = 33;
const TRAILER_LENGTH = 4096;
const WINDOW = 256 * 1024;
const MAX_BLOCKS = 50_000;

const KINDS: Readonly<Record<string, readonly [PartKind, string]>> = {
  "DATABLK*": ["data", "Data block"],
  DATABLKE: ["data", "Encoded data block"],
  IDXLEAF2: ["index", "Leaf index"],
  IDXINTE2: ["index", "Intermediate index"],
  IDXROOT2: ["index", "Root index"],
  BLMFBLK2: ["bloom", "Bloom chunk"],
  METABLKc: ["metadata", "Meta block"],
  FILEINF2: ["metadata", "File info"],
  BLMFMET2: ["metadata", "Bloom meta"],
  DFBLMET2: ["metadata", "Delete family bloom meta"],
};

export async function readHFileMap(source: ByteSource, size: number, signal: AbortSignal): Promise<CFileMap> {
  const found: UnnumberedPart[] = [];
  const end = Math.max(0, size - TRAILER_LENGTH);
  let window: Uint8Array = new Uint8Array(0);
  let start = 0;
  let offset = 0;
  while (offset + HEADER_LENGTH <= end && found.length < MAX_BLOCKS) {
    if (offset < start || offset + HEADER_LENGTH > start + window.length) {
      start = offset;
      window = await readExactly(source, start, Math.min(WINDOW, end - start), { signal });
    }
    const at = offset - start;
    const known = KINDS[String.fromCharCode(...window.subarray(at, at + 8))];
    const stored = new DataView(window.buffer, window.byteOffset + at + 8, 4).getInt32(0);
    const isBlock = known !== undefined && stored >= 0 && offset + HEADER_LENGTH + stored <= end;
    const length = isBlock ? HEADER_LENGTH + stored : end - offset;
    const [kind, label] = known ?? (["unknown", "Unexplained bytes"] as const);
    const part = partAt(kind, { offset, size: length }, label);
    found.push(isBlock ? part : { ...part, health: "damaged", problem: "no block starts here" });
    offset += length;
  }
  if (offset < end && found.length < MAX_BLOCKS) {
    const rest = partAt("unknown", { offset, size: end - offset }, "Too short for a block");
    found.push({ ...rest, health: "damaged" });
  }
  return mapOf([...found, partAt("footer", { offset: end, size: size - end }, "Trailer")]);
}
