/** Errors with the path of their file, thrown or collected. */
import { type CFileError, isCFileError, isDamage } from "@cfile/bytes";

/** Returns a caught `CFileError`, and throws everything else again. */
export function requireCFileError(error: unknown): CFileError {
  if (!isCFileError(error)) {
    throw error;
  }
  return error;
}

/** The result of `action`; the path is added to its `CFileError`s. */
export async function withPath<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw requireCFileError(error).within({ path });
  }
}

/** The result of `action`, or `undefined` after a `CFileError`, which goes to `problems`. */
export async function collect<T>(problems: CFileError[], action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    problems.push(requireCFileError(error));
    return undefined;
  }
}

/** The result; `undefined` if the file is damaged. */
export async function unlessDamaged<T>(action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    if (!isDamage(error)) {
      throw error;
    }
    return undefined;
  }
}
