/** Deep links: the fragment of the address. */
import type { TabName } from "../../protocol.js";
import type { Origin } from "./origin.js";

/** The visible position in a document. */
export interface Place {
  readonly tab: TabName | undefined;
  readonly row: number | undefined;
  /** Offset of the selected block. */
  readonly block: number | undefined;
}

export interface Link {
  readonly origin: Origin;
  readonly place: Place;
}

export const NOWHERE: Place = { tab: undefined, row: undefined, block: undefined };

const TABS: readonly TabName[] = ["timeline", "replicas", "regions", "map", "data", "profile", "compare"];

export function readLink(hash: string): Link {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  return {
    origin: {
      urls: given.getAll("url"),
      sample: given.get("sample") ?? undefined,
      file: given.get("file") ?? undefined,
    },
    place: {
      tab: TABS.find((name) => name === given.get("tab")),
      row: whole(given.get("row")),
      block: whole(given.get("block")),
    },
  };
}

function whole(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Changes the address without a history entry. */
export function writeLink({ origin: { urls, sample, file }, place: { tab, row, block } }: Link): void {
  const parts = [
    ...urls.map((url) => `url=${encodeURIComponent(url).replaceAll("%2F", "/")}`),
    ...(sample === undefined ? [] : [`sample=${encodeURIComponent(sample)}`]),
    ...(file === undefined ? [] : [`file=${encodeURIComponent(file)}`]),
    ...(tab === undefined ? [] : [`tab=${tab}`]),
    ...(row === undefined ? [] : [`row=${row}`]),
    ...(block === undefined ? [] : [`block=${block}`]),
  ];
  const next = `#${parts.join("&")}`;
  if (next !== location.hash && (location.hash !== "" || parts.length > 0)) {
    history.replaceState(null, "", next);
  }
}
