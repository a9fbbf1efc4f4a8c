/** Folders: a Kudu server's directories, a row set's directory, or just files. */
import type { FileTree } from "@cfile/io";
import type { Fact, Given } from "../../protocol.js";
import { countText } from "../cells.js";
import { type ChildDoc, Doc, type DocDescription, describe, type Work } from "./doc.js";
import { givenTree, readOnlyDirectory } from "./given-tree.js";
import { fileChild, lastName } from "./open-given.js";

export async function openFolder(given: Given, work: Work): Promise<Doc> {
  const tree = givenTree(given);
  const { openKuduDoc } = await import("./kudu-doc.js");
  const server = await openKuduDoc(tree);
  return server ?? folderDoc(tree, "", tree.name, work);
}

async function folderDoc(tree: FileTree, folder: string, title: string, work: Work): Promise<Doc> {
  const entries = await tree.list(folder);
  if (entries.some(({ name }) => name === "rowset.json")) {
    const { openRowSetDoc } = await import("./table-doc.js");
    const doc = await openRowSetDoc(readOnlyDirectory(tree, folder), title);
    if (doc !== undefined) {
      return doc;
    }
  }
  const sorted = [...entries].sort(
    (a, b) => a.kind.localeCompare(b.kind) * -1 || a.name.localeCompare(b.name),
  );
  const children = sorted.map(({ name, kind }): ChildDoc => {
    const path = folder === "" ? name : `${folder}/${name}`;
    return kind === "file"
      ? fileChild(name, "", () => tree.openSource(path))
      : {
          label: name,
          detail: "",
          kind: "folder",
          hasChildren: true,
          open: (childWork) => folderDoc(tree, path, lastName(path), childWork),
        };
  });
  work.signal.throwIfAborted();
  return new ListDoc(title, [{ label: "Files", value: countText(children.length) }], async () => children);
}

/** Something that only has other things below it. */
export class ListDoc extends Doc {
  readonly view: DocDescription;
  private readonly list: () => Promise<readonly ChildDoc[]>;

  constructor(title: string, facts: readonly Fact[], list: () => Promise<readonly ChildDoc[]>) {
    super();
    this.view = describe({ title, kind: "folder", facts, hasChildren: true });
    this.list = list;
  }

  override children(): Promise<readonly ChildDoc[]> {
    return this.list();
  }
}
