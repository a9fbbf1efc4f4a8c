/** The keys that are in a tablet, asked for in ascending order. */
import type { RowKeys } from "@cfile/rowset";
import { encodeRowKeys } from "@cfile/rowset";
import type { KuduTablet } from "../read/kudu-tablet.js";

export class PresentKeys {
  private readonly batches: AsyncGenerator<RowKeys, void, void>;
  private keys: RowKeys | undefined;
  private at = 0;
  private isAtEnd = false;

  constructor(tablet: KuduTablet) {
    this.batches = keysOf(tablet);
  }

  /** Whether the key is there; keys must come in ascending order. */
  async has(key: Uint8Array): Promise<boolean> {
    for (;;) {
      while (this.keys === undefined || this.at >= this.keys.length) {
        if (this.isAtEnd) {
          return false;
        }
        const next = await this.batches.next();
        this.isAtEnd = next.done === true;
        this.keys = next.done === true ? undefined : next.value;
        this.at = 0;
      }
      const { offsets, data } = this.keys;
      const order = compareWithin(data, offsets[this.at] as number, offsets[this.at + 1] as number, key);
      if (order >= 0) {
        return order === 0;
      }
      this.at++;
    }
  }

  async close(): Promise<void> {
    await this.batches.return();
  }
}

async function* keysOf(tablet: KuduTablet): AsyncGenerator<RowKeys, void, void> {
  const columns = tablet.schema.columns.filter(({ isKey }) => isKey).map(({ name }) => name);
  for await (const batch of tablet.scan({ columns, withLog: true })) {
    yield encodeRowKeys(batch.columns);
  }
}

function compareWithin(data: Uint8Array, start: number, end: number, key: Uint8Array): number {
  const length = Math.min(end - start, key.length);
  for (let i = 0; i < length; i++) {
    const difference = (data[start + i] as number) - (key[i] as number);
    if (difference !== 0) {
      return difference;
    }
  }
  return end - start - key.length;
}
