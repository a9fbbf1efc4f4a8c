/**
 * A harness: code that reads untrusted bytes, and its inputs. It must either return a result or throw a
 * `CFileError`.
 */
import type { Random } from "./random.js";

/** Valid bytes to mutate, from files written by Kudu, HBase, Hudi and others. */
export interface Subject {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface Mutation {
  readonly bytes: Uint8Array;
  /** The mutations, in words. */
  readonly steps: readonly string[];
}

export interface HarnessDefinition<S extends Subject> {
  readonly name: string;
  /** Share of this harness in ten thousand cases. */
  readonly share: number;
  readonly load: () => readonly S[] | Promise<readonly S[]>;
  readonly mutate: (subject: S, random: Random) => Mutation;
  /** Asynchronous if it reads files. A wrong result is thrown as an error other than `CFileError`. */
  readonly act: (bytes: Uint8Array, subject: S, random: Random) => unknown;
}

interface FuzzCase extends Mutation {
  readonly subject: string;
  readonly run: () => unknown;
}

/** A harness with its subjects loaded. */
export interface ReadyHarness {
  /** The case of a seed, mutated and ready to run. */
  make(seed: number): FuzzCase;
  /** Runs the case with saved bytes. */
  replay(seed: number, subject: string, bytes: Uint8Array): unknown;
}

export interface Harness {
  readonly name: string;
  readonly share: number;
  ready(): Promise<ReadyHarness>;
}
