/** The extension: an editor for files, and a panel for folders and URLs. Both show the explorer's page. */
import { invalidArgument } from "@cfile/bytes";
import { type FileTree, memorySource } from "@cfile/io";
import { httpSource, httpTree } from "@cfile/io/http";
import * as vscode from "vscode";
import { editorTree, type OpenFile } from "./editor-tree.js";
import { filesBelow } from "./files-below.js";
import { type NamedFile, OpenFiles, type ReadMessage, typedError } from "./open-files.js";
import { pageHtml } from "./page-html.js";

type FromPage =
  | ReadMessage
  | { readonly ready: true }
  | { readonly save: { readonly name: string; readonly bytes: Uint8Array } };

const EDITOR = "cfile.explorer";
const URL_QUESTION = {
  prompt: "URL of a file, or of a folder that its server lists (ends with /)",
  placeHolder: "https://…",
};

/** Reads the whole file, because the editor does not support reads of ranges. */
export const openWhole: OpenFile = async (uri) => {
  const name = uri.toString(true);
  try {
    return memorySource(await vscode.workspace.fs.readFile(uri), name);
  } catch (error) {
    throw typedError(error, name);
  }
};

export function register(context: vscode.ExtensionContext, openFile: OpenFile): void {
  const pageFolder = vscode.Uri.joinPath(context.extensionUri, "dist", "page");
  const editor: vscode.CustomReadonlyEditorProvider = {
    openCustomDocument: (uri) => ({ uri, dispose: () => undefined }),
    resolveCustomEditor: ({ uri }, panel) =>
      showFiles(panel, [{ path: nameOf(uri.path), open: () => openFile(uri) }], pageFolder),
  };
  const showPanel = (name: string, files: readonly NamedFile[]): void => {
    const options = { retainContextWhenHidden: true };
    showFiles(
      vscode.window.createWebviewPanel(EDITOR, name, vscode.ViewColumn.Active, options),
      files,
      pageFolder,
    );
  };
  const showTree = async (tree: FileTree, name: string, isRemote = false): Promise<void> => {
    const files = await filesBelow(tree, name);
    showPanel(
      name,
      files.map((file) => ({ ...file, isRemote })),
    );
  };
  const openUri = async (uri: vscode.Uri): Promise<void> => {
    const { type } = await vscode.workspace.fs.stat(uri);
    await ((type & vscode.FileType.Directory) === 0
      ? vscode.commands.executeCommand("vscode.openWith", uri, EDITOR)
      : showTree(editorTree(uri, openFile), nameOf(uri.path)));
  };
  const openUrl = async (url: string): Promise<void> => {
    if (!URL.canParse(url)) {
      throw invalidArgument(`invalid URL: ${JSON.stringify(url)} (expected https://…)`);
    }
    const { protocol, pathname } = new URL(url);
    const name = nameOf(decodeURIComponent(pathname));
    if (!/^https?:$/.test(protocol)) {
      await openUri(vscode.Uri.parse(url, true));
    } else if (pathname.endsWith("/")) {
      await showTree(httpTree(url), name, true);
    } else {
      showPanel(name, [{ path: name, open: async () => httpSource(url), isRemote: true }]);
    }
  };
  context.subscriptions.push(
    vscode.window.registerCustomEditorProvider(EDITOR, editor, {
      webviewOptions: { retainContextWhenHidden: true },
    }),
    vscode.commands.registerCommand("cfile.open", (uri: vscode.Uri) => reporting(() => openUri(uri))),
    vscode.commands.registerCommand("cfile.openUrl", (given?: string) =>
      reporting(async () => {
        const url = given ?? (await vscode.window.showInputBox(URL_QUESTION));
        await (url && openUrl(url));
      }),
    ),
  );
}

/** Shows why a command failed. */
async function reporting(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    const { code, message } = typedError(error);
    void vscode.window.showErrorMessage(`${code}: ${message}`);
  }
}

function showFiles(
  { webview }: vscode.WebviewPanel,
  files: readonly NamedFile[],
  pageFolder: vscode.Uri,
): void {
  const open = new OpenFiles(files);
  webview.options = { enableScripts: true, localResourceRoots: [pageFolder] };
  webview.onDidReceiveMessage((message: FromPage) =>
    reporting(async () => {
      if ("ready" in message) {
        const given = files.map(({ path, isRemote }, host) => ({ path, host, isRemote }));
        await webview.postMessage({ files: given });
      } else if ("save" in message) {
        await save(message.save.name, message.save.bytes);
      } else {
        await webview.postMessage(await open.answer(message));
      }
    }),
  );
  const address = (name: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(pageFolder, name)).toString();
  webview.html = pageHtml({
    script: address("page.js"),
    worker: address("worker.js"),
    style: address("page.css"),
    source: webview.cspSource,
  });
}

async function save(name: string, bytes: Uint8Array): Promise<void> {
  const target = await vscode.window.showSaveDialog({ saveLabel: "Save", title: name });
  if (target !== undefined) {
    await vscode.workspace.fs.writeFile(target, bytes);
  }
}

/** The last name of a path; `files` for a web server's root. */
function nameOf(path: string): string {
  return path.split("/").filter(Boolean).at(-1) ?? "files";
}
