/** The samples: files next to the page, and folders packed into one file (samples.mjs). */
import { CFileError } from "@cfile/bytes";
import type { GivenFile } from "../../protocol.js";
import samples from "../../samples.json";
import type { Opening } from "./origin.js";

export interface Sample {
  readonly title: string;
  readonly text: string;
  /** Link within the page. */
  readonly href: string;
}

export const SAMPLES: readonly Sample[] = samples.map(({ name, title, text }) => ({
  title,
  text,
  href: name.includes(".") ? `#url=samples/${name}` : `#sample=${name}`,
}));

/** @throws {CFileError} `E_NOT_FOUND` if there is no such sample, `E_IO` if it cannot be fetched */
export async function sampleOpening(name: string): Promise<Opening> {
  const load = async (extension: string): Promise<Response> => {
    const path = `samples/${encodeURIComponent(name)}.${extension}`;
    const answer = await fetch(new URL(path, location.href)).catch((cause: unknown) => {
      throw new CFileError("E_IO", "cannot fetch the sample", { path, cause });
    });
    if (!answer.ok) {
      throw answer.status === 404
        ? new CFileError("E_NOT_FOUND", "no such sample", { path })
        : new CFileError("E_IO", `cannot fetch the sample: status ${answer.status}`, { path });
    }
    return answer;
  };
  const [list, packed] = await Promise.all([load("json"), load("bin")]);
  const all = new Uint8Array(await packed.arrayBuffer());
  let end = 0;
  const entries: readonly { readonly path: string; readonly length: number }[] = await list.json();
  const files = entries.map(({ path, length }): GivenFile => {
    end += length;
    return { path, bytes: all.slice(end - length, end) };
  });
  return { given: { kind: "files", files }, origin: { urls: [], sample: name } };
}
