/** A harness: what takes bytes of strangers, and what it is fed. It may give a result or throw a `CFileError`, nothing else. */
import type { Random } from "./random.js";

/** Sound bytes to begin with, of files that Kudu, HBase, Hudi and others wrote. */
export interface Subject {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface Mutation {
  readonly bytes: Uint8Array;
  /** What was done, in words. */
  readonly steps: readonly string[];
}

export interface HarnessDefinition<S extends Subject> {
  readonly name: string;
  /** How many of ten thousand cases are for it. */
  readonly share: number;
  readonly load: () => readonly S[] | Promise<readonly S[]>;
  readonly mutate: (subject: S, random: Random) => Mutation;
  /** A promise for those that read files. A result that is wrong is thrown as anything but a `CFileError`. */
  readonly act: (bytes: Uint8Array, subject: S, random: Random) => unknown;
}

interface FuzzCase extends Mutation {
  readonly subject: string;
  readonly run: () => unknown;
}

/** A harness with its subjects read. */
export interface ReadyHarness {
  /** The case of a seed, mutated and ready to run. */
  make(seed: number): FuzzCase;
  /** The same with bytes that were kept. */
  replay(seed: number, subject: string, bytes: Uint8Array): unknown;
}

export interface Harness {
  readonly name: string;
  readonly share: number;
  ready(): Promise<ReadyHarness>;
}
