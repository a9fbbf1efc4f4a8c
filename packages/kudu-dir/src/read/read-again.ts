/**
 * Reading while a server runs: what was merged meanwhile has its blocks deleted, and reading them looks like damage. Whether it is, the
 * superblock and the journals tell: when they are others than before, the tablet is read anew, once.
 */
import { CFileError, isCFileError } from "@cfile/bytes";

/** What a tablet is now; `undefined` when it is what it was. One that was renewed throws when it is another one again. */
export type Renewal<T> = (error: CFileError) => Promise<T | undefined>;

interface Renewable<T> {
  readonly renewal: Renewal<T>;
}

/** @throws CFileError `E_SOURCE_CHANGED` when it changes again, or when something of it was given out already */
export async function* batchesAgain<T extends Renewable<T>, B>(
  now: T,
  read: (tablet: T) => AsyncGenerator<B, void, void>,
): AsyncGenerator<B, void, void> {
  let given = false;
  for (let tablet = now; ; ) {
    try {
      for await (const batch of read(tablet)) {
        given = true;
        yield batch;
      }
      return;
    } catch (error) {
      tablet = await renewed(tablet, error);
      if (given) {
        throw changed(error);
      }
    }
  }
}

/** @throws CFileError as {@link batchesAgain} */
export async function answerAgain<T extends Renewable<T>, A>(
  now: T,
  read: (tablet: T) => Promise<A>,
): Promise<A> {
  for (let tablet = now; ; ) {
    try {
      return await read(tablet);
    } catch (error) {
      tablet = await renewed(tablet, error);
    }
  }
}

/** @throws the error itself when the tablet is what it was */
async function renewed<T extends Renewable<T>>(tablet: T, error: unknown): Promise<T> {
  const now = isChangeSuspect(error) ? await tablet.renewal(error) : undefined;
  if (now === undefined) {
    throw error;
  }
  return now;
}

/** What a tablet that was renewed once does when it is another one again. */
export function changed(cause: unknown): CFileError {
  const { path, field } = isCFileError(cause) ? cause : {};
  return new CFileError(
    "E_SOURCE_CHANGED",
    "the directories were changed while they were read; make a snapshot, or stop the server",
    { path, field, cause },
  );
}

const SUSPECT: readonly string[] = [
  "E_SOURCE_CHANGED",
  "E_NOT_FOUND",
  "E_BLOCK_MISSING",
  "E_CHECKSUM",
  "E_CORRUPT",
  "E_TRUNCATED",
  "E_LIMIT",
  "E_UNSUPPORTED",
];

function isChangeSuspect(error: unknown): error is CFileError {
  return isCFileError(error) && SUSPECT.includes(error.code);
}
