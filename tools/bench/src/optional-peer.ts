/** Peers with native code. If one cannot be installed or loaded, the run continues without it and says so. */
export interface OptionalPeer<T> {
  readonly module: T | undefined;
  /** Why it is missing. */
  readonly note: string | undefined;
}

export async function optionalPeer<T>(name: string, load: () => Promise<T>): Promise<OptionalPeer<T>> {
  try {
    return { module: await load(), note: undefined };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n", 1)[0] : String(error);
    return { module: undefined, note: `missing: ${name} (${reason})` };
  }
}
