/** The kinds of bytes that a page can show live; each is lazily loaded. */
import type { Structure } from "./reading.js";

export const STRUCTURES = {
  varint: async () => (await import("./structures/numbers.js")).varint,
  "group-varint": async () => (await import("./structures/numbers.js")).groupVarint,
  "block-pointer": async () => (await import("./structures/numbers.js")).blockPointer,
  "length-prefixed": async () => (await import("./structures/numbers.js")).lengthPrefixed,
  "memcmp-varint": async () => (await import("./structures/numbers.js")).memcmpVarint,
  rle: async () => (await import("./structures/rle.js")).rle,
  block: async () => (await import("./structures/blocks.js")).block,
  dictionary: async () => (await import("./structures/blocks.js")).dictionary,
  stored: async () => (await import("./structures/blocks.js")).stored,
  checksum: async () => (await import("./structures/blocks.js")).checksum,
  header: async () => (await import("./structures/file-parts.js")).header,
  footer: async () => (await import("./structures/file-parts.js")).footer,
  file: async () => (await import("./structures/file-parts.js")).file,
  "index-block": async () => (await import("./structures/index-keys.js")).indexBlock,
  "composite-key": async () => (await import("./structures/index-keys.js")).compositeKey,
  "value-key": async () => (await import("./structures/index-keys.js")).valueKey,
  bloom: async () => (await import("./structures/bloom.js")).bloom,
  "metadata-record": async () => (await import("./structures/metadata-record.js")).metadataRecord,
  delta: async () => (await import("./structures/delta.js")).delta,
} satisfies Record<string, () => Promise<Structure>>;

export type StructureName = keyof typeof STRUCTURES;
