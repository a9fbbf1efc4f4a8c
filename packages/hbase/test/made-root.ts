/** Makes root directories with contents that the golden ones lack. */
import { ByteBuilder, concatBytes, crc32, utf8Bytes } from "@cfile/bytes";
import type { HFileCellInput } from "@cfile/hfile";
import { HFileWriter, type HFileWriterOptions } from "@cfile/hfile/write";
import { memorySink, memoryTree } from "@cfile/io";
import { messageBytes } from "@cfile/protobuf/write";
import { writeLengthPrefixed } from "@cfile/varint";
import type { LogHeader, LogKey, RegionInfoMessage, StoreFileList } from "../src/generated/decode.js";
import {
  encodeLogHeader,
  encodeLogKey,
  encodeRegionInfoMessage,
  encodeStoreFileList,
  encodeTableSchema,
} from "../src/generated/encode.js";
import { type HBaseRoot, openHBaseRoot } from "../src/index.js";
import { encodedRegionName } from "../src/root/region-info.js";

export type Files = Map<string, Uint8Array>;

const TABLE = { namespace: utf8Bytes("default"), qualifier: utf8Bytes("t") };
const PBUF = utf8Bytes("PBUF");

export interface MadeTable {
  /** Attributes of the families. */
  readonly families?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Start rows of the regions. Default: one region. */
  readonly splits?: readonly string[];
}

/** The encoded name of the region that starts at a row. */
export function regionAt(start = ""): string {
  return encodedRegionName({ namespace: "default", table: "t" }, utf8Bytes(start), 7);
}

/** A table `t` without cells. */
export function madeTable({ families = { f: {} }, splits = [""] }: MadeTable = {}): Files {
  const files: Files = new Map();
  const schema = messageBytes(encodeTableSchema, {
    tableName: TABLE,
    attributes: [],
    families: Object.entries(families).map(([name, attributes]) => ({
      name: utf8Bytes(name),
      attributes: Object.entries(attributes).map(([key, value]) => ({
        key: utf8Bytes(key),
        value: utf8Bytes(value),
      })),
      configuration: [],
    })),
    configuration: [],
  });
  files.set("data/default/t/.tabledesc/.tableinfo.0000000001", concatBytes([PBUF, schema]));
  for (const [i, start] of splits.entries()) {
    const info = { startKey: utf8Bytes(start), endKey: utf8Bytes(splits[i + 1] ?? "") };
    files.set(`data/default/t/${regionAt(start)}/.regioninfo`, regionInfoBytes(info));
  }
  return files;
}

/** A `.regioninfo` of the table `t`. */
export function regionInfoBytes(message: RegionInfoMessage): Uint8Array {
  return concatBytes([
    PBUF,
    prefixed(messageBytes(encodeRegionInfoMessage, { regionId: 7, tableName: TABLE, ...message })),
  ]);
}

/** The path of a store file in the region that starts at a row. */
export function storePath(name: string, { family = "f", start = "" } = {}): string {
  return `data/default/t/${regionAt(start)}/${family}/${name}`;
}

/** A cell of the column `f:q`, at timestamp 5. */
export function cellOf(row: string, value: string, more: Partial<HFileCellInput> = {}): HFileCellInput {
  return { row, value, family: utf8Bytes("f"), qualifier: utf8Bytes("q"), timestamp: 5n, ...more };
}

/** An HFile. @param info entries of its file info */
export async function hfileBytes(
  cells: readonly HFileCellInput[],
  info: Readonly<Record<string, Uint8Array>> = {},
  options: HFileWriterOptions = {},
): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new HFileWriter(sink, { profile: "hbase", ...options });
  for (const [key, value] of Object.entries(info)) {
    writer.addFileInfo(key, value);
  }
  for (const cell of cells) {
    await writer.append(cell);
  }
  await writer.finish();
  return sink.bytes();
}

export function openMade(files: Files): Promise<HBaseRoot> {
  return openHBaseRoot(memoryTree(files));
}

/** A big-endian 64-bit integer. */
export function i64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, value);
  return bytes;
}

export function i32(value: number): Uint8Array {
  return i64(BigInt(value)).slice(4);
}

/** A list of store files. */
export function listBytes(list: StoreFileList): Uint8Array {
  const message = messageBytes(encodeStoreFileList, list);
  return concatBytes([i32(message.length), message, i32(crc32(message, 0, message.length))]);
}

/** An entry of a write-ahead log. Default: without cells. */
export interface MadeEntry {
  readonly key?: Partial<LogKey>;
  readonly cells?: readonly Uint8Array[];
}

/** A write-ahead log, with a trailer unless it is open. */
export function logBytes(
  entries: readonly MadeEntry[],
  { header = {}, isOpen = false }: { readonly header?: LogHeader; readonly isOpen?: boolean } = {},
): Uint8Array {
  const parts = [utf8Bytes("PWAL"), prefixed(messageBytes(encodeLogHeader, header))];
  for (const { key, cells = [] } of entries) {
    const message = {
      region: utf8Bytes(regionAt()),
      table: utf8Bytes("t"),
      sequenceId: 1,
      cells: cells.length,
      ...key,
    };
    parts.push(prefixed(messageBytes(encodeLogKey, message)), ...cells);
  }
  return concatBytes([...parts, ...(isOpen ? [] : [i32(0), utf8Bytes("LAWP")])]);
}

/** A cell of a log: `f:q` at timestamp 5, a put. @param tags tags with their length; empty by default */
export function loggedCell(row: string, value: string, tags = new Uint8Array(0)): Uint8Array {
  const key = concatBytes([
    i32(row.length).slice(2),
    utf8Bytes(row),
    utf8Bytes("\u0001fq"),
    i64(5n),
    Uint8Array.of(4),
  ]);
  return sized([i32(key.length), i32(value.length), key, utf8Bytes(value), tags]);
}

/** Parts, preceded by their length. */
export function sized(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = concatBytes(parts);
  return concatBytes([i32(bytes.length), bytes]);
}

function prefixed(message: Uint8Array): Uint8Array {
  const out = new ByteBuilder();
  writeLengthPrefixed(out, message);
  return out.finish();
}
