import { CFileError } from "@cfile/bytes";

/**
 * Loads an optional library.
 * @throws {CFileError} `E_UNSUPPORTED` with the install command when it is not installed
 */
export async function loadLibrary<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new CFileError("E_UNSUPPORTED", `${name} is not installed: npm install ${name}`, {
      field: name,
      cause,
    });
  }
}

/** Runs a step of a library; its exceptions mean bad input. */
export async function withLibrary<T>(field: string, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (cause) {
    if (cause instanceof CFileError) {
      throw cause;
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CFileError("E_CORRUPT", `${field}: ${reason}`, { field, cause });
  }
}
