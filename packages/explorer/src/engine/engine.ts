/** Documents by number, and the answers to the page's requests. */
import { CFileError } from "@cfile/bytes";
import type { DocView, NodeView, Request } from "../protocol.js";
import type { Doc, Work } from "./docs/doc.js";
import { openGiven } from "./docs/open-given.js";

interface Entry {
  readonly open: (work: Work) => Promise<Doc>;
  doc?: Promise<Doc> | undefined;
  children?: Promise<readonly NodeView[]>;
}

const entries = new Map<number, Entry>();
let added = 0;

/** @throws {CFileError} `E_NOT_FOUND` for an unknown document, `E_UNSUPPORTED` for a call that it does not support */
export async function answer({ name, argument }: Request, work: Work<unknown>): Promise<unknown> {
  switch (name) {
    case "open":
      return opened(
        add(() => openGiven(argument, work)),
        work,
      );
    case "doc":
      return opened(argument.id, work);
    case "children":
      return childrenOf(argument.id, work);
    case "close":
      await close(argument.id);
      return null;
    case "retype": {
      const doc = await docOf(argument.id, work);
      return opened(
        add(() => doc.retype?.(argument.type, work) ?? unsupported(doc, name)),
        work,
      );
    }
    default: {
      const doc = await docOf(argument.id, work);
      const call = doc[name] as ((argument: unknown, work: Work<unknown>) => Promise<unknown>) | undefined;
      return call === undefined ? unsupported(doc, name) : call(argument, work);
    }
  }
}

function unsupported({ view }: Doc, call: string): never {
  throw new CFileError("E_UNSUPPORTED", `${view.title} does not support: ${call}`);
}

function add(open: Entry["open"]): number {
  entries.set(added, { open });
  return added++;
}

function entryOf(id: number): Entry {
  const entry = entries.get(id);
  if (entry === undefined) {
    throw new CFileError("E_NOT_FOUND", `no document ${id}`);
  }
  return entry;
}

async function docOf(id: number, work: Work): Promise<Doc> {
  const entry = entryOf(id);
  entry.doc ??= entry.open(work);
  entry.doc.catch(() => {
    entry.doc = undefined;
  });
  return entry.doc;
}

async function opened(id: number, work: Work): Promise<DocView> {
  return { id, ...(await docOf(id, work)).view };
}

async function childrenOf(id: number, work: Work): Promise<readonly NodeView[]> {
  const list = async (): Promise<NodeView[]> => {
    const children = (await (await docOf(id, work)).children?.(work)) ?? [];
    return children.map(({ open, ...view }) => ({ id: add(open), ...view }));
  };
  const entry = entryOf(id);
  entry.children ??= list();
  return entry.children;
}

async function close(id: number): Promise<void> {
  const children = entries.get(id)?.children?.catch(() => []);
  entries.delete(id);
  for (const child of (await children) ?? []) {
    await close(child.id);
  }
}
