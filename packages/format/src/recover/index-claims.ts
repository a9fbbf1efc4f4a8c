/** The data blocks of a damaged file according to its indexes. */
import { type BlockLocation, corrupt, problemOf } from "@cfile/bytes";
import { decodePositionalKey, IndexBlock, POSITIONAL_KEY_LENGTH } from "@cfile/index-btree";
import type { BlockWrapping } from "../blocks/block-wrapper.js";
import type { PartEntry } from "./rows/ledger.js";
import type { BlockClaim, LostBlock } from "./rows/row-ledger.js";
import type { DamagedSource } from "./search/damaged-source.js";

export interface IndexClaims {
  /** All leaf entries that can still be reached. */
  readonly claims: readonly BlockClaim[];
  /** All blocks of the index, readable or not. */
  readonly parts: readonly PartEntry[];
  /** Whether no part of the tree is missing. */
  readonly complete: boolean;
}

export interface DamagedIndex {
  readonly kind: "posidx" | "validx";
  readonly root: BlockLocation;
  /** Number added to the offsets in the index. */
  readonly shift: number;
  readonly wrapping: BlockWrapping;
}

/** Maximum bytes of index blocks, unwrapped, per byte of the file; at least `MIN_BUDGET` in total. */
const MAX_EXPANSION = 16;
const MIN_BUDGET = 1 << 26;

export async function readClaims(file: DamagedSource, index: DamagedIndex): Promise<IndexClaims> {
  const { kind, shift, wrapping } = index;
  const part = `${kind} block` as const;
  const claims: BlockClaim[] = [];
  const parts: PartEntry[] = [];
  const seen = new Set<number>();
  let budget = Math.max(MIN_BUDGET, MAX_EXPANSION * file.size);
  let complete = true;
  const pending = [{ pointer: index.root, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const block = { offset: next.pointer.offset + shift, size: next.pointer.size };
    file.signal?.throwIfAborted();
    try {
      if (seen.has(block.offset) || next.depth >= file.limits.maxIndexDepth || budget < 0) {
        throw corrupt("the index has a cycle or is too deep", { block, field: "block pointer" });
      }
      seen.add(block.offset);
      const bytes = await file.block(block, wrapping);
      budget -= bytes.length;
      const node = IndexBlock.parse(bytes, file.limits, (_bytes, start) => start);
      parts.push({ part, block, state: "valid", problem: undefined });
      for (let i = node.count - 1; i >= 0; i--) {
        const pointer = node.pointer(i);
        if (node.isLeaf) {
          const firstRow = kind === "posidx" ? ordinalOf(node.key(i)) : undefined;
          claims.push({ offset: pointer.offset + shift, size: pointer.size, firstRow });
        } else {
          pending.push({ pointer, depth: next.depth + 1 });
        }
      }
    } catch (error) {
      parts.push({ part, block, state: "damaged", problem: problemOf(error, block) });
      complete = false;
    }
  }
  return { claims, parts, complete };
}

function ordinalOf(key: Uint8Array): number | undefined {
  return key.length === POSITIONAL_KEY_LENGTH ? decodePositionalKey(key) : undefined;
}

/** Merges the claims of both indexes into one list by offset, with each block once. */
export function mergeClaims(lists: readonly (readonly BlockClaim[])[]): BlockClaim[] {
  const byOffset = new Map<number, BlockClaim>();
  for (const claim of lists.flat()) {
    const known = byOffset.get(claim.offset);
    if (known === undefined || (known.firstRow === undefined && claim.firstRow !== undefined)) {
      byOffset.set(claim.offset, claim);
    }
  }
  return [...byOffset.values()].sort((a, b) => a.offset - b.offset);
}

/**
 * The lost blocks according to index leaves that were found by search. A leaf is used only if known blocks confirm it.
 *
 * @param known all other blocks, lost ones included
 */
export function leafClaims(
  leaves: readonly IndexBlock[],
  known: readonly BlockClaim[],
  shift: number,
): LostBlock[] {
  const byOffset = new Map(known.map((block) => [block.offset, block]));
  return leaves.flatMap((leaf) => confirmedClaims(leaf, byOffset, shift));
}

function confirmedClaims(
  leaf: IndexBlock,
  known: ReadonlyMap<number, BlockClaim>,
  shift: number,
): LostBlock[] {
  const claims: LostBlock[] = [];
  let confirmed = 0;
  for (let i = 0; i < leaf.count; i++) {
    const { offset: stored, size } = leaf.pointer(i);
    const offset = stored + shift;
    const firstRow = ordinalOf(leaf.key(i));
    const held = known.get(offset);
    if (firstRow === undefined || (held && (held.firstRow !== firstRow || held.size !== size))) {
      return [];
    }
    if (held !== undefined) {
      confirmed++;
    } else {
      const reason = "no block with a valid CRC at the location in the index";
      const problem = { code: "E_CHECKSUM", reason, block: { offset, size }, field: "checksum" } as const;
      claims.push({ offset, size, firstRow, rows: undefined, problem });
    }
  }
  return confirmed > 0 ? claims : [];
}
