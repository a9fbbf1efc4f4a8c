/** Names the bytes of an HFile block: its header of 33 bytes, body and checksums. */
import type { ByteNote } from "@cfile/format/blocks";
import type { PartKind } from "../../protocol.js";

const HEADER: readonly (readonly [number, ByteNote["role"], string])[] = [
  [8, "magic", "magic"],
  [4, "length", "size on disk without header"],
  [4, "length", "uncompressed size of the body"],
  [8, "pointer", "offset of the previous block of this kind"],
  [1, "field", "checksum type"],
  [4, "length", "bytes per checksum"],
  [4, "length", "size on disk of header and body"],
];

export function annotateHFileBlock(bytes: Uint8Array, kind: PartKind): ByteNote[] {
  if (kind === "footer" || bytes.length < 33) {
    return trailerNotes(bytes);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const notes: ByteNote[] = [];
  let at = 0;
  for (const [length, role, label] of HEADER) {
    const text =
      role === "magic"
        ? new TextDecoder().decode(bytes.subarray(at, at + 8))
        : String(length === 1 ? view.getUint8(at) : length === 4 ? view.getInt32(at) : view.getBigInt64(at));
    notes.push({ start: at, end: at + length, role, label, text });
    at += length;
  }
  const bodyEnd = Math.min(bytes.length, Math.max(at, view.getInt32(29)));
  if (bodyEnd > at) {
    notes.push({ start: at, end: bodyEnd, role: "value", label: "body, possibly compressed" });
  }
  if (bytes.length > bodyEnd) {
    const label = "checksums of header and body";
    notes.push({ start: bodyEnd, end: bytes.length, role: "checksum", label });
  }
  return notes;
}

function trailerNotes(bytes: Uint8Array): ByteNote[] {
  const end = bytes.length - 4;
  if (end < 8) {
    return [{ start: 0, end: bytes.length, role: "problem", label: "too short" }];
  }
  const version = new DataView(bytes.buffer, bytes.byteOffset + end, 4).getUint32(0);
  const magic = new TextDecoder().decode(bytes.subarray(0, 8));
  const text = `${version & 0xffffff}.${version >>> 24}`;
  return [
    { start: 0, end: 8, role: "magic", label: "magic", text: magic },
    { start: 8, end, role: "field", label: "length and protobuf message, then zeros" },
    { start: end, end: end + 4, role: "field", label: "version", text },
  ];
}
