/** A golden file or folder, how to reach its rows, and the rows according to its JSON. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { GOLDEN } from "./golden-server.js";
import type { WebEditor } from "./web-editor.js";

export interface GoldenCase {
  /** Path below the golden folder. */
  readonly path: string;
  readonly kind: string;
  /** Goes from the opened file to its rows; by default to the tab of the data. */
  readonly reach?: (editor: WebEditor) => Promise<void>;
  /** Texts that the page shows: facts, results, or why the file cannot be read. */
  readonly shows?: readonly string[];
  /** The first rows, each with its first cells. */
  readonly rows: readonly (readonly string[])[];
  /** Whether `rows` are all rows, in any order. */
  readonly isUnordered?: boolean;
}

export const MAX_ROWS = 20;

export function json<T>(path: string): T {
  return JSON.parse(readFileSync(join(GOLDEN, path), "utf8"));
}
