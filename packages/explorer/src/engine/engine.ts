/** Documents by number, and the answers to what the page asks of them. */
import { CFileError } from "@cfile/bytes";
import type { CallName, Calls, DocView, NodeView } from "../protocol.js";
import type { ChildDoc, Doc, Work } from "./docs/doc.js";
import { openGiven } from "./docs/open-given.js";

interface Entry {
  readonly open: (work: Work) => Promise<Doc>;
  doc: Promise<Doc> | undefined;
  children: Promise<readonly NodeView[]> | undefined;
}

type Answers = {
  readonly [N in CallName]: (argument: Calls[N][0], work: Work<unknown>) => Promise<Calls[N][1]>;
};

export class Engine {
  private readonly entries: Entry[] = [];

  private readonly answers: Answers = {
    open: (given, work) =>
      this.opened(
        this.add(() => openGiven(given, work)),
        work,
      ),
    doc: ({ id }, work) => this.opened(id, work),
    children: ({ id }, work) => this.childrenOf(id, work),
    map: async ({ id }, work) => (await this.doc(id, work)).map(work),
    tree: async ({ id, tree, part }, work) => (await this.doc(id, work)).treeNode(tree, part, work),
    part: async ({ id, part }, work) => (await this.doc(id, work)).part(part, work),
    check: async ({ id }, work) => (await this.doc(id, work)).check(work),
    rows: async ({ id, from, to }, work) => (await this.doc(id, work)).rows(from, to, work),
    find: async ({ id, text }, work) => (await this.doc(id, work)).find(text, work),
    profile: async ({ id, column }, work) => (await this.doc(id, work)).profile(column, work),
    compare: async ({ id, column }, work) => (await this.doc(id, work)).compare(column, work),
    export: async (request, work) => (await this.doc(request.id, work)).export(request, work),
    recover: async ({ id, type }, work) => (await this.doc(id, work)).recover(type, work),
    retype: async ({ id, type }, work) => {
      const doc = await this.doc(id, work);
      const retyped = this.add(async () => (await import("./cfile/damaged-doc.js")).retype(doc, type, work));
      return this.opened(retyped, work);
    },
  };

  answer(name: CallName, argument: unknown, work: Work<unknown>): Promise<unknown> {
    const answer = this.answers[name] as (argument: unknown, work: Work<unknown>) => Promise<unknown>;
    return answer(argument, work);
  }

  private add(open: Entry["open"]): number {
    this.entries.push({ open, doc: undefined, children: undefined });
    return this.entries.length - 1;
  }

  private entry(id: number): Entry {
    const entry = this.entries[id];
    if (entry === undefined) {
      throw new CFileError("E_NOT_FOUND", `there is no document ${id}`);
    }
    return entry;
  }

  private doc(id: number, work: Work): Promise<Doc> {
    const entry = this.entry(id);
    if (entry.doc === undefined) {
      entry.doc = entry.open(work);
      entry.doc.catch(() => {
        entry.doc = undefined;
      });
    }
    return entry.doc;
  }

  private async opened(id: number, work: Work): Promise<DocView> {
    return { id, ...(await this.doc(id, work)).view };
  }

  private async childrenOf(id: number, work: Work): Promise<readonly NodeView[]> {
    const entry = this.entry(id);
    entry.children ??= this.doc(id, work)
      .then((doc) => doc.children(work))
      .then((children) => children.map((child) => this.node(child)));
    return entry.children;
  }

  private node({ open, ...view }: ChildDoc): NodeView {
    return { id: this.add(open), ...view };
  }
}
