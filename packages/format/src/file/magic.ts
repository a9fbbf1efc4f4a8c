/**
 * The magic of header and footer (docs/spec/cfile.md#31-layout): `kuducfl2` for version 2, the only one written, and
 * `kuducfil` for version 1 (Kudu up to 1.2). The version decides the form of the compression wrapper.
 */
import { equalBytes } from "@cfile/bytes";

/** Version of the format. Both are read, 2 is written. */
export type CFileVersion = 1 | 2;

export const MAGIC_LENGTH = 8;
/** Magic and protobuf length: what a header starts and a footer ends with. */
export const MAGIC_AND_LENGTH = 12;

const ascii = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));

export function magicOf(version: CFileVersion): Uint8Array {
  return ascii(version === 2 ? "kuducfl2" : "kuducfil");
}

/** The version that the 8 bytes at `position` stand for, or `undefined`. */
export function versionOfMagic(bytes: Uint8Array, position: number): CFileVersion | undefined {
  const magic = bytes.subarray(position, position + MAGIC_LENGTH);
  return ([2, 1] as const).find((version) => equalBytes(magic, magicOf(version)));
}
