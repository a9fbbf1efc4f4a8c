/** Where an open file or folder comes from, for links and the list of recent files. */
import { CFileError } from "@cfile/bytes";
import type { Given, GivenFile } from "../../protocol.js";

export interface Origin {
  /** As written in links. */
  readonly urls: readonly string[];
  /** Name of a sample folder. */
  readonly sample?: string | undefined;
  /** Name of a file or folder of this machine. */
  readonly file?: string | undefined;
  readonly handles?: readonly FileSystemHandle[] | undefined;
}

/** Files to open. */
export interface Opening {
  readonly given: Given;
  readonly origin: Origin;
}

/** Whether links to both open the same file or folder. */
export function isSameOrigin(a: Origin, b: Origin): boolean {
  return a.sample === b.sample && a.file === b.file && a.urls.join("\n") === b.urls.join("\n");
}

/** @param urls relative to the page */
export function urlOpening(urls: readonly string[]): Opening {
  const files = urls.map((url): GivenFile => {
    const { href, pathname } = new URL(url, location.href);
    return { path: decodeURIComponent(pathname.split("/").at(-1) || pathname), url: href };
  });
  return { given: { kind: "files", files }, origin: { urls } };
}

export function fileOpening(
  files: readonly GivenFile[],
  handles?: readonly FileSystemHandle[],
): Opening | undefined {
  const [first] = files;
  const file = first?.path.split("/")[0];
  return first === undefined
    ? undefined
    : { given: { kind: "files", files }, origin: { urls: [], file, handles } };
}

/** @throws {CFileError} `E_NOT_FOUND` if a file is missing, `E_IO` if reading it is not permitted */
export async function handleOpening(handles: readonly FileSystemHandle[]): Promise<Opening | undefined> {
  const [first] = handles;
  if (first instanceof FileSystemDirectoryHandle) {
    return { given: { kind: "folder", handle: first }, origin: { urls: [], file: first.name, handles } };
  }
  const files = handles.filter((handle) => handle instanceof FileSystemFileHandle);
  const blobs = await Promise.all(files.map(fileOf));
  return fileOpening(blobs.map(fileGiven), handles);
}

async function fileOf(handle: FileSystemFileHandle): Promise<File> {
  try {
    return await handle.getFile();
  } catch (cause) {
    const isMissing = cause instanceof DOMException && cause.name === "NotFoundError";
    const [code, reason] = isMissing
      ? (["E_NOT_FOUND", "no such file (it was moved or deleted)"] as const)
      : (["E_IO", "cannot read the file"] as const);
    throw new CFileError(code, reason, { path: handle.name, cause });
  }
}

export function fileGiven(file: File): GivenFile {
  return { path: file.webkitRelativePath || file.name, blob: file };
}
