/** Folders: the directories of Kudu servers, the root directory of HBase, the folder of a table store or of a Hudi table, or any files. */
import type { FileTree } from "@cfile/io";
import type { Given } from "../../protocol.js";
import { type ChildDoc, type Doc, filesDoc, folderChild, type Work } from "./doc.js";
import { givenTrees, readOnlyDirectory, sourceOf, subTree } from "./given-tree.js";
import { fileChild } from "./open-file.js";

/** Folders of Kudu servers open together; every other folder and file is a separate child. */
export async function openFolder(given: Given, work: Work): Promise<Doc> {
  const { folders, files } = givenTrees(given);
  const { openKuduDocs } = await import("./tables/cluster-doc.js");
  const { server, others } = await openKuduDocs(folders);
  const [folder] = others;
  if (Number(server !== undefined) + others.length + files.length === 1) {
    if (server !== undefined) {
      return server;
    }
    if (folder !== undefined) {
      return folderDoc(folder, "", folder.name, work);
    }
  }
  return filesDoc("files", [
    ...(server === undefined ? [] : [folderChild(server.view.title, "Kudu server", async () => server)]),
    ...others.map((tree) => childOf(tree, "", tree.name)),
    ...files.map((file) => fileChild(file.path, "", async () => sourceOf(file, file.path))),
  ]);
}

async function folderDoc(tree: FileTree, folder: string, title: string, work: Work): Promise<Doc> {
  const entries = await tree.list(folder);
  if (folder === "") {
    const { looksLikeHBase, openHBaseDoc } = await import("./tables/hbase-doc.js");
    if (looksLikeHBase(entries)) {
      return openHBaseDoc(tree, title);
    }
  }
  if (entries.some(({ name }) => name === "rowset.json")) {
    const { openTableStoreDoc } = await import("./tables/table-doc.js");
    return openTableStoreDoc(readOnlyDirectory(tree, folder), title);
  }
  if (entries.some(({ name, kind }) => name === ".hoodie" && kind === "folder")) {
    const { openHudiDoc } = await import("./tables/hudi-doc.js");
    return openHudiDoc(subTree(tree, folder), title);
  }
  work.signal.throwIfAborted();
  // Folders first.
  const sorted = entries.toSorted((a, b) => b.kind.localeCompare(a.kind) || a.name.localeCompare(b.name));
  const children = sorted.map(({ name, kind }): ChildDoc => {
    const path = folder === "" ? name : `${folder}/${name}`;
    return kind === "file" ? fileChild(name, "", () => tree.openSource(path)) : childOf(tree, path, name);
  });
  return filesDoc(title, children);
}

function childOf(tree: FileTree, path: string, name: string): ChildDoc {
  return folderChild(name, "", (work) => folderDoc(tree, path, name, work));
}
