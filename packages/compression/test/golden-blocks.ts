/** Compressed blocks of golden CFiles: every block that is reachable from the footer and the index trees. */

import { ByteReader, crc32c } from "@cfile/bytes";
import { readBlockPointer, readLengthPrefixed, readVarint32 } from "@cfile/varint";
import { readGolden } from "@cfile-tools/testkit";
import { expect } from "vitest";
import type { Codec } from "../src/index.js";

/** A block as its wrapper holds it (docs/spec/cfile.md#6-compression-wrapper). */
export interface WrappedBlock {
  /** Offset of the block in its file. */
  readonly offset: number;
  /** The bytes after the size word: a compressed stream, or the block itself if `raw`. */
  readonly stored: Uint8Array;
  readonly size: number;
  readonly raw: boolean;
}

interface Pointer {
  readonly offset: number;
  readonly size: number;
}

/** All blocks of a golden version 2 file that was written with `codec`. Checksums are checked. */
export function goldenBlocks(name: string, codec: Codec): WrappedBlock[] {
  const bytes = readGolden(`${name}.cfile`);
  const { pointers, checksums } = footerPointers(bytes);
  const blocks: WrappedBlock[] = [];
  const visit = ({ offset, size }: Pointer, isIndex: boolean): void => {
    const view = new DataView(bytes.buffer, offset, size);
    const end = offset + size - (checksums ? 4 : 0);
    if (checksums) {
      expect(crc32c(bytes.subarray(offset, end)), "block checksum").toBe(view.getUint32(size - 4, true));
    }
    const stored = bytes.slice(offset + 4, end);
    const block = {
      offset,
      stored,
      size: view.getUint32(0, true),
      raw: stored.length === view.getUint32(0, true),
    };
    blocks.push(block);
    if (isIndex) {
      const content = block.raw ? stored : new Uint8Array(block.size);
      if (!block.raw) {
        codec.decompress(stored, content);
      }
      const { leaf, children } = indexPointers(content);
      for (const child of children) {
        visit(child, !leaf);
      }
    }
  };
  for (const { pointer, isIndex } of pointers) {
    visit(pointer, isIndex);
  }
  return blocks;
}

/** The roots of the index trees and the dictionary: fields 4, 5 and 9 of the footer. */
function footerPointers(bytes: Uint8Array) {
  const length = new DataView(bytes.buffer).getUint32(bytes.length - 4, true);
  const reader = new ByteReader(bytes, bytes.length - 12 - length, bytes.length - 12);
  const pointers: { pointer: Pointer; isIndex: boolean }[] = [];
  let features = 0;
  while (reader.remaining > 0) {
    const tag = readVarint32(reader, "tag");
    const field = tag >>> 3;
    if ((tag & 7) === 0) {
      const value = readVarint32(reader, "value");
      features = field === 10 ? value : features;
      continue;
    }
    const message = new ByteReader(readLengthPrefixed(reader, "message"));
    if (field === 4 || field === 5) {
      message.skip(2, "root block");
    }
    if (field === 4 || field === 5 || field === 9) {
      message.skip(1, "tag");
      const offset = readVarint32(message, "offset");
      message.skip(1, "tag");
      pointers.push({ pointer: { offset, size: readVarint32(message, "size") }, isIndex: field !== 9 });
    }
  }
  return { pointers, checksums: (features & 1) === 1 };
}

/** The pointers of an index block (docs/spec/cfile.md#71-index-block). */
function indexPointers(block: Uint8Array) {
  const view = new DataView(block.buffer, block.byteOffset, block.length);
  const trailer = new ByteReader(block, block.length - 4 - view.getUint32(block.length - 4, true));
  trailer.skip(1, "tag");
  const count = readVarint32(trailer, "entries");
  trailer.skip(1, "tag");
  const leaf = trailer.u8("kind") === 0;
  const entries = new ByteReader(block);
  const children: Pointer[] = [];
  for (let i = 0; i < count; i++) {
    readLengthPrefixed(entries, "key");
    children.push(readBlockPointer(entries));
  }
  return { leaf, children };
}
