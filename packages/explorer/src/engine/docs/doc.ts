/** Documents. Each kind of file answers the calls that it supports. */
import type { Progress } from "@cfile/bytes";
import type { CallName, Calls, DocView, HealthView, NodeView } from "../../protocol.js";
import { fact } from "../cells.js";

/** A request in progress. */
export interface Work<P = Progress> {
  readonly signal: AbortSignal;
  readonly progress: (progress: P) => void;
}

/** A document without its number, which the engine adds. */
export type DocDescription = Omit<DocView, "id">;

type Answers = {
  readonly [N in Exclude<CallName, "open" | "doc" | "children" | "close" | "retype">]: (
    argument: Omit<Calls[N][0], "id">,
    work: Work<N extends "check" ? HealthView : Progress>,
  ) => Promise<Calls[N][1]>;
};

export interface Doc extends Partial<Answers> {
  readonly view: DocDescription;
  /** Documents below this one, opened later. */
  readonly children?: (work: Work) => Promise<readonly ChildDoc[]>;
  /** The same file, read as a column of another type. */
  readonly retype?: (type: string, work: Work) => Promise<Doc>;
}

export interface ChildDoc extends Omit<NodeView, "id"> {
  readonly open: (work: Work) => Promise<Doc>;
}

export function describe(
  given: Partial<DocDescription> & Pick<DocDescription, "title" | "kind">,
): DocDescription {
  return {
    facts: [],
    tabs: [],
    columns: [],
    rowCount: undefined,
    searchHint: undefined,
    problem: undefined,
    types: [],
    hasChildren: false,
    ...given,
  };
}

/** A folder, or another document that consists only of children. */
export function listDoc(
  title: string,
  facts: DocDescription["facts"],
  children: () => readonly ChildDoc[],
): Doc {
  return {
    view: describe({ title, kind: "folder", facts, hasChildren: true }),
    children: async () => children(),
  };
}

export function folderChild(label: string, detail: string, open: ChildDoc["open"]): ChildDoc {
  return { label, detail, kind: "folder", hasChildren: true, open };
}

export function filesDoc(title: string, children: readonly ChildDoc[]): Doc {
  return listDoc(title, [fact("Files", children.length)], () => children);
}
