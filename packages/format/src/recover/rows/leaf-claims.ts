/** What index leaves say that were found without a way to them: they are believed only where blocks confirm them. */
import type { BlockLocation } from "@cfile/bytes";
import { decodePositionalKey, type IndexBlock, POSITIONAL_KEY_LENGTH } from "@cfile/index-btree";
import { problem } from "./ledger.js";
import type { LostBlock } from "./row-ledger.js";

interface KnownBlock extends BlockLocation {
  readonly firstRow: number | undefined;
}

/** Blocks that stood where the leaves say and are lost; `known` are all others, lost ones too. */
export function leafClaims(
  leaves: readonly IndexBlock[],
  known: readonly KnownBlock[],
  shift: number,
): LostBlock[] {
  const byOffset = new Map(known.map((block) => [block.offset, block]));
  return leaves.flatMap((leaf) => confirmedClaims(leaf, byOffset, shift));
}

function confirmedClaims(
  leaf: IndexBlock,
  known: ReadonlyMap<number, KnownBlock>,
  shift: number,
): LostBlock[] {
  const claims: LostBlock[] = [];
  let confirmed = 0;
  for (let i = 0; i < leaf.count; i++) {
    const key = leaf.key(i);
    const { offset: stored, size } = leaf.pointer(i);
    const offset = stored + shift;
    const firstRow = key.length === POSITIONAL_KEY_LENGTH ? decodePositionalKey(key) : undefined;
    const held = known.get(offset);
    if (
      firstRow === undefined ||
      (held !== undefined && (held.firstRow !== firstRow || held.size !== size))
    ) {
      return [];
    }
    if (held !== undefined) {
      confirmed++;
    } else {
      const reason = "no block with a right checksum stands where the index has one";
      const found = problem("E_CHECKSUM", reason, { block: { offset, size }, field: "checksum" });
      claims.push({ offset, size, firstRow, rows: undefined, problem: found });
    }
  }
  return confirmed > 0 ? claims : [];
}
