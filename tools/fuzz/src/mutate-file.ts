/**
 * Mutates the structure of a file. Fields get numbers that break readers, blocks are swapped, and the
 * footer makes false claims. Checksums are corrected, so that readers reach the damage.
 */
import { type BlockLocation, crc32c } from "@cfile/bytes";
import type { CFileFooter } from "@cfile/format";
import { encodeFooter } from "@cfile/format/write";
import type { GoldenFile } from "./files/golden-file.js";
import type { Mutation } from "./harness.js";
import { mutateFields } from "./mutate-fields.js";
import type { Random } from "./random.js";

const CHECKSUM = 4;

export function mutateFile(file: GoldenFile, random: Random): Mutation {
  let bytes: Uint8Array = file.bytes.slice();
  const steps: string[] = [];
  for (let left = 1 + random.below(3); left > 0; left--) {
    const kind = random.below(12);
    const block = file.blocks.length > 0 ? random.pick(file.blocks) : undefined;
    if (kind <= 5 && block !== undefined && block.offset + block.size <= bytes.length) {
      steps.push(...mutateBlock(bytes, block, file.checksums, random));
    } else if (kind === 6 && block !== undefined) {
      steps.push(moveBlock(bytes, block, random.pick(file.blocks), random));
    } else if (kind === 7 && block !== undefined) {
      steps.push(truncateBlock(bytes, block, file.checksums, random));
    } else if (kind <= 9) {
      const changed = changeFooter(file, bytes, random);
      bytes = changed.bytes;
      steps.push(...changed.steps);
    } else if (kind === 10) {
      const length = random.below(bytes.length + 1);
      bytes = bytes.slice(0, length);
      steps.push(`cut to ${length}`);
    } else if (bytes.length > 0) {
      const at = random.below(bytes.length);
      bytes[at] = random.below(256);
      steps.push(`byte ${at} is ${bytes[at]}`);
    }
  }
  return { bytes, steps };
}

/** Changes fields of a block without changing its size: extra bytes are dropped, missing ones are zeros. */
function mutateBlock(bytes: Uint8Array, block: BlockLocation, checksums: boolean, random: Random): string[] {
  const { offset, size } = block;
  const content = Math.max(0, size - (checksums ? CHECKSUM : 0));
  const changed = mutateFields(bytes.slice(offset, offset + content), random);
  bytes.fill(0, offset, offset + content);
  bytes.set(changed.bytes.subarray(0, content), offset);
  seal(bytes, block, checksums);
  return changed.steps.map((step) => `block ${offset}: ${step}`);
}

function seal(bytes: Uint8Array, { offset, size }: BlockLocation, checksums: boolean): void {
  if (checksums && size >= CHECKSUM && offset + size <= bytes.length) {
    const end = offset + size - CHECKSUM;
    new DataView(bytes.buffer, bytes.byteOffset).setUint32(end, crc32c(bytes, offset, end), true);
  }
}

/** Swaps two blocks, or copies one over the other, up to the length of the shorter one. */
function moveBlock(bytes: Uint8Array, one: BlockLocation, two: BlockLocation, random: Random): string {
  const size = Math.min(one.size, two.size);
  const first = bytes.slice(one.offset, one.offset + size);
  const second = bytes.slice(two.offset, two.offset + size);
  if (one.offset + size > bytes.length || two.offset + size > bytes.length) {
    return "nothing";
  }
  bytes.set(first, two.offset);
  const swaps = random.below(2) === 0;
  if (swaps) {
    bytes.set(second, one.offset);
  }
  return `${swaps ? "swapped" : "copied"} ${one.offset} and ${two.offset}`;
}

function truncateBlock(bytes: Uint8Array, block: BlockLocation, checksums: boolean, random: Random): string {
  const kept = random.below(block.size);
  if (block.offset + block.size > bytes.length) {
    return "nothing";
  }
  bytes.fill(0, block.offset + kept, block.offset + block.size);
  seal(bytes, block, checksums);
  return `block ${block.offset} ends after ${kept}`;
}

function changeFooter(file: GoldenFile, bytes: Uint8Array, random: Random): Mutation {
  const change = footerChange(file, random);
  const protobuf = encodeFooter({ ...file.footer, ...change });
  const before = bytes.subarray(0, Math.min(bytes.length, file.footerStart));
  const covered = new Uint8Array(protobuf.length + 12);
  covered.set(protobuf);
  covered.set(file.bytes.subarray(-12, -4), protobuf.length);
  const view = new DataView(covered.buffer);
  view.setUint32(covered.length - 4, protobuf.length, true);
  const sealed = file.checksums ? CHECKSUM : 0;
  const out = new Uint8Array(before.length + sealed + covered.length);
  out.set(before);
  out.set(covered, before.length + sealed);
  if (sealed > 0) {
    new DataView(out.buffer).setUint32(before.length, crc32c(covered), true);
  }
  return { bytes: out, steps: [`footer ${JSON.stringify(change)}`] };
}

function footerChange({ footer, blocks, bytes }: GoldenFile, random: Random): Partial<CFileFooter> {
  const anywhere = (): BlockLocation =>
    random.below(2) === 0 && blocks.length > 0
      ? random.pick(blocks)
      : {
          offset: random.below(bytes.length + 10),
          size: random.pick([0, 1, 4, 20, bytes.length, 0x7fffffff]),
        };
  switch (random.below(9)) {
    case 0:
      return {
        rowCount: random.pick([
          0,
          1,
          footer.rowCount + 1,
          Math.max(0, footer.rowCount - 1),
          2 ** 31,
          2 ** 32 - 2,
        ]),
      };
    case 1:
      return {
        dataType: random.pick(["INT8", "INT32", "UINT64", "STRING", "BOOL", "DOUBLE", "INT128"] as const),
      };
    case 2:
      return {
        encoding: random.pick([
          "PLAIN_ENCODING",
          "RLE",
          "PREFIX_ENCODING",
          "BIT_SHUFFLE",
          "DICT_ENCODING",
        ] as const),
      };
    case 3:
      return { compression: random.pick(["NO_COMPRESSION", "LZ4", "SNAPPY", "ZLIB"] as const) };
    case 4:
      return { nullable: !(footer.nullable ?? false) };
    case 5:
      return { posidx: random.below(4) === 0 ? undefined : anywhere() };
    case 6:
      return { validx: random.below(4) === 0 ? undefined : anywhere() };
    case 7:
      return { dictionary: random.below(4) === 0 ? undefined : anywhere() };
    default:
      return footer.array === true
        ? { array: undefined, incompatibleFeatures: (footer.incompatibleFeatures ?? 0) & 1 }
        : { array: true, incompatibleFeatures: (footer.incompatibleFeatures ?? 0) | 2 };
  }
}
