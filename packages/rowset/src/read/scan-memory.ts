/**
 * Memory of a scan whose batches are valid until the next one: each column has its own, for blocks as they are stored and decoded.
 * Row sets that are scanned one after the other use the same: memory that is new from the system is dear.
 */
import { RecycledMemory } from "@cfile/bytes";
import type { ScanMemory } from "@cfile/format";
import { newScanMemory } from "@cfile/format";

export class RowScanMemory {
  private readonly columns = new Map<number, ScanMemory>();
  private readonly patched = new Map<number, RecycledMemory>();

  /** For the blocks of a column. */
  blocksOf(columnId: number): ScanMemory {
    let memory = this.columns.get(columnId);
    if (memory === undefined) {
      memory = newScanMemory();
      this.columns.set(columnId, memory);
    }
    return memory;
  }

  /** For cells of a column that changes were put into; the one who takes it recycles it. */
  patchedOf(columnId: number): RecycledMemory {
    let memory = this.patched.get(columnId);
    if (memory === undefined) {
      memory = new RecycledMemory();
      this.patched.set(columnId, memory);
    }
    return memory;
  }
}
