/** Annotates stored blocks (docs/spec/cfile.md#19-checksum and docs/spec/cfile.md#6-compression-wrapper): size words, content, checksum. */
import { type BlockWrapping, CHECKSUM_LENGTH, hex32 } from "../blocks/block-wrapper.js";
import { type ByteNote, ByteNotes } from "./byte-note.js";

/** Notes on a block as stored in the file; its content is one note. Never throws. */
export function annotateStoredBlock(
  stored: Uint8Array,
  { codec, version, checksums }: BlockWrapping,
): ByteNote[] {
  return ByteNotes.of(stored, (notes) => {
    const end = stored.length - (checksums ? CHECKSUM_LENGTH : 0);
    if (codec === undefined) {
      notes.skip(Math.max(0, end), "value", "content", "not compressed");
    } else {
      if (version === 1) {
        notes.u32le("length", "compressed size");
      }
      const size = notes.u32le("length", "uncompressed size");
      const length = end - notes.position;
      const isRaw = version === 2 && length === size;
      notes.skip(
        Math.max(0, length),
        "compressed",
        isRaw ? "content, stored uncompressed" : "compressed content",
      );
    }
    if (checksums) {
      notes.u32le("checksum", "CRC-32C of all preceding bytes", hex32);
    }
  });
}
