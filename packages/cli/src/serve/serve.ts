/** `cfile serve`: serves the explorer for files of this machine. */
import { spawn } from "node:child_process";
import { wholeNumber } from "../options/option-values.js";
import { JSON_OPTION } from "../options/options.js";
import { command } from "../program/command.js";
import type { CliContext } from "../program/context.js";
import { EXIT } from "../program/exit-code.js";
import { flag, list, required, value, withDefault } from "../program/option.js";
import { startExplorerServer } from "./explorer-server.js";
import { servedFiles } from "./served-files.js";

export const serve = command({
  about:
    "Prints the address of a page that shows blocks, bytes, rows and damage. Only this machine can reach it. Press Ctrl-C to stop.",
  args: { files: required(list("PATH", "files, table stores, or the directories of a Kudu server")) },
  options: {
    port: withDefault(
      value("PORT", "port to listen on; 0 for a free one", (name, text) =>
        wholeNumber(name, text, 0, 65_535),
      ),
      "0",
    ),
    open: flag("open the browser"),
    json: JSON_OPTION,
  },
  examples: [
    ["Explore a file in the browser", "cfile serve c.cfile --open"],
    ["Explore the tables of a Kudu server", "cfile serve /var/lib/kudu/tserver"],
  ],
  run: async (context, { files, port, open, json }) => {
    const server = await startExplorerServer(await servedFiles(files), port);
    try {
      await context.stdout.line(json ? JSON.stringify({ url: server.url }) : server.url);
      await context.stdout.flush();
      await context.stderr.line("Only this machine can reach this address. Press Ctrl-C to stop.");
      await context.stderr.flush();
      if (open) {
        await openBrowser(server.url, context);
      }
      await ended(context.io.signal);
    } finally {
      await server.close();
    }
    context.exitCode = EXIT.ok;
  },
});

function ended(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
    }
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", '""'],
};

/** A browser that does not start is reported and is not a failure. */
function openBrowser(url: string, context: CliContext): Promise<void> {
  const [program = "xdg-open", ...args] = OPENERS[process.platform] ?? [];
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
    child.once("spawn", () => {
      child.unref();
      resolve();
    });
    child.once("error", ({ message }) => {
      context.stderr.line(`cannot open the browser: ${message}`).then(resolve, resolve);
    });
  });
}
