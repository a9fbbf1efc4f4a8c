/** How many bytes a tablet's blocks take, by what they are for. Log containers' journals are read; blocks are not, but for the sizes of files. */
import type { BlockStore } from "../blocks/stored-block.js";
import type { TabletRowSet } from "../read/tablet-row-set.js";
import { rolesOf } from "./superblock.js";

/** Bytes of blocks by role. */
export interface TabletSize {
  /** By column id. */
  readonly columns: ReadonlyMap<number, number>;
  readonly bloom: number;
  readonly adhocIndex: number;
  readonly undo: number;
  readonly redo: number;
  readonly total: number;
  /** Ids of blocks that are in none of the directories. */
  readonly missing: readonly bigint[];
}

export async function tabletSize(
  rowSets: readonly TabletRowSet[],
  store: Pick<BlockStore, "find">,
): Promise<TabletSize> {
  const columns = new Map<number, number>();
  const sizes = { bloom: 0, "adhoc-index": 0, undo: 0, redo: 0 };
  const missing: bigint[] = [];
  let total = 0;
  for (const { blocks } of rowSets) {
    for (const { id, role } of rolesOf(blocks)) {
      const block = await store.find(id);
      if (block === undefined) {
        missing.push(id);
        continue;
      }
      const size = await block.source.size();
      total += size;
      if (role in sizes) {
        sizes[role as keyof typeof sizes] += size;
      } else {
        const column = Number(role.slice("column ".length));
        columns.set(column, (columns.get(column) ?? 0) + size);
      }
    }
  }
  const { bloom, undo, redo } = sizes;
  return { columns, bloom, adhocIndex: sizes["adhoc-index"], undo, redo, total, missing };
}
