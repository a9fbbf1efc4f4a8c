/** A folder of any file system of the editor: of this machine, of a remote one, or of another extension. */
import type { ByteSource, FileTree } from "@cfile/io";
import * as vscode from "vscode";
import { typedError } from "./open-files.js";

/** Opens a file by its URI, with reads of ranges if the platform supports them. */
export type OpenFile = (uri: vscode.Uri) => Promise<ByteSource>;

export function editorTree(folder: vscode.Uri, openFile: OpenFile): FileTree {
  const at = (path: string): vscode.Uri => (path === "" ? folder : vscode.Uri.joinPath(folder, path));
  return {
    name: folder.toString(true),
    list: async (path) => {
      try {
        const entries = await vscode.workspace.fs.readDirectory(at(path));
        return entries.map(([name, type]) => ({
          name,
          kind: (type & vscode.FileType.Directory) === 0 ? "file" : "folder",
        }));
      } catch (error) {
        throw typedError(error, at(path).toString(true));
      }
    },
    openSource: (path) => openFile(at(path)),
  };
}
