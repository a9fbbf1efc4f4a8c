/** The extension on the desktop and on servers: files of the machine and URLs are read in ranges. */
import type * as vscode from "vscode";
import { diskFile } from "./disk-file.js";
import { openWhole, register } from "./extension.js";

export function activate(context: vscode.ExtensionContext): void {
  register(context, async (uri) => (uri.scheme === "file" ? diskFile(uri.fsPath) : openWhole(uri)));
}
