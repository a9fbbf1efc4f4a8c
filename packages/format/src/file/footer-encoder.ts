/** The bytes of a footer; `footer.ts` has their layout and reads them. */
import { ByteBuilder, crc32c } from "@cfile/bytes";
import { COMPRESSION_TYPES } from "@cfile/compression";
import { DATA_TYPES, ENCODING_TYPES } from "@cfile/encodings";
import { cfile } from "../generated/encode-cfile-proto.js";
import type { CFileFooter } from "./footer.js";
import { type CFileVersion, MAGIC_AND_LENGTH, magicOf } from "./magic.js";

/** The protobuf of a footer, fields in Kudu's order; `undefined` fields are left out. */
export function encodeFooter(footer: CFileFooter): Uint8Array {
  const { Footer } = cfile.format;
  const message = new Footer({
    dataType: DATA_TYPES[footer.dataType].id,
    encoding: ENCODING_TYPES[footer.encoding],
    numValues: footer.rowCount,
    metadata: footer.metadata.map(({ key, value }) => ({ key, value })),
    posidxInfo: footer.posidx ? { rootBlock: footer.posidx } : null,
    validxInfo: footer.validx ? { rootBlock: footer.validx } : null,
    compression: footer.compression ? COMPRESSION_TYPES[footer.compression] : null,
    isTypeNullable: footer.nullable ?? null,
    dictBlockPtr: footer.dictionary ?? null,
    incompatibleFeatures: footer.incompatibleFeatures ?? null,
    compatibleFeatures: footer.compatibleFeatures ?? null,
    isTypeArray: footer.array ?? null,
  });
  return Footer.encode(message).finish();
}

/** The whole footer as it stands at the end of a file. */
export function frameFooter(protobuf: Uint8Array, version: CFileVersion, checksums: boolean): Uint8Array {
  const out = new ByteBuilder(protobuf.length + 4 + MAGIC_AND_LENGTH);
  out.append(protobuf);
  out.append(magicOf(version));
  out.u32le(protobuf.length);
  const covered = out.finish();
  if (!checksums) {
    return covered;
  }
  out.clear();
  out.u32le(crc32c(covered));
  out.append(covered);
  return out.finish();
}
