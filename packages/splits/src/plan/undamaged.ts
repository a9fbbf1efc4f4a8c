/** Runs work that damage may prevent. */
import { isDamage } from "@cfile/bytes";

/** The result of `action`; `undefined` if damage prevents it. */
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

/** Reads all rows. Returns false if damage prevents it. */
export async function canReadAll(rows: AsyncIterable<unknown>): Promise<boolean> {
  const isRead = await unlessDamaged(async () => {
    for await (const _ of rows) {
      // Reading is the test.
    }
    return true;
  });
  return isRead ?? false;
}
