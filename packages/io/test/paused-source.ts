/** A source whose reads wait until the test resumes them. */
import type { ByteSource } from "../src/index.js";

interface PausedRead {
  readonly offset: number;
  readonly length: number;
  readonly signal: AbortSignal | undefined;
  /** Returns the requested bytes. */
  readonly answer: () => void;
  readonly fail: (error: unknown) => void;
}

export interface PausedSource extends ByteSource {
  readonly reads: PausedRead[];
}

/** @param paused whether reads wait; otherwise they return at once */
export function pausedSource(bytes: Uint8Array, paused = true, version?: string): PausedSource {
  const reads: PausedRead[] = [];
  return {
    name: "paused",
    reads,
    size: async () => bytes.length,
    version: async () => version,
    read: (offset, length, { signal } = {}) =>
      new Promise((resolve, reject) => {
        const answer = (): void => resolve(bytes.subarray(offset, offset + length));
        signal?.addEventListener("abort", () => reject(signal.reason));
        reads.push({ offset, length, signal, answer, fail: reject });
        if (!paused) {
          answer();
        }
      }),
  };
}

/** Bytes that depend on their offset. */
export const numbered = Uint8Array.from({ length: 100_000 }, (_, i) => (i * 31 + (i >> 8)) & 255);

/** Resolves after all zero-delay timers and their consequences. */
export function nextTick(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}
