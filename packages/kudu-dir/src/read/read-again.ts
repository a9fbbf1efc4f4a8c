/**
 * Reading while a server runs: a compaction deletes the blocks it replaces, and reading those looks like damage. If the superblock or the
 * journals have changed since, it is not damage, and the tablet is read again, once.
 */
import { CFileError, isCFileError, isDamage } from "@cfile/bytes";

/** The current tablet; `undefined` if it has not changed. Throws if it changes a second time. */
export type Renewal<T> = (error: CFileError) => Promise<T | undefined>;

interface Renewable<T> {
  readonly renewal: Renewal<T>;
}

/** @throws {CFileError} `E_SOURCE_CHANGED` if it changes again, or after the first batch was returned */
export async function* batchesAgain<T extends Renewable<T>, B>(
  now: T,
  read: (tablet: T) => Promise<AsyncGenerator<B, void, void>>,
): AsyncGenerator<B, void, void> {
  let hasYielded = false;
  for (let tablet = now; ; ) {
    try {
      for await (const batch of await read(tablet)) {
        hasYielded = true;
        yield batch;
      }
      return;
    } catch (error) {
      tablet = await renewed(tablet, error, hasYielded);
    }
  }
}

/** @throws {CFileError} as {@link batchesAgain} */
export async function answerAgain<T extends Renewable<T>, A>(
  now: T,
  read: (tablet: T) => Promise<A>,
): Promise<A> {
  for (let tablet = now; ; ) {
    try {
      return await read(tablet);
    } catch (error) {
      tablet = await renewed(tablet, error, false);
    }
  }
}

/**
 * @throws the error itself if the tablet has not changed; `E_SOURCE_CHANGED` if it has, after the first batch
 */
async function renewed<T extends Renewable<T>>(tablet: T, error: unknown, hasYielded: boolean): Promise<T> {
  if (!isChangeSuspect(error)) {
    throw error;
  }
  const now = await tablet.renewal(error);
  if (now === undefined) {
    throw error;
  }
  if (hasYielded) {
    throw changed(error);
  }
  return now;
}

/** The error for a tablet that changed more than once. */
export function changed(cause: CFileError): CFileError {
  const { path, field } = cause;
  return new CFileError(
    "E_SOURCE_CHANGED",
    "the directories changed while they were read; read a copy, or stop the server",
    { path, field, cause },
  );
}

function isChangeSuspect(error: unknown): error is CFileError {
  return isDamage(error) || isCFileError(error, "E_SOURCE_CHANGED") || isCFileError(error, "E_NOT_FOUND");
}
