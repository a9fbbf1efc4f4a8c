/** The extension: an editor for files, and a panel for folders and URLs. Both show the explorer's page. */
import * as vscode from "vscode";
import { pageHtml } from "./page-html.js";
import { OpenFiles, type RangedFile, type ReadMessage } from "./ranged-file.js";

/** Opens a file by its URI, by ranges where the platform can. */
export type OpenFile = (uri: vscode.Uri) => Promise<RangedFile>;

interface NamedFile {
  /** Name, below the folder. */
  readonly path: string;
  readonly uri: vscode.Uri;
}

type FromPage =
  | ReadMessage
  | { readonly ready: true }
  | { readonly save: { readonly name: string; readonly bytes: Uint8Array } };

const EDITOR = "cfile.explorer";
const MAX_FILES = 200_000;

export function register(context: vscode.ExtensionContext, openFile: OpenFile): void {
  const pageFolder = vscode.Uri.joinPath(context.extensionUri, "dist", "page");
  const show = (panel: vscode.WebviewPanel, files: readonly NamedFile[]): void =>
    showFiles({ panel, files, openFile, pageFolder });
  const editor: vscode.CustomReadonlyEditorProvider = {
    openCustomDocument: (uri) => ({ uri, dispose: () => undefined }),
    resolveCustomEditor: ({ uri }, panel) => show(panel, [fileAt(uri)]),
  };
  context.subscriptions.push(
    vscode.window.registerCustomEditorProvider(EDITOR, editor, {
      webviewOptions: { retainContextWhenHidden: true },
    }),
    vscode.commands.registerCommand("cfile.open", async (uri: vscode.Uri) => {
      const { type } = await vscode.workspace.fs.stat(uri);
      if ((type & vscode.FileType.Directory) === 0) {
        await vscode.commands.executeCommand("vscode.openWith", uri, EDITOR);
      } else {
        show(newPanel(nameOf(uri)), await filesBelow(uri));
      }
    }),
    vscode.commands.registerCommand("cfile.openUrl", async (given?: string) => {
      const url =
        given ?? (await vscode.window.showInputBox({ prompt: "URL of a file", placeHolder: "https://…" }));
      if (url) {
        const uri = vscode.Uri.parse(url, true);
        show(newPanel(nameOf(uri)), [fileAt(uri)]);
      }
    }),
  );
}

function newPanel(title: string): vscode.WebviewPanel {
  return vscode.window.createWebviewPanel(EDITOR, title, vscode.ViewColumn.Active, {
    retainContextWhenHidden: true,
  });
}

interface Shown {
  readonly panel: vscode.WebviewPanel;
  readonly files: readonly NamedFile[];
  readonly openFile: OpenFile;
  readonly pageFolder: vscode.Uri;
}

function showFiles({ panel, files, openFile, pageFolder }: Shown): void {
  const { webview } = panel;
  const open = new OpenFiles(
    files.map(
      ({ uri }) =>
        () =>
          openFile(uri),
    ),
  );
  webview.options = { enableScripts: true, localResourceRoots: [pageFolder] };
  webview.onDidReceiveMessage(async (message: FromPage) => {
    if ("ready" in message) {
      await webview.postMessage({ files: files.map(({ path }, host) => ({ path, host })) });
    } else if ("save" in message) {
      await save(message.save.name, message.save.bytes);
    } else {
      await webview.postMessage(await open.answer(message));
    }
  });
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

function fileAt(uri: vscode.Uri): NamedFile {
  return { path: nameOf(uri), uri };
}

function nameOf({ path }: vscode.Uri): string {
  return path.split("/").filter(Boolean).at(-1) ?? path;
}

/** All files of a folder of any file system of the editor, remote ones included. */
async function filesBelow(folder: vscode.Uri): Promise<NamedFile[]> {
  const found: NamedFile[] = [];
  const list = async (uri: vscode.Uri, prefix: string): Promise<void> => {
    for (const [name, type] of await vscode.workspace.fs.readDirectory(uri)) {
      const child = { path: `${prefix}/${name}`, uri: vscode.Uri.joinPath(uri, name) };
      if ((type & vscode.FileType.Directory) !== 0) {
        await list(child.uri, child.path);
      } else {
        found.push(child);
      }
      if (found.length > MAX_FILES) {
        throw new RangeError(`too many files (maximum ${MAX_FILES})`);
      }
    }
  };
  await list(folder, nameOf(folder));
  return found;
}
