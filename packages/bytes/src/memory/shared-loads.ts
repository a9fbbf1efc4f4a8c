/** Loads in progress, by file offset, which concurrent callers share. */
export class SharedLoads<T> {
  private readonly running = new Map<number, Promise<T>>();

  /** The result of `load`, or of a call in progress for the same offset. Loads with a signal, which may abort them, are not shared. */
  share(offset: number, signal: AbortSignal | undefined, load: () => Promise<T>): Promise<T> {
    if (signal !== undefined) {
      return load();
    }
    const running = this.running.get(offset);
    if (running !== undefined) {
      return running;
    }
    const started = load();
    const forget = (): boolean => this.running.delete(offset);
    this.running.set(offset, started);
    started.then(forget, forget);
    return started;
  }
}
