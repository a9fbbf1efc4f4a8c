/** Node's file system, in Node, Deno and Bun. Nothing is imported, so that browser bundles need no stand-in for `node:` modules. */
import { builtinModule, CFileError, isCFileError, toHex } from "@cfile/bytes";

interface NodeModules {
  "node:buffer": typeof import("node:buffer");
  "node:fs": typeof import("node:fs");
  "node:fs/promises": typeof import("node:fs/promises");
  "node:os": typeof import("node:os");
  "node:path": typeof import("node:path");
  "node:process": typeof import("node:process");
  "node:url": typeof import("node:url");
}

/** @throws {CFileError} `E_UNSUPPORTED` where there is no file system */
export function nodeModule<K extends keyof NodeModules>(name: K): NodeModules[K] {
  const found = builtinModule<NodeModules, K>(name);
  if (found === undefined) {
    throw new CFileError("E_UNSUPPORTED", "no file system here (pass a Blob, bytes or a URL)", {
      field: "path",
    });
  }
  return found;
}

export const nodeFiles = () => nodeModule("node:fs/promises");

/**
 * The path of a path or `file:` URL.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for another URL
 */
export function pathOf(location: string | URL): string {
  if (typeof location === "string" && !/^file:/i.test(location)) {
    return location;
  }
  const { fileURLToPath } = nodeModule("node:url");
  try {
    return fileURLToPath(location);
  } catch (cause) {
    throw new CFileError("E_INVALID_ARGUMENT", `invalid file: URL: ${String(location)}`, {
      field: "path",
      cause,
    });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  ENOTDIR: "a part of the path is not a directory",
  EEXIST: "it already exists",
  EISDIR: "it is a directory",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ENOSPC: "disk full",
  EFBIG: "file too large",
  EDQUOT: "disk quota exceeded",
  EROFS: "read-only file system",
};

/** The error of a failed file operation: a `CFileError` unchanged, anything else as `E_NOT_FOUND` or `E_IO`. */
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

/**
 * Runs `step` with the errors of {@link fileError}.
 *
 * @param action what fails, such as `cannot open the file`
 */
export async function attempt<T>(action: string, path: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw fileError(error, path, action);
  }
}

/** The result of `step`, or `undefined` if it fails with this system error. */
export async function unless<T>(code: string, step: Promise<T>): Promise<T | undefined> {
  try {
    return await step;
  } catch (error) {
    if (systemCode(error) === code) {
      return undefined;
    }
    throw error;
  }
}

/** @throws {CFileError} `E_IO` unless the path is a directory, `E_NOT_FOUND` if it does not exist */
export async function requireFolder(path: string): Promise<void> {
  if (!(await nodeFiles().stat(path)).isDirectory()) {
    throw new CFileError("E_IO", "cannot open the directory: it is not a directory", { path });
  }
}

/** Syncs the names in a folder to the disk, so that they survive a power cut, on systems that support it. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await nodeFiles().open(path, "r");
    await folder.sync().finally(() => folder.close());
  } catch {
    return;
  }
}

/** 16 random hexadecimal digits. */
export const randomHex = () => toHex(globalThis.crypto.getRandomValues(new Uint8Array(8)));

/** The code of a system error, such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
