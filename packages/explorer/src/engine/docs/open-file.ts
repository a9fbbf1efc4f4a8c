/** Opens a file by what it is: the bytes tell, not the name. */
import { CFileError, findingOf } from "@cfile/bytes";
import { openCFile } from "@cfile/format";
import { type ByteSource, readExactly, sizeOf } from "@cfile/io";
import type { DocKind } from "../../protocol.js";
import { CFileDoc } from "../cfile/cfile-doc.js";
import type { ChildDoc, Doc, Work } from "./doc.js";

/** Bytes of opened blocks that are kept: the page shows few at a time. */
const CACHE_BYTES = 12 * 1024 * 1024;

/** The file behind a source. Damaged ones open as what can still be told of them. */
export async function openBytes(source: ByteSource, title: string, work: Work): Promise<Doc> {
  const { signal } = work;
  const size = await sizeOf(source, { signal });
  const [head, tail] = await ends(source, size, signal);
  if (isMagic(head, "PAR1") && isMagic(tail.subarray(-4), "PAR1")) {
    return (await import("./parquet-doc.js")).openParquetDoc(source, title, size);
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
    if (!isCFile && size > 0) {
      const hfile = await import("./hfile-doc.js");
      if (await hfile.looksLikeHFile(source)) {
        return hfile.openHFileDoc(source, title, work);
      }
    }
    if (!isCFile) {
      throw new CFileError(
        "E_UNSUPPORTED",
        "this is none of the files that are known here: CFile, Bloom file, delta file, HFile, Parquet",
        { path: title, cause: error },
      );
    }
    const { DamagedDoc } = await import("../cfile/damaged-doc.js");
    return DamagedDoc.open(source, { title, problem }, undefined, work);
  }
}

async function openCFileDoc(source: ByteSource, title: string, { signal }: Work): Promise<Doc> {
  const file = await openCFile(source, { cacheBytes: CACHE_BYTES, header: "read", signal });
  if (file.kind === "bloom") {
    return new (await import("./bloom-doc.js")).BloomDoc(file, title);
  }
  if (file.kind === "delta") {
    return (await import("./delta-doc.js")).openDeltaDoc(file, title);
  }
  return new CFileDoc(file, title);
}

async function ends(
  source: ByteSource,
  size: number,
  signal: AbortSignal,
): Promise<[Uint8Array, Uint8Array]> {
  const length = Math.min(16, size);
  const tail = await readExactly(source, size - length, length, { signal });
  return [await readExactly(source, 0, length, { signal }), tail];
}

function isMagic(bytes: Uint8Array, magic: string): boolean {
  return latin(bytes).startsWith(magic);
}

function latin(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

/** A file as a child; it is opened, and its kind known, when it is wanted. */
export function fileChild(
  label: string,
  detail: string,
  open: () => Promise<ByteSource>,
  kind: DocKind = "unknown",
): ChildDoc {
  return {
    label,
    detail,
    kind,
    hasChildren: false,
    open: async (work) => openBytes(await open(), label, work),
  };
}
