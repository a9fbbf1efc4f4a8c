/** Pages in memory up to a number of bytes; the least recently used go first. */
export class RecentPages<K> {
  private readonly budget: number;
  /** In the order of their last use. */
  private readonly pages = new Map<K, Uint8Array>();
  private held = 0;

  /** @param budget maximum number of bytes */
  constructor(budget: number) {
    this.budget = budget;
  }

  has(key: K): boolean {
    return this.pages.has(key);
  }

  get(key: K): Uint8Array | undefined {
    const page = this.pages.get(key);
    if (page !== undefined) {
      this.pages.delete(key);
      this.pages.set(key, page);
    }
    return page;
  }

  set(key: K, page: Uint8Array): void {
    if (page.buffer.byteLength > this.budget) {
      return;
    }
    this.held += page.buffer.byteLength - (this.pages.get(key)?.buffer.byteLength ?? 0);
    this.pages.delete(key);
    this.pages.set(key, page);
    for (const [oldest, { buffer }] of this.pages) {
      if (this.held <= this.budget) {
        break;
      }
      this.pages.delete(oldest);
      this.held -= buffer.byteLength;
    }
  }

  clear(): void {
    this.pages.clear();
    this.held = 0;
  }
}
