/** Memory of a scan whose batches are valid until the next one: each column has its own, for one part after the other. */
import type { ScanMemory } from "@cfile/format";
import { newScanMemory } from "@cfile/format";

export class PartMemory {
  private readonly columns: ScanMemory[] = [];

  /** @param position of the column among the files of a part */
  of(position: number): ScanMemory {
    const memory = this.columns[position] ?? newScanMemory();
    this.columns[position] = memory;
    return memory;
  }
}
