/**
 * Records of one file group of the metadata table: cells of the base HFile, then the log blocks that count, in order
 * (docs/spec/hudi-table.md#8-reading-the-metadata-table). Only the blocks that the keys require are read: in the base file, the index
 * blocks and data blocks on the way to the keys.
 */

import { decodeAvro } from "@cfile/avro";
import { compareBytes, corrupt, utf8Bytes } from "@cfile/bytes";
import { type HFileReader, openHFile } from "@cfile/hfile";
import type { SchemaCache } from "../log/avro-rows.js";
import { deletedRecords } from "../log/delete-block.js";
import { HEADER, type LogBlock, readLogFile, requireInstant } from "../log/log-block.js";
import { deletedByRollback } from "../log/rolled-back.js";
import type { FileSlice } from "../slices/file-slices.js";
import type { TableFiles } from "../table/table-files.js";
import { recordOf } from "../timeline/content-fields.js";
import { withPath } from "../timeline/timeline.js";
import { type MetadataRecord, mergeRecords } from "./merge-records.js";

/** Which records are read: those with the given keys, those with a prefix, or all. */
export type KeySelection = { readonly keys: readonly string[] } | { readonly prefix: string };

/** A log block of records or deletes. */
type Overlay = { readonly file: HFileReader } | { readonly deleted: ReadonlySet<string> };

/** State shared by all file groups of a metadata table. */
export interface GroupContext {
  readonly files: TableFiles;
  readonly schemas: SchemaCache;
  /** The instants whose log blocks count. */
  readonly valid: () => Promise<ReadonlySet<string>>;
}

/** One file group, whose files are opened once. */
export class MetadataGroup {
  readonly slice: FileSlice;
  private readonly context: GroupContext;
  private readonly check: (file: HFileReader) => void;
  private base: Promise<HFileReader | undefined> | undefined;
  private overlays: Promise<readonly Overlay[]> | undefined;

  /** @param check throws if a file does not belong to this group */
  constructor(slice: FileSlice, context: GroupContext, check: (file: HFileReader) => void = () => {}) {
    this.slice = slice;
    this.context = context;
    this.check = check;
  }

  /** Merged records by key, in key order. @throws {CFileError} with the path, for damage */
  async read(selection: KeySelection): Promise<Map<string, MetadataRecord>> {
    this.base ??= this.openBase();
    this.overlays ??= this.openOverlays();
    const [base, overlays] = await Promise.all([this.base, this.overlays]);
    const sorted = "keys" in selection ? { keys: [...new Set(selection.keys)].sort(compareUtf8) } : selection;
    const records = new Map<string, MetadataRecord>();
    if (base !== undefined) {
      await this.merge(records, base, sorted);
    }
    for (const overlay of overlays) {
      if ("deleted" in overlay) {
        for (const key of overlay.deleted) {
          records.delete(key);
        }
      } else {
        await this.merge(records, overlay.file, sorted);
      }
    }
    return records;
  }

  /** Closes the files. */
  async close(): Promise<void> {
    await (await this.base?.catch(() => undefined))?.close();
  }

  private async merge(
    records: Map<string, MetadataRecord>,
    file: HFileReader,
    selection: KeySelection,
  ): Promise<void> {
    const decode = this.context.schemas.decoder(file.fileInfo.text("schema") ?? "", "object");
    const add = (key: string, value: Uint8Array): void => {
      if (value.length === 0) {
        records.delete(key);
      } else {
        const record = recordOf(decodeAvro(decode, value), "metadata record");
        records.set(key, mergeRecords(records.get(key), record));
      }
    };
    try {
      if ("keys" in selection) {
        const values = await file.getMany(selection.keys);
        selection.keys.forEach((key, i) => {
          const value = values[i];
          if (value !== undefined) {
            add(key, value);
          }
        });
      } else {
        for await (const cell of file.entries({ prefix: selection.prefix })) {
          add(cell.rowText, cell.value);
        }
      }
    } catch (error) {
      throw withPath(error, file.source.name);
    }
  }

  private path(name: string): string {
    const { partition } = this.slice;
    return `${partition}/${name}`;
  }

  private async openBase(): Promise<HFileReader | undefined> {
    const { baseFile } = this.slice;
    return baseFile === undefined
      ? undefined
      : this.context.files.openWith(this.path(baseFile), async (source) =>
          this.checked(await openHFile(source)),
        );
  }

  private checked(file: HFileReader): HFileReader {
    this.check(file);
    return file;
  }

  private async openOverlays(): Promise<readonly Overlay[]> {
    const { logFiles } = this.slice;
    if (logFiles.length === 0) {
      return [];
    }
    const valid = await this.context.valid();
    const found = await Promise.all(logFiles.map((name) => this.readLog(name, valid)));
    const blocks = found.flat();
    const dropped = deletedByRollback(blocks.map(({ block }) => block));
    const overlays: Overlay[] = [];
    for (const { block, path } of blocks) {
      if (valid.has(block.instant) && !dropped.has(block)) {
        overlays.push(...(await this.overlayOf(block, path)));
      }
    }
    return overlays;
  }

  private async readLog(
    name: string,
    valid: ReadonlySet<string>,
  ): Promise<{ block: LogBlock; path: string }[]> {
    const { files } = this.context;
    const path = this.path(name);
    await using source = disposable(await files.open(path));
    const found = await readLogFile(source.value);
    return found.flatMap((block) => {
      if (block.kind !== "damage") {
        requireInstant(block, files.nameOf(path));
        return { block, path: files.nameOf(path) };
      }
      if (block.instant === undefined || valid.has(block.instant)) {
        throw block.error;
      }
      return [];
    });
  }

  private async overlayOf(block: LogBlock, path: string): Promise<Overlay[]> {
    try {
      switch (block.kind) {
        case "hfile":
          return [{ file: this.checked(await openHFile(block.content)) }];
        case "delete":
          return [{ deleted: new Set(deletedRecords(block.content).map(({ key }) => key)) }];
        case "command":
          return [];
        default:
          throw corrupt(`metadata table has a log block of kind ${block.kind}`, { field: "block type" });
      }
    } catch (error) {
      throw withPath(error, `${path}, block at ${block.offset}, ${block.header.get(HEADER.instant)}`);
    }
  }
}

function disposable<T extends { close?(): Promise<void> }>(value: T) {
  return { value, [Symbol.asyncDispose]: async () => value.close?.() };
}

/** Orders text as its UTF-8 bytes, the order of keys in HFiles. */
function compareUtf8(a: string, b: string): number {
  return compareBytes(utf8Bytes(a), utf8Bytes(b));
}
