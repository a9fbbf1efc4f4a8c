/** Memory that scans one after the other share: such as is new from the system is dear. */
import { RecycledMemory, SpareBuffers } from "@cfile/bytes";
import type { ScanMemory } from "./reader-options.js";

/** What a scan has on its way and under way, of one column. */
const STORED = { mostBuffers: 2, mostBytes: 4 << 20 };

/** One scan at a time may have it. */
export function newScanMemory(): ScanMemory & { readonly decoded: RecycledMemory } {
  return { decoded: new RecycledMemory(), stored: new SpareBuffers(STORED) };
}
