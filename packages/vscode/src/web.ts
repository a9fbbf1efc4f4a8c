/** The extension in a browser: URLs are read by ranges. Other files are read whole: the editor has no ranged reads. */
import * as vscode from "vscode";
import { register } from "./extension.js";
import { wholeFile } from "./ranged-file.js";
import { openUrlFile } from "./url-file.js";

export function activate(context: vscode.ExtensionContext): void {
  register(context, async (uri) =>
    uri.scheme === "http" || uri.scheme === "https"
      ? openUrlFile(uri.toString(true))
      : wholeFile(await vscode.workspace.fs.readFile(uri)),
  );
}
