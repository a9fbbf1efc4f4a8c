/** Messages between the front page and its worker. */
import type { FilePart } from "./file-map.js";

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** `url` is the URL of the file. */
export type Question = { readonly url: string } & (
  | { readonly ask: "map" }
  | { readonly ask: "row"; readonly row: number }
  | { readonly ask: "value"; readonly value: string }
);

export interface FileMap {
  readonly parts: readonly FilePart[];
  readonly size: number;
  readonly rows: number;
}

export type Answer =
  | { readonly map: FileMap; readonly text?: undefined }
  | { readonly map?: undefined; readonly text: string; readonly reads: readonly ByteRange[] };
