/** The keys of a tablet, looked up in ascending order. */
import { compareRange } from "@cfile/bytes";
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

  /** Whether the tablet has the key. Keys must come in ascending order. */
  async has(key: Uint8Array): Promise<boolean> {
    while (!this.isAtEnd) {
      const { keys } = this;
      if (keys === undefined || this.at >= keys.length) {
        const next = await this.batches.next();
        this.isAtEnd = next.done === true;
        this.keys = next.done === true ? undefined : next.value;
        this.at = 0;
        continue;
      }
      const { offsets, data } = keys;
      const order = compareRange(data, offsets[this.at] ?? 0, offsets[this.at + 1] ?? 0, key);
      if (order >= 0) {
        return order === 0;
      }
      this.at++;
    }
    return false;
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
