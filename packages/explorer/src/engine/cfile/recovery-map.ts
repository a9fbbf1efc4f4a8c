/** The map of a damaged file, from the blocks that a search finds. */
import { type RecoverableFile, type RecoveryLedger, scanDamagedCFile } from "@cfile/format/recover";
import type { ByteSource } from "@cfile/io";
import type { PartKind } from "../../protocol.js";
import { type CFileMap, mapOf, partAt, type UnnumberedPart } from "./cfile-map.js";

const PART_KINDS: Readonly<Record<RecoveryLedger["parts"][number]["part"], PartKind>> = {
  header: "header",
  footer: "footer",
  "posidx block": "posidx",
  "validx block": "validx",
  "index block": "index",
  "dictionary block": "dictionary",
};

export async function scannedMap(source: ByteSource, signal: AbortSignal): Promise<CFileMap> {
  return ledgerMap((await scanDamagedCFile(source, { signal })).ledger);
}

export function ledgerMap(ledger: RecoverableFile["ledger"]): CFileMap {
  const found: UnnumberedPart[] = [];
  for (const { part, block, state, problem } of ledger.parts) {
    if (block !== undefined) {
      const health = state === "valid" ? "valid" : "damaged";
      found.push({ ...partAt(PART_KINDS[part], block, part), health, problem: problem?.reason });
    }
  }
  for (const [i, { block, state, firstRow, rows, problem }] of ledger.blocks.entries()) {
    if (block !== undefined) {
      const isKept = state === "kept";
      found.push({
        ...partAt(isKept ? "data" : "lost", block, `Data block ${i}${isKept ? "" : ", lost"}`),
        firstRow,
        rows,
        health: isKept ? "valid" : "damaged",
        problem: problem?.reason,
      });
    }
  }
  return mapOf([...found, ...gaps(found, ledger.fileSize)]);
}

/** Bytes between the parts. */
function gaps(found: readonly UnnumberedPart[], fileSize: number): UnnumberedPart[] {
  const unknown: UnnumberedPart[] = [];
  let end = 0;
  const sorted = found.toSorted((a, b) => a.offset - b.offset);
  for (const { offset, size } of [...sorted, { offset: fileSize, size: 0 }]) {
    if (offset > end) {
      unknown.push({
        ...partAt("unknown", { offset: end, size: offset - end }, "Unexplained bytes"),
        health: "damaged",
        problem: "no block, index or frame could be read here",
      });
    }
    end = Math.max(end, offset + size);
  }
  return unknown;
}
