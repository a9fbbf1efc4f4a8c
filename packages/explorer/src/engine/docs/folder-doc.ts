/** Folders: a Kudu server's directories, a row set's directory, or just files. */
import type { FileTree } from "@cfile/io";
import type { Given } from "../../protocol.js";
import { countText } from "../cells.js";
import { type ChildDoc, type Doc, ListDoc, type Work } from "./doc.js";
import { givenTrees, readOnlyDirectory, sourceOf } from "./given-tree.js";
import { fileChild } from "./open-file.js";

/** What was given: folders of one Kudu server together, every other folder and every file beside them. */
export async function openFolder(given: Given, work: Work): Promise<Doc> {
  const { folders, files } = givenTrees(given);
  const { openKuduDocs } = await import("./kudu-doc.js");
  const { servers, others } = await openKuduDocs(folders);
  const [server] = servers;
  const [folder] = others;
  if (server !== undefined && servers.length + others.length + files.length === 1) {
    return server;
  }
  if (folder !== undefined && servers.length + others.length + files.length === 1) {
    return folderDoc(folder, "", folder.name, work);
  }
  const children: ChildDoc[] = [
    ...servers.map((doc) => ({
      label: doc.view.title,
      detail: "Kudu server",
      kind: "folder" as const,
      hasChildren: true,
      open: async () => doc,
    })),
    ...others.map((tree) => folderChild(tree, "", tree.name)),
    ...files.map((file) => fileChild(file.path, "", async () => sourceOf(file, file.path))),
  ];
  return listDoc("files", children);
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
    return kind === "file" ? fileChild(name, "", () => tree.openSource(path)) : folderChild(tree, path, name);
  });
  work.signal.throwIfAborted();
  return listDoc(title, children);
}

function folderChild(tree: FileTree, path: string, label: string): ChildDoc {
  const open = (work: Work): Promise<Doc> => folderDoc(tree, path, label, work);
  return { label, detail: "", kind: "folder", hasChildren: true, open };
}

function listDoc(title: string, children: readonly ChildDoc[]): ListDoc {
  return new ListDoc(title, [{ label: "Files", value: countText(children.length) }], () => children);
}
