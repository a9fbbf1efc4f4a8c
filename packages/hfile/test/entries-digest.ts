import { createHash } from "node:crypto";
import type { CellBatch } from "../src/index.js";

/** SHA-256 over the cells, as in the golden data: lengths and bytes of row and value. */
export class EntriesDigest {
  private readonly hash = createHash("sha256");
  count = 0;

  add(batch: CellBatch): void {
    const lengths = Buffer.alloc(4);
    for (let i = 0; i < batch.length; i++) {
      for (const bytes of [batch.row(i), batch.value(i)]) {
        lengths.writeUInt32BE(bytes.length);
        this.hash.update(lengths).update(bytes);
      }
    }
    this.count += batch.length;
  }

  hex(): string {
    return this.hash.digest("hex");
  }
}

/** SHA-256 of plain bytes. */
export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
