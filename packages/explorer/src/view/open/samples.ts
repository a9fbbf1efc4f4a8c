/** The samples: files next to the page, and folders packed into one file (samples.mjs). */

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

/** @throws TypeError if the sample does not exist */
export async function sampleOpening(name: string): Promise<Opening> {
  const load = async (ending: string): Promise<Response> => {
    const answer = await fetch(new URL(`samples/${encodeURIComponent(name)}.${ending}`, location.href));
    if (!answer.ok) {
      throw new TypeError(`no sample ${name}`);
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
