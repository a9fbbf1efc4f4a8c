/** Opens a file by its content, not its name. */
import { CFileError, findingOf } from "@cfile/bytes";
import { openCFile } from "@cfile/format";
import { type ByteSource, readExactly, sizeOf } from "@cfile/io";
import { cfileDoc } from "../cfile/cfile-doc.js";
import type { ChildDoc, Doc, Work } from "./doc.js";

/** Memory for opened blocks; the page shows few at a time. */
const CACHE_BYTES = 12 * 1024 * 1024;

/** @throws {CFileError} `E_UNSUPPORTED` for an unknown format. Damaged files open as far as possible */
export async function openBytes(source: ByteSource, title: string, work: Work): Promise<Doc> {
  const { signal } = work;
  const size = await sizeOf(source, { signal });
  const length = Math.min(16, size);
  const tail = await readExactly(source, size - length, length, { signal });
  const head = await readExactly(source, 0, length, { signal });
  if (isMagic(head, "PAR1") || isMagic(tail.subarray(-4), "PAR1")) {
    return openParquetOrPages(source, title, size, work);
  }
  if (/^(?:DATABLK|IDXLEAF2|BLMFBLK2|TRABLK|IDXROOT2)/.test(latin(head)) && !isMagic(head, "kuducf")) {
    return (await import("./hfile-doc.js")).openHFileDoc(source, title, work);
  }
  try {
    return await openCFileDoc(source, title, work);
  } catch (error) {
    const problem = findingOf(error);
    if (problem.code === "E_NOT_FOUND") {
      throw problem;
    }
    const isCFile = isMagic(head, "kuducf") || isMagic(tail.subarray(-12), "kuducf");
    if (isCFile) {
      const { openDamagedDoc } = await import("../cfile/damaged-doc.js");
      return openDamagedDoc(source, title, problem, undefined, signal);
    }
    const hfile = await import("./hfile-doc.js");
    if (size > 0 && (await hfile.looksLikeHFile(source))) {
      return hfile.openHFileDoc(source, title, work);
    }
    const reason = "unknown format (expected a CFile, Bloom file, delta file, HFile or Parquet file)";
    throw new CFileError("E_UNSUPPORTED", reason, { path: title, cause: error });
  }
}

async function openParquetOrPages(source: ByteSource, title: string, size: number, work: Work): Promise<Doc> {
  try {
    return await (await import("./parquet-doc.js")).openParquetDoc(source, title, size);
  } catch (error) {
    const problem = findingOf(error);
    if (problem.code === "E_UNSUPPORTED") {
      throw problem;
    }
    return (await import("./parquet-pages-doc.js")).openParquetPagesDoc(source, title, problem, work);
  }
}

async function openCFileDoc(source: ByteSource, title: string, { signal }: Work): Promise<Doc> {
  const file = await openCFile(source, { cacheBytes: CACHE_BYTES, header: "read", signal });
  switch (file.kind) {
    case "bloom":
      return (await import("./bloom-doc.js")).bloomDoc(file, title);
    case "delta":
      return (await import("./delta-doc.js")).openDeltaDoc(file, title);
    case "column":
      return cfileDoc(file, title);
  }
}

function isMagic(bytes: Uint8Array, magic: string): boolean {
  return latin(bytes).startsWith(magic);
}

function latin(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

/** A child that is opened, and its kind detected, on demand. */
export function fileChild(label: string, detail: string, open: () => Promise<ByteSource>): ChildDoc {
  return {
    label,
    detail,
    kind: "unknown",
    hasChildren: false,
    open: async (work) => openBytes(await open(), label, work),
  };
}
