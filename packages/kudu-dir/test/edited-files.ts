/** Files of servers with changed contents. */
import { concatBytes } from "@cfile/bytes";
import { MessageReader } from "@cfile/protobuf/read";
import { messageBytes } from "@cfile/protobuf/write";
import { parseContainerFile } from "../src/blocks/container-file.js";
import { decodeTabletSuperBlockPB, type TabletSuperBlockPB } from "../src/generated/decode.js";
import { encodeTabletSuperBlockPB } from "../src/generated/encode.js";
import { containerRecord } from "../src/load/container-record.js";
import { serverFiles } from "./servers.js";

export type SuperblockChange = (superblock: TabletSuperBlockPB) => Partial<TabletSuperBlockPB>;

/** A file with a changed message. */
export function withRecord(file: Uint8Array, change: (record: Uint8Array) => Uint8Array): Uint8Array {
  const { records, offsets } = parseContainerFile(file, "metadata");
  const [record = new Uint8Array(0)] = records;
  return concatBytes([file.slice(0, offsets[0]), containerRecord(change(record))]);
}

export function changedSuperblock(file: Uint8Array, change: SuperblockChange): Uint8Array {
  return withRecord(file, (record) => {
    const superblock = decodeTabletSuperBlockPB(new MessageReader(record, "TabletSuperBlockPB"));
    return messageBytes(encodeTabletSuperBlockPB, { ...superblock, ...change(superblock) });
  });
}

/** The first file whose path contains `part`, with its path. */
export function fileWith(
  files: ReadonlyMap<string, Uint8Array>,
  part: string,
): readonly [path: string, bytes: Uint8Array] {
  const found = [...files].find(([path]) => path.includes(part));
  if (found === undefined) {
    throw new Error(`no file with ${part}`);
  }
  return found;
}

/** The server's files with a changed superblock. */
export function withSuperblock(
  tablet: string,
  change: SuperblockChange,
  files: Map<string, Uint8Array> = serverFiles("log"),
): Map<string, Uint8Array> {
  const [path, bytes] = fileWith(files, `/tablet-meta/${tablet}`);
  return files.set(path, changedSuperblock(bytes, change));
}
