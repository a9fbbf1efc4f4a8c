/** The bytes of a footer; `footer.ts` has their layout and reads them. */
import { type BlockLocation, ByteBuilder, crc32c } from "@cfile/bytes";
import { COMPRESSION_TYPES } from "@cfile/compression";
import { DATA_TYPES, ENCODING_TYPES } from "@cfile/encodings";
import { messageBytes } from "@cfile/protobuf/write";
import type { BlockPointer } from "../generated/decode.js";
import { encodeFooter as encodeFields } from "../generated/encode.js";
import type { CFileFooter } from "./footer.js";
import { type CFileVersion, MAGIC_AND_LENGTH, magicOf } from "./magic.js";

/** The protobuf of a footer, fields in Kudu's order; `undefined` fields are left out. */
export function encodeFooter(footer: CFileFooter): Uint8Array {
  return messageBytes(encodeFields, {
    dataType: DATA_TYPES[footer.dataType].id,
    encoding: ENCODING_TYPES[footer.encoding],
    numValues: BigInt(footer.rowCount),
    metadata: footer.metadata,
    posidxInfo: footer.posidx && { rootBlock: pointerTo(footer.posidx) },
    validxInfo: footer.validx && { rootBlock: pointerTo(footer.validx) },
    compression: footer.compression && COMPRESSION_TYPES[footer.compression],
    isTypeNullable: footer.nullable,
    dictBlockPtr: footer.dictionary && pointerTo(footer.dictionary),
    incompatibleFeatures: footer.incompatibleFeatures,
    compatibleFeatures: footer.compatibleFeatures,
    isTypeArray: footer.array,
  });
}

function pointerTo({ offset, size }: BlockLocation): BlockPointer {
  return { offset: BigInt(offset), size };
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
