/**
 * Node's file system where there is one: Node, Deno and Bun. Nothing is imported, so that bundles for browsers need no
 * stand-in for `node:` modules.
 */
import type * as NodeFs from "node:fs";
import type * as NodeFiles from "node:fs/promises";
import type * as NodeOs from "node:os";
import type * as NodePath from "node:path";
import type * as NodeProcess from "node:process";
import type * as NodeUrl from "node:url";
import { builtinModule, CFileError, isCFileError } from "@cfile/bytes";

interface NodeModules {
  "node:fs": typeof NodeFs;
  "node:fs/promises": typeof NodeFiles;
  "node:os": typeof NodeOs;
  "node:path": typeof NodePath;
  "node:process": typeof NodeProcess;
  "node:url": typeof NodeUrl;
}

/**
 * A module of Node.
 *
 * @throws CFileError `E_UNSUPPORTED` where there are no files
 */
export function nodeModule<K extends keyof NodeModules>(name: K): NodeModules[K] {
  const found = builtinModule<NodeModules, K>(name);
  if (found === undefined) {
    throw new CFileError("E_UNSUPPORTED", "there are no files here; pass a Blob, bytes or a URL", {
      field: "path",
    });
  }
  return found;
}

/** The path of a path or `file:` URL. */
export function pathOf(location: string | URL): string {
  if (typeof location === "string" && !/^file:/i.test(location)) {
    return location;
  }
  try {
    return nodeModule("node:url").fileURLToPath(location);
  } catch (error) {
    throw isCFileError(error)
      ? error
      : new CFileError("E_INVALID_ARGUMENT", `${String(location)} names no file`, {
          field: "path",
          cause: error,
        });
  }
}

/** What a failed file operation is reported as, with the path; a `CFileError` is left as it is. */
export function fileError(error: unknown, path: string, action: string): CFileError {
  if (isCFileError(error)) {
    return error;
  }
  const code = systemCode(error);
  const message = error instanceof Error ? error.message : String(error);
  const reason = (code && REASONS[code]) ?? message;
  return new CFileError(code === "ENOENT" ? "E_NOT_FOUND" : "E_IO", `${action}: ${reason}`, {
    path,
    cause: error,
  });
}

/** Brings the names in a folder to the disk, so that they survive a power cut, on systems that can do that. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await nodeModule("node:fs/promises").open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch {
    return;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or directory",
  ENOTDIR: "a part of the path is no directory",
  EISDIR: "it is a directory",
  EACCES: "permission is denied",
  EPERM: "permission is denied",
  ENOSPC: "the disk is full",
  EFBIG: "it would be larger than is allowed",
  EDQUOT: "the quota is used up",
  EROFS: "the file system is read-only",
};

/** The code of an error of the system, such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
