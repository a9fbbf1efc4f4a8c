/** A part of a full run, and how its results are written. */

interface PartOptions {
  readonly seed: number;
  /** Number of mutated inputs of the fuzz part. */
  readonly cases: number;
  /** Seconds of the soak test. */
  readonly soakSeconds: number;
  /** Folder for the state of parts that can resume. */
  readonly journal: string;
  readonly onProgress: (line: string) => void;
}

/** A line of the table: the test, the number of cases, and the result. */
interface Tried {
  readonly what: string;
  readonly often: string;
  readonly found: string;
}

export interface PartResult {
  readonly tried: readonly Tried[];
  readonly faults: readonly string[];
  /** Additional sections, in Markdown. */
  readonly sections?: readonly string[];
}

export type Part = (options: PartOptions) => Promise<PartResult>;

export const number = (value: number): string => value.toLocaleString("en-US");
export const mebibytes = (bytes: number): string => `${number(Math.round(bytes / 2 ** 20))} MiB`;
export const row = (...cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
