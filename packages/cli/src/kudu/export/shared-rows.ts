/** One stream of batches for two readers that advance together, so that no batch is kept. */

interface Waiting<T> {
  readonly resolve: (result: IteratorResult<T, void>) => void;
  readonly reject: (error: unknown) => void;
}

/** An item is read when both readers have requested it, which they do after they have finished with the previous one. */
export class SharedRows<T> {
  private readonly items: AsyncGenerator<T, void, void>;
  private waiting: Waiting<T>[] = [];
  private failure: { readonly error: unknown } | undefined;

  constructor(items: AsyncGenerator<T, void, void>) {
    this.items = items;
  }

  /** One of the two readers. */
  async *reader(): AsyncGenerator<T, void, void> {
    for (let next = await this.next(); next.done !== true; next = await this.next()) {
      yield next.value;
    }
  }

  /** Fails the other reader, which would wait for the one that has failed. */
  async fail(error: unknown): Promise<void> {
    this.failure ??= { error };
    for (const { reject } of this.waiting.splice(0)) {
      reject(this.failure.error);
    }
    await this.items.return();
  }

  private next(): Promise<IteratorResult<T, void>> {
    return new Promise((resolve, reject) => {
      if (this.failure !== undefined) {
        reject(this.failure.error);
        return;
      }
      this.waiting.push({ resolve, reject });
      if (this.waiting.length === 2) {
        const both = this.waiting.splice(0);
        this.items.next().then(
          (result) => {
            for (const one of both) {
              one.resolve(result);
            }
          },
          (error: unknown) => {
            for (const one of both) {
              one.reject(error);
            }
          },
        );
      }
    });
  }
}
