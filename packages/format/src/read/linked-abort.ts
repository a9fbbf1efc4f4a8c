/** A signal for work that ends when its caller's signal is aborted or its result is no longer needed. */
export class LinkedAbort {
  private readonly controller = new AbortController();
  private readonly outer: AbortSignal | undefined;

  constructor(outer: AbortSignal | undefined) {
    this.outer = outer;
    if (outer?.aborted === true) {
      this.end();
    } else {
      outer?.addEventListener("abort", this.end, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Aborts work that is still running. */
  close(): void {
    this.outer?.removeEventListener("abort", this.end);
    this.end();
  }

  private readonly end = (): void => {
    this.controller.abort(this.outer?.reason);
  };
}
