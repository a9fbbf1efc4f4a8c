/** Memory of a check, for its reads and for what it decodes; the check of the next file takes the same again. */
import { RecycledMemory, SpareBuffers } from "@cfile/bytes";

/** Blocks that are read together have up to this many bytes, or are one. */
export const GROUP_BYTES = 1 << 20;

/** One check at a time may have it. */
export interface VerifyMemory {
  readonly decoded: RecycledMemory;
  readonly stored: SpareBuffers;
  /** For what is looked at again with other files, keys and Bloom filters. Who checks them together recycles it. */
  readonly kept: RecycledMemory;
}

export function newVerifyMemory(): VerifyMemory {
  // A group is looked at while the next is read; those of small files are smaller.
  return {
    decoded: new RecycledMemory(),
    kept: new RecycledMemory(),
    stored: new SpareBuffers({ mostBuffers: 4, mostBytes: 4 * GROUP_BYTES }),
  };
}
