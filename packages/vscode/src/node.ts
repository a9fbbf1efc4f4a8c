/** The extension on the desktop and on servers: files of the machine and URLs are read by ranges. */
import * as vscode from "vscode";
import { diskFile } from "./disk-file.js";
import { register } from "./extension.js";
import { wholeFile } from "./ranged-file.js";
import { openUrlFile } from "./url-file.js";

export function activate(context: vscode.ExtensionContext): void {
  register(context, async (uri) => {
    switch (uri.scheme) {
      case "file":
        return diskFile(uri.fsPath);
      case "http":
      case "https":
        return openUrlFile(uri.toString(true));
      default:
        return wholeFile(await vscode.workspace.fs.readFile(uri));
    }
  });
}
