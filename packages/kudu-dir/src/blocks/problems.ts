/** Errors with the path of their file, thrown or collected. */
import { type CFileError, isCFileError } from "@cfile/bytes";

/** The result of `action`; its `CFileError`s get the path. */
export async function withPath<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw isCFileError(error) ? error.within({ path }) : error;
  }
}

/** The result of `action`, or `undefined` after a `CFileError`, which goes to `problems`. */
export async function collect<T>(problems: CFileError[], action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    if (!isCFileError(error)) {
      throw error;
    }
    problems.push(error);
    return undefined;
  }
}
