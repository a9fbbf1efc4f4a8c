/**
 * Simulates the editor's extension host for the web in a worker: evaluates the built extension like the editor, with a `vscode`
 * module that has only the used functions. Panels are frames of the page; messages name their panel. The file system `golden:`
 * belongs to another extension and reads the test files of the server.
 */
import { URI, Utils } from "vscode-uri";

export type ToHost =
  | { readonly command: string; readonly argument: string }
  | { readonly panel: number; readonly message: unknown };

export type FromHost =
  | { readonly ready: true }
  | { readonly panel: number; readonly title: string; readonly html: string }
  | { readonly panel: number; readonly message: unknown }
  | { readonly saved: string; readonly bytes: Uint8Array }
  | { readonly error: string };

interface Panel {
  readonly title: string;
  readonly webview: object;
  readonly listeners: ((message: unknown) => unknown)[];
}

interface EditorProvider {
  openCustomDocument(uri: URI): object;
  resolveCustomEditor(document: object, panel: Panel): void;
}

const FILE = 1;
const DIRECTORY = 2;
const root = new URL(".", location.href);
const panels: Panel[] = [];
const commands = new Map<string, (argument: unknown) => unknown>();
let provider: EditorProvider | undefined;

const send = (message: FromHost): void => postMessage(message);

function newPanel(title: string): Panel {
  const panel = panels.length;
  const listeners: Panel["listeners"] = [];
  const webview = {
    options: {},
    cspSource: "'self'",
    asWebviewUri: (uri: URI) => uri,
    onDidReceiveMessage: (listener: (message: unknown) => unknown) => void listeners.push(listener),
    postMessage: async (message: unknown) => send({ panel, message }),
    set html(html: string) {
      send({ panel, title, html });
    },
  };
  const created = { title, webview, listeners };
  panels.push(created);
  return created;
}

function openWith(uri: URI): void {
  const panel = newPanel(Utils.basename(uri));
  provider?.resolveCustomEditor(provider.openCustomDocument(uri), panel);
}

/** Fetches a test file, or a folder with its list. */
async function fetched(uri: URI, ending = ""): Promise<Response> {
  const answer = await fetch(new URL(`golden${encodeURI(uri.path)}${ending}`, root));
  if (!answer.ok) {
    throw Object.assign(new Error(`${uri}: not found`), { code: "FileNotFound" });
  }
  return answer;
}

const fs = {
  stat: async (uri: URI) => {
    const isFolder = (await fetch(new URL(`golden${encodeURI(uri.path)}/`, root))).ok;
    return { type: isFolder ? DIRECTORY : (await fetched(uri)) && FILE };
  },
  readDirectory: async (uri: URI) => {
    const entries: { name: string; type: string }[] = await (await fetched(uri, "/")).json();
    return entries.map(({ name, type }) => [name, type === "directory" ? DIRECTORY : FILE]);
  },
  readFile: async (uri: URI) => new Uint8Array(await (await fetched(uri)).arrayBuffer()),
  writeFile: async (uri: URI, bytes: Uint8Array) => send({ saved: uri.path, bytes }),
};

const vscode = {
  Uri: { parse: URI.parse, joinPath: Utils.joinPath },
  FileType: { File: FILE, Directory: DIRECTORY },
  ViewColumn: { Active: -1 },
  workspace: { fs },
  window: {
    registerCustomEditorProvider: (_: string, given: EditorProvider) => {
      provider = given;
    },
    createWebviewPanel: (_: string, title: string) => newPanel(title),
    showErrorMessage: async (error: string) => send({ error }),
    showSaveDialog: async ({ title }: { title: string }) => URI.parse(`golden:/saved/${title}`),
  },
  commands: {
    registerCommand: (name: string, run: (argument: unknown) => unknown) => void commands.set(name, run),
    executeCommand: async (name: string, uri: URI) =>
      name === "vscode.openWith" ? openWith(uri) : commands.get(name)?.(uri),
  },
};

addEventListener("unhandledrejection", ({ reason }) => send({ error: `unhandled: ${reason}` }));
addEventListener("message", ({ data }: MessageEvent<ToHost>) => {
  if ("panel" in data) {
    for (const listener of panels[data.panel]?.listeners ?? []) {
      listener(data.message);
    }
  } else {
    const isUri = data.command === "cfile.open";
    commands.get(data.command)?.(isUri ? URI.parse(data.argument) : data.argument);
  }
});

interface Extension {
  activate(context: object): void;
}

const code = await (await fetch(new URL("extension/dist/web.js", root))).text();
const module: { exports: Partial<Extension> } = { exports: {} };
const require = (name: string): object => {
  if (name !== "vscode") {
    throw new Error(`the web has no module ${name}`);
  }
  return vscode;
};
new Function("module", "exports", "require", code)(module, module.exports, require);
module.exports.activate?.({ subscriptions: [], extensionUri: URI.parse(new URL("extension", root).href) });
send({ ready: true });
