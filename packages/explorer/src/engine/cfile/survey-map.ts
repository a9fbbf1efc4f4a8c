/** The map of a damaged file, as the search for its blocks finds them. */
import { type RecoverableFile, type RecoveryLedger, scanDamagedCFile } from "@cfile/format/recover";
import type { ByteSource } from "@cfile/io";
import type { PartKind, PartView } from "../../protocol.js";
import type { Work } from "../docs/doc.js";
import { type CFileMap, mapOf } from "./cfile-map.js";

const PART_KINDS: Readonly<Record<RecoveryLedger["parts"][number]["part"], PartKind>> = {
  header: "header",
  footer: "footer",
  "posidx block": "posidx",
  "validx block": "validx",
  "index block": "index",
  "dictionary block": "dictionary",
};

export async function surveyedMap(source: ByteSource, { signal }: Work): Promise<CFileMap> {
  return ledgerMap((await scanDamagedCFile(source, { signal })).ledger);
}

export function ledgerMap(ledger: RecoverableFile["ledger"]): CFileMap {
  const found: Omit<PartView, "index">[] = [];
  for (const { part, block, state, problem } of ledger.parts) {
    if (block !== undefined) {
      found.push({
        kind: PART_KINDS[part],
        offset: block.offset,
        size: block.size,
        label: part,
        health: state === "valid" ? "sound" : "damaged",
        problem: problem?.reason,
      });
    }
  }
  for (const [i, entry] of ledger.blocks.entries()) {
    if (entry.block !== undefined) {
      found.push({
        kind: entry.state === "kept" ? "data" : "lost",
        offset: entry.block.offset,
        size: entry.block.size,
        label: `Data block ${i}${entry.state === "kept" ? "" : ", lost"}`,
        firstRow: entry.firstRow,
        rows: entry.rows,
        health: entry.state === "kept" ? "sound" : "damaged",
        problem: entry.problem?.reason,
      });
    }
  }
  return mapOf([...found, ...gaps(found, ledger.fileSize)]);
}

/** What no part covers. */
function gaps(found: readonly Omit<PartView, "index">[], fileSize: number): Omit<PartView, "index">[] {
  const sorted = [...found].sort((a, b) => a.offset - b.offset);
  const unknown: Omit<PartView, "index">[] = [];
  let at = 0;
  for (const { offset, size } of [...sorted, { offset: fileSize, size: 0 }]) {
    if (offset > at) {
      unknown.push({
        kind: "unknown",
        offset: at,
        size: offset - at,
        label: "Bytes that nothing explains",
        health: "damaged",
        problem: "No block, index or frame could be read here",
      });
    }
    at = Math.max(at, offset + size);
  }
  return unknown;
}
