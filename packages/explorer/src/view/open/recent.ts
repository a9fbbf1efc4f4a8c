/** Recently opened files in IndexedDB: URLs, and handles if the browser supports them; otherwise only names. */
import { CFileError } from "@cfile/bytes";
import { get, set } from "idb-keyval";
import { handleOpening, isSameOrigin, type Opening, type Origin, urlOpening } from "./origin.js";
import { sampleOpening } from "./samples.js";

export interface Recent {
  readonly title: string;
  readonly origin: Origin;
}

const KEY = "cfile-explorer-recent";
const MAX_ENTRIES = 10;

/** Latest first; empty if the browser stores nothing. */
export async function recentFiles(): Promise<readonly Recent[]> {
  return (await get<readonly Recent[]>(KEY).catch(() => undefined)) ?? [];
}

export async function rememberRecent(entry: Recent): Promise<readonly Recent[]> {
  const others = (await recentFiles()).filter(({ origin }) => !isSameOrigin(origin, entry.origin));
  return keep([entry, ...others].slice(0, MAX_ENTRIES));
}

export async function forgetRecent(): Promise<readonly Recent[]> {
  return keep([]);
}

/** The list is lost if the browser refuses to store it. */
async function keep(list: readonly Recent[]): Promise<readonly Recent[]> {
  await set(KEY, list).catch(() => undefined);
  return list;
}

interface Permitted {
  readonly requestPermission?: (options: { readonly mode: "read" }) => Promise<PermissionState>;
}

/**
 * Asks for permission; call it while handling a click. `undefined` if only the name is known.
 *
 * @throws {CFileError} `E_IO` without permission, and as `handleOpening`
 */
export async function recentOpening({ origin }: Recent): Promise<Opening | undefined> {
  const { urls, sample, handles = [] } = origin;
  if (sample !== undefined) {
    return sampleOpening(sample);
  }
  if (urls.length > 0) {
    return urlOpening(urls);
  }
  for (const handle of handles) {
    const answer = await (handle as Permitted).requestPermission?.({ mode: "read" });
    if (answer === "denied" || answer === "prompt") {
      throw new CFileError("E_IO", "no permission to read the file (allow it, or open the file again)", {
        path: handle.name,
      });
    }
  }
  return handles.length === 0 ? undefined : handleOpening(handles);
}
