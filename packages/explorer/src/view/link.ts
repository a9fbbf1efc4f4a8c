/** Deep links: the fragment of the address. */
import type { TabName } from "../protocol.js";

export interface Link {
  /** URLs of files. */
  readonly urls: readonly string[];
  readonly tab: TabName | undefined;
  readonly row: number | undefined;
  /** Offset of the selected block. */
  readonly block: number | undefined;
}

const TABS: readonly TabName[] = ["replicas", "regions", "map", "data", "profile", "compare"];

export function readLink(hash: string): Link {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  return {
    urls: given.getAll("url"),
    tab: TABS.find((name) => name === given.get("tab")),
    row: whole(given.get("row")),
    block: whole(given.get("block")),
  };
}

function whole(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Changes the address without a history entry. */
export function writeLink({ urls, tab, row, block }: Link): void {
  const parts = [
    ...urls.map((url) => `url=${encodeURIComponent(url)}`),
    ...(tab === undefined ? [] : [`tab=${tab}`]),
    ...(row === undefined ? [] : [`row=${row}`]),
    ...(block === undefined ? [] : [`block=${block}`]),
  ];
  const next = `#${parts.join("&")}`;
  if (next !== location.hash && (location.hash !== "" || parts.length > 0)) {
    history.replaceState(null, "", next);
  }
}
