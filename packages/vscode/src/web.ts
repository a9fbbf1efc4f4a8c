/** The extension in a browser: URLs are read in ranges, other files whole. */
import type * as vscode from "vscode";
import { openWhole, register } from "./extension.js";

export function activate(context: vscode.ExtensionContext): void {
  register(context, openWhole);
}
