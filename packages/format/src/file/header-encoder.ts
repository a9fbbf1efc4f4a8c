/** The bytes of a header; `header.ts` has their layout and reads them. */
import { ByteBuilder, crc32c } from "@cfile/bytes";
import { messageBytes } from "@cfile/protobuf/write";
import { encodeHeader as encodeFields } from "../generated/encode.js";
import { magicOf } from "./magic.js";
import type { MetadataPair } from "./metadata.js";

/** The whole header as it stands at the start of a version 2 file. */
export function encodeHeader(metadata: readonly MetadataPair[], checksums: boolean): Uint8Array {
  const protobuf = messageBytes(encodeFields, { metadata });
  const out = new ByteBuilder(protobuf.length + 16);
  out.append(magicOf(2));
  out.u32le(protobuf.length);
  out.append(protobuf);
  if (checksums) {
    out.u32le(crc32c(out.view8()));
  }
  return out.finish();
}
