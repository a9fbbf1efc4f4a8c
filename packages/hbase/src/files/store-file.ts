/** An open store file of a region: an HFile, or the part of one that a link or reference names, and its age among the files. */
import { type CacheBudget, type CFileError, compareBytes, findingOf, withErrorContext } from "@cfile/bytes";
import { FileInfo, type HFileReader, openHFile } from "@cfile/hfile";
import { type FileTree, sizeOf } from "@cfile/io";
import { BloomFilter, compareRowKeys } from "../bloom/bloom-filter.js";
import { compareRowColumnKeys } from "../bloom/bloom-key.js";
import { parseBloomMeta } from "../bloom/bloom-meta.js";
import type { RegionInfo } from "../root/region-info.js";
import type { DamageLedger } from "./damage-ledger.js";
import { type FileFacts, fileFacts } from "./file-facts.js";
import { bulkLoadSequenceId, parseStoreFileName, type StoreFileName } from "./file-name.js";
import { candidatePaths, firstPresent } from "./file-places.js";
import { type CellFile, recordMissing, recoveredFile } from "./recovered-cells.js";
import type { FileReference, RowBounds } from "./reference.js";

/** A store file of a region before it is opened. */
export interface NamedFile {
  /** Its name in the region's folder or the snapshot's manifest. */
  readonly name: string;
  readonly parsed: StoreFileName;
  /** For references, which rows count. */
  readonly reference: FileReference | undefined;
  /** Size according to the manifest of a snapshot. */
  readonly size: number | undefined;
}

/** Memory that open files share. */
export interface StoreMemory {
  /** Budget for data blocks and the chunks of Bloom filters. */
  readonly blocks: CacheBudget;
  /** Budget for index blocks. */
  readonly indexes: CacheBudget;
}

/** The two Bloom filters of a file. */
export interface FileBlooms {
  /** Contains rows, row prefixes, or rows with columns. */
  readonly general: BloomFilter | undefined;
  /** Contains the rows with deleted families, or deleted versions of families. */
  readonly deleteFamily: BloomFilter | undefined;
}

/** An open store file of a family in a region. */
export interface StoreFile {
  readonly name: string;
  /** Path of the HFile below the root directory. */
  readonly path: string;
  readonly kind: StoreFileName["kind"];
  readonly reference: FileReference | undefined;
  readonly hfile: CellFile;
  readonly facts: FileFacts;
  /** Greatest sequence ID of the file's cells; -1 if unknown. */
  readonly sequenceId: number;
  /** Sequence ID of all cells, for a bulk-loaded file. */
  readonly cellSequenceId: number | undefined;
  readonly size: number;
  /** Rows of the region that the file may have. */
  readonly bounds: RowBounds;
  readonly blooms: FileBlooms;
}

/** A store file, by its name in a folder or manifest. @throws {CFileError} `E_CORRUPT` for an invalid name */
export function namedFile(
  name: string,
  { table, encodedName }: Pick<RegionInfo, "table" | "encodedName">,
  rest: Partial<Pick<NamedFile, "reference" | "size">> = {},
): NamedFile {
  const { reference, size } = rest;
  return { name, parsed: parseStoreFileName(name, table, encodedName), reference, size };
}

/** The location of a family's files, and what they share. */
export interface FamilyPlace {
  readonly tree: FileTree;
  readonly region: RegionInfo;
  readonly family: string;
  readonly memory: StoreMemory;
  /** Where losses are recorded; `undefined` to fail for damaged and missing files. */
  readonly ledger: DamageLedger | undefined;
}

/**
 * Opens the HFile of a store file, wherever it is. With a ledger, damage is recorded there, and a missing file is `undefined`.
 * @throws {CFileError} `E_BLOCK_MISSING` when it is missing; as `openHFile`
 */
export async function openStoreFile(file: NamedFile, place: FamilyPlace): Promise<StoreFile | undefined> {
  const { tree, family, memory, ledger } = place;
  const paths = candidatePaths(file.parsed.place, family);
  if (ledger !== undefined) {
    return openRecovered(file, place, paths, ledger);
  }
  return firstPresent(tree, paths, async (path) => {
    const hfile = await openTreeHFile(tree, path, memory);
    try {
      return withErrorContext({ path: hfile.source.name }, () => {
        const facts = fileFacts(hfile.fileInfo);
        const { fileSize: size } = hfile.structure;
        return storeFile(file, place, { path, hfile, facts, size, blooms: bloomsOf(hfile, facts, memory) });
      });
    } catch (error) {
      await hfile.close();
      throw error;
    }
  });
}

/** Opens a file without its Bloom filters, which may be damaged. */
async function openRecovered(
  file: NamedFile,
  place: FamilyPlace,
  paths: readonly string[],
  ledger: DamageLedger,
): Promise<StoreFile | undefined> {
  const { tree, region, family, memory } = place;
  const where = { region: region.encodedName, family, file: file.name, ledger };
  try {
    return await firstPresent(tree, paths, async (path) => {
      const source = await tree.openSource(path);
      const size = await sizeOf(source).finally(() => source.close?.());
      let opened: HFileReader | undefined;
      let facts: FileFacts | undefined;
      let problem: CFileError | undefined;
      try {
        opened = await openTreeHFile(tree, path, memory);
        facts = fileFacts(opened.fileInfo);
      } catch (error) {
        problem = findingOf(error);
      }
      const hfile = recoveredFile(tree, { ...where, path }, opened, problem);
      const blooms = { general: undefined, deleteFamily: undefined };
      return storeFile(file, place, {
        path,
        hfile,
        facts: facts ?? fileFacts(new FileInfo([])),
        size,
        blooms,
      });
    });
  } catch (error) {
    recordMissing({ ...where, path: String(paths[0]) }, error);
    return undefined;
  }
}

function storeFile(
  { name, parsed, reference }: NamedFile,
  { region }: FamilyPlace,
  found: Pick<StoreFile, "path" | "hfile" | "facts" | "size" | "blooms">,
): StoreFile {
  const bulkId = bulkLoadSequenceId(parsed.place.hfile);
  const { facts } = found;
  const sequenceId = (bulkId ?? facts.maxSequenceId ?? -1) + (reference?.side === "top" ? 1 : 0);
  return {
    name,
    kind: parsed.kind,
    reference,
    ...found,
    sequenceId,
    cellSequenceId: bulkId === undefined || facts.keepsSequenceIds ? undefined : sequenceId,
    bounds: boundsOf(region, reference),
  };
}

/** Opens an HFile of a tree; closes its source when that fails. */
export async function openTreeHFile(tree: FileTree, path: string, memory: StoreMemory): Promise<HFileReader> {
  const source = await tree.openSource(path);
  try {
    return await openHFile(source, { cacheBytes: memory.blocks, indexCacheBytes: memory.indexes });
  } catch (error) {
    await source.close?.();
    throw error;
  }
}

/** The rows of a region, or of a reference in it. */
export function boundsOf(region: RegionInfo, reference?: FileReference | undefined): RowBounds {
  const { startKey, endKey } = region;
  const from = reference?.side === "top" ? laterRow(startKey, reference.row) : startKey;
  const to = endKey.length === 0 ? undefined : endKey;
  const isCut = reference?.side === "bottom" && (to === undefined || compareBytes(reference.row, to) < 0);
  return { from: from.length === 0 ? undefined : from, to: isCut ? reference.row : to };
}

function laterRow(left: Uint8Array, right: Uint8Array): Uint8Array {
  return compareBytes(left, right) > 0 ? left : right;
}

/** The filters of a file; their chunks are read on demand. @throws {CFileError} for damaged metadata */
export function bloomsOf(hfile: HFileReader, facts: FileFacts, { blocks }: StoreMemory): FileBlooms {
  const filter = (
    kind: "general bloom meta" | "delete family bloom meta",
    compare: typeof compareRowKeys,
  ): BloomFilter | undefined => {
    const body = hfile.bloomMeta(kind);
    return body && new BloomFilter(parseBloomMeta(body), hfile.structure, compare, blocks);
  };
  const isRowColumn = facts.bloomType === "ROWCOL";
  return {
    general:
      facts.bloomType === "NONE"
        ? undefined
        : filter("general bloom meta", isRowColumn ? compareRowColumnKeys : compareRowKeys),
    deleteFamily: filter("delete family bloom meta", compareRowKeys),
  };
}

/** Order of files: older first (docs/spec/hbase-table.md#44-sequence-ids-and-file-order). */
export function compareAge(left: StoreFile, right: StoreFile): number {
  return (
    left.sequenceId - right.sequenceId ||
    right.size - left.size ||
    Number(left.facts.bulkLoadTime - right.facts.bulkLoadTime) ||
    (left.name < right.name ? -1 : 1)
  );
}
