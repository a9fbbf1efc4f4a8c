/** The structure of an HFile, without reading its data blocks. */
import { toHex } from "@cfile/bytes";
import { clipped, printable } from "@cfile/cell-text";
import type { HFileReader } from "@cfile/hfile";
import type { ReportOptions } from "../files/file-report.js";
import { moreLines } from "../files/more-lines.js";
import { counted, countText, sizeText } from "../records/quantity.js";
import { factLines, left, right, tableLines } from "../records/table.js";

const isReadable = (text: string): boolean => /^[\x20-\x7e]+$/.test(text);

function shown(bytes: Uint8Array, width: number): string {
  const text = new TextDecoder().decode(bytes);
  return clipped(isReadable(text) ? text : toHex(bytes), width);
}

/** Human-readable lines. */
export function hfileReport(file: HFileReader, path: string, options: ReportOptions): readonly string[] {
  const { style, width, maxBlocks } = options;
  const { structure, trailer, fileInfo, lastRow } = file;
  const { dataIndex, metaIndex, layout, loadOnOpen } = structure;
  const facts: readonly (readonly [string, string])[] = [
    ["kind", `HFile ${trailer.majorVersion}.${trailer.minorVersion}, ${file.profile}`],
    ["size", `${sizeText(structure.fileSize)} (${countText(structure.fileSize)} bytes)`],
    ["cells", countText(file.entryCount)],
    ["codec", trailer.codec.toLowerCase()],
    ["parts", ["key, value", ...(layout.tags ? ["tags"] : []), ...(layout.mvcc ? ["MVCC"] : [])].join(", ")],
    ["index", `${counted(trailer.indexLevels, "level")}, root of ${dataIndex.length}`],
    ["comparator", printable(trailer.comparator)],
    ...(lastRow === undefined ? [] : [["last key", printable(shown(lastRow, width - 14))] as const]),
  ];
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : ["", style("bold", title), ...lines];
  const listed = Math.min(maxBlocks, dataIndex.length);
  const entries = Array.from({ length: listed }, (_, i) => [
    `${dataIndex.offset(i)}`,
    `${dataIndex.size(i)}`,
    printable(shown(dataIndex.row(i), 50)),
  ]);
  const columns = [right("offset"), right("bytes"), left("key")];
  const names = file.metaBlockNames;
  return [
    style("bold", printable(path)),
    ...factLines(facts),
    ...section(
      "File info",
      fileInfo.entries.map(
        ({ key, value }) =>
          `  ${printable(new TextDecoder().decode(key))}  ${printable(shown(value, width / 2))}`,
      ),
    ),
    ...section("Root index", dataIndex.length === 0 ? [] : tableLines(columns, entries)),
    ...moreLines(dataIndex.length, listed, "block"),
    ...section(
      "Meta blocks",
      names.map(
        (name, i) => `  ${printable(name)}  ${sizeText(metaIndex.size(i))} at ${metaIndex.offset(i)}`,
      ),
    ),
    ...section(
      "Read on opening",
      loadOnOpen.map(({ kind, offset, size }) => `  ${kind}  ${sizeText(size)} at ${offset}`),
    ),
  ];
}

/** JSON; bytes are hexadecimal. */
export async function hfileJson(file: HFileReader): Promise<object> {
  const { structure, trailer, fileInfo, lastRow, metaBlockNames } = file;
  const { dataIndex, metaIndex, layout, loadOnOpen } = structure;
  return {
    kind: "hfile",
    profile: file.profile,
    size: structure.fileSize,
    compression: trailer.codec,
    entry_count: file.entryCount,
    last_key: lastRow === undefined ? null : toHex(lastRow),
    tags: layout.tags,
    mvcc: layout.mvcc,
    trailer: {
      major_version: trailer.majorVersion,
      minor_version: trailer.minorVersion,
      file_info_offset: trailer.fileInfoOffset,
      load_on_open_offset: trailer.loadOnOpenOffset,
      uncompressed_data_index_size: trailer.uncompressedDataIndexSize,
      total_uncompressed_bytes: trailer.totalUncompressedBytes,
      data_index_count: trailer.dataIndexCount,
      meta_index_count: trailer.metaIndexCount,
      index_levels: trailer.indexLevels,
      first_data_block_offset: trailer.firstDataBlockOffset,
      last_data_block_offset: trailer.lastDataBlockOffset,
      comparator: trailer.comparator,
    },
    file_info: Object.fromEntries(
      fileInfo.entries.map(({ key, value }) => [new TextDecoder().decode(key), toHex(value)]),
    ),
    root_index: Array.from(dataIndex.offsets, (offset, i) => ({
      offset,
      size: dataIndex.size(i),
      key: toHex(dataIndex.row(i)),
    })),
    meta_blocks: metaBlockNames.map((name, i) => ({
      name,
      offset: metaIndex.offset(i),
      size: metaIndex.size(i),
    })),
    load_on_open: loadOnOpen,
  };
}
