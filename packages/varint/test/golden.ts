import { readGoldenJson } from "@cfile-tools/testkit";

interface Numbered<T> {
  readonly v: T;
  readonly hex: string;
}

interface Primitives {
  readonly varint32: readonly Numbered<number>[];
  readonly varint64: readonly Numbered<string>[];
  readonly memcmpable_varint64: readonly Numbered<string>[];
  readonly group_varint32: readonly Numbered<readonly number[]>[];
  readonly group_varint32_sequence: readonly (Numbered<readonly number[]> & {
    readonly frame_of_reference: number;
  })[];
}

/** Primitive codings written by Kudu's encoders. */
export const golden = readGoldenJson("blocks/primitives.json") as Primitives;
