/** What is left of an index tree: every leaf entry that can still be reached, and the blocks that cannot be read. */
import { type BlockLocation, problemOf } from "@cfile/bytes";
import { decodePositionalKey, IndexBlock, POSITIONAL_KEY_LENGTH } from "@cfile/index-btree";
import type { BlockWrapping } from "../blocks/block-wrapper.js";
import { type PartEntry, problem } from "./rows/ledger.js";
import type { DamagedSource } from "./search/damaged-source.js";

/** A data block as an index has it. */
export interface BlockClaim extends BlockLocation {
  /** From the positional index. */
  readonly firstRow: number | undefined;
}

export interface IndexSurvey {
  readonly claims: readonly BlockClaim[];
  readonly parts: readonly PartEntry[];
  /** Whether no part of the tree is missing. */
  readonly complete: boolean;
}

export interface IndexPlace {
  readonly kind: "posidx" | "validx";
  readonly root: BlockLocation;
  /** Added to every offset in the file. */
  readonly shift: number;
  readonly wrapping: BlockWrapping;
}

/** Content of index blocks that a file may have for each of its own bytes, and at least. */
const MAX_EXPANSION = 16;
const MIN_BUDGET = 1 << 26;

export async function surveyIndex(file: DamagedSource, index: IndexPlace): Promise<IndexSurvey> {
  const { kind, shift, wrapping } = index;
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
        parts.push(lost(kind, block, "the index comes back to itself or is too deep"));
        complete = false;
        continue;
      }
      seen.add(block.offset);
      const bytes = await file.block(block, wrapping);
      budget -= bytes.length;
      const node = IndexBlock.parse(bytes, file.limits, (_bytes, start) => start);
      parts.push({ part: `${kind} block`, block, state: "valid", problem: undefined });
      for (let i = node.count - 1; i >= 0; i--) {
        const pointer = node.pointer(i);
        if (!node.isLeaf) {
          pending.push({ pointer, depth: next.depth + 1 });
        } else {
          claims.push({
            offset: pointer.offset + shift,
            size: pointer.size,
            firstRow: kind === "posidx" ? ordinalOf(node.key(i)) : undefined,
          });
        }
      }
    } catch (error) {
      parts.push({ part: `${kind} block`, block, state: "damaged", problem: problemOf(error, block) });
      complete = false;
    }
  }
  return { claims, parts, complete };
}

function ordinalOf(key: Uint8Array): number | undefined {
  return key.length === POSITIONAL_KEY_LENGTH ? decodePositionalKey(key) : undefined;
}

function lost(kind: "posidx" | "validx", block: BlockLocation, reason: string): PartEntry {
  return {
    part: `${kind} block`,
    block,
    state: "damaged",
    problem: problem("E_CORRUPT", reason, { block, field: "block pointer" }),
  };
}

/**
 * The claims of both indexes as one list by offset, every block once. Entries that claim the same bytes twice are
 * left out beyond what the file can hold.
 */
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
