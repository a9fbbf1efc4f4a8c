/**
 * The list of the store file tracker `FILE` (docs/spec/hbase-table.md#45-file-store-file-tracker): a file that is not listed does not
 * count. `.filelist/f1.T` and `f2.T` are written alternately:
 *
 * | size | field |
 * | --- | --- |
 * | 4 | length n, big-endian |
 * | n | message StoreFileList |
 * | 4 | CRC-32 of the message, big-endian |
 */
import { ByteReader, CFileError, corrupt, crc32, isCFileError } from "@cfile/bytes";
import type { FileTree } from "@cfile/io";
import { MessageReader } from "@cfile/protobuf/read";
import { decodeStoreFileList, type StoreFileList } from "../generated/decode.js";
import { filesIn, parseFile } from "../root/tree-files.js";

const LIST_NAME = /^f[12](?:\.(\d+))?$/;
const VERSION = 1;

/**
 * Names of the listed files; empty if nothing was ever listed.
 * @throws {CFileError} `E_CORRUPT`, `E_CHECKSUM`, `E_TRUNCATED` when no list is valid, `E_UNSUPPORTED` for a newer version
 */
export async function trackedFiles(tree: FileTree, familyFolder: string): Promise<readonly string[]> {
  const folder = `${familyFolder}/.filelist`;
  const names = (await filesIn(tree, folder)).filter((name) => LIST_NAME.test(name));
  const newest = Math.max(...names.map(timeOf));
  let list: StoreFileList | undefined;
  let failure: unknown;
  for (const name of names.filter((each) => timeOf(each) === newest)) {
    try {
      const other = await parseFile(tree, `${folder}/${name}`, parseFileList);
      list = list === undefined || (other.timestamp ?? 0) > (list.timestamp ?? 0) ? other : list;
    } catch (error) {
      // HBase writes f1 and f2 alternately: a crash may leave one of them incomplete.
      if (!isCFileError(error) || error.code === "E_UNSUPPORTED" || error.code === "E_IO") {
        throw error;
      }
      failure = error;
    }
  }
  if (list === undefined && failure !== undefined) {
    throw failure;
  }
  return (list?.files ?? []).map(({ name }) => {
    if (name === undefined) {
      throw corrupt("a listed store file has no name", { path: `${tree.name}/${folder}`, field: "name" });
    }
    return name;
  });
}

function timeOf(name: string): number {
  return Number(LIST_NAME.exec(name)?.[1] ?? 0);
}

/** @throws {CFileError} `E_CHECKSUM`, `E_TRUNCATED`, `E_CORRUPT`, `E_UNSUPPORTED` */
export function parseFileList(bytes: Uint8Array): StoreFileList {
  const reader = new ByteReader(bytes);
  const message = reader.take(reader.u32be("list length"), "store file list");
  const expected = reader.u32be("list checksum");
  const actual = crc32(message, 0, message.length);
  if (actual !== expected) {
    const details = { field: "list checksum", expected, actual };
    throw new CFileError("E_CHECKSUM", "CRC-32 mismatch in the list of store files", details);
  }
  const list = decodeStoreFileList(new MessageReader(message, "store file list"));
  const { version = VERSION } = list;
  if (version > VERSION) {
    const details = { field: "version", expected: VERSION, actual: version };
    throw new CFileError("E_UNSUPPORTED", `unsupported version ${version} of the store file list`, details);
  }
  return list;
}
