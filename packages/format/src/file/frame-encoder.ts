/** Encodes headers and footers; `header.ts` and `footer.ts` describe and read their bytes. */
import { type BlockLocation, ByteBuilder, crc32c } from "@cfile/bytes";
import { COMPRESSION_TYPES } from "@cfile/compression";
import { DATA_TYPES, ENCODING_TYPES } from "@cfile/encodings";
import { messageBytes } from "@cfile/protobuf/write";
import type { BlockPointer } from "../generated/decode.js";
import {
  encodeFooter as encodeFooterFields,
  encodeHeader as encodeHeaderFields,
} from "../generated/encode.js";
import type { CFileFooter } from "./footer.js";
import { type CFileVersion, MAGIC_AND_LENGTH, magicOf } from "./magic.js";
import type { MetadataPair } from "./metadata.js";

/** The whole header of a version 2 file, frame included. */
export function encodeHeader(metadata: readonly MetadataPair[], checksums: boolean): Uint8Array {
  const protobuf = messageBytes(encodeHeaderFields, { metadata });
  const out = new ByteBuilder(protobuf.length + MAGIC_AND_LENGTH + 4);
  out.append(magicOf(2));
  out.u32le(protobuf.length);
  out.append(protobuf);
  if (checksums) {
    out.u32le(crc32c(out.view8()));
  }
  return out.finish();
}

/** The protobuf of a footer, fields in Kudu's order; `undefined` fields are omitted. */
export function encodeFooter(footer: CFileFooter): Uint8Array {
  return messageBytes(encodeFooterFields, {
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

/** The whole footer of a file, from its protobuf. */
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
