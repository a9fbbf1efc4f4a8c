/**
 * The magic of header and footer (docs/spec/cfile.md#31-layout): `kuducfl2` for version 2, the only one written, and
 * `kuducfil` for version 1 (Kudu up to 1.2). The version determines the layout of the compression wrapper.
 */
import { equalBytes, utf8Bytes } from "@cfile/bytes";

/** Version of the format. Readers support both, writers write 2. */
export type CFileVersion = 1 | 2;

export const MAGIC_LENGTH = 8;
/** Magic and protobuf length: the start of a header, the end of a footer. */
export const MAGIC_AND_LENGTH = 12;

export function magicOf(version: CFileVersion): Uint8Array {
  return utf8Bytes(version === 2 ? "kuducfl2" : "kuducfil");
}

/** The version of the magic at `position`; `undefined` if there is no magic. */
export function versionOfMagic(bytes: Uint8Array, position: number): CFileVersion | undefined {
  const magic = bytes.subarray(position, position + MAGIC_LENGTH);
  return ([2, 1] as const).find((version) => equalBytes(magic, magicOf(version)));
}
