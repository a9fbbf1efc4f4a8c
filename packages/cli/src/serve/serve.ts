/** `cfile serve`: the explorer on files of this machine. */
import { spawn } from "node:child_process";
import type { Argv, CommandModule } from "yargs";
import { JSON_FLAG } from "../options/options.js";
import type { CliContext } from "../program/context.js";
import { EXIT, UsageError } from "../program/exit-code.js";
import { startExplorerServer } from "./explorer-server.js";
import { servedFiles } from "./served-files.js";

interface ServeArguments {
  readonly files: string[];
  readonly port: string;
  readonly open: boolean | undefined;
  readonly json: boolean | undefined;
}

export function serveCommand(context: CliContext): CommandModule<object, ServeArguments> {
  return {
    command: "serve <files..>",
    describe: "show files, row sets or a Kudu server's directories in the browser",
    builder: (yargs: Argv) =>
      yargs
        .positional("files", {
          type: "string",
          array: true,
          demandOption: true,
          describe: "files and folders",
        })
        .option("port", {
          type: "string",
          default: "0",
          requiresArg: true,
          describe: "port; 0 takes a free one",
        })
        .option("open", { type: "boolean", describe: "open the browser" })
        .option("json", JSON_FLAG)
        .example("$0 serve c.cfile --open", "look at a file, block by block and row by row")
        .example("$0 serve /var/lib/kudu/tserver", "tables, tablets, row sets and blocks of a server"),
    handler: async ({ files, port, open, json }) => {
      const { signal } = context.io;
      const server = await startExplorerServer(await servedFiles(files), portNumber(port));
      try {
        await context.stdout.line(json ? JSON.stringify({ url: server.url }) : server.url);
        await context.stdout.flush();
        await context.stderr.line(
          "Only this machine can reach it, and only by this address. Ctrl-C ends it.",
        );
        await context.stderr.flush();
        if (open) {
          await openBrowser(server.url, context);
        }
        await ended(signal);
      } finally {
        await server.close();
      }
      context.exitCode = EXIT.ok;
    },
  };
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) {
    throw new UsageError(`--port is ${text}, 0 to 65535 is expected`);
  }
  return port;
}

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

/** A browser that does not come is told, and no failure. */
function openBrowser(url: string, context: CliContext): Promise<void> {
  const [program = "xdg-open", ...args] = OPENERS[process.platform] ?? [];
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
    child.once("spawn", () => {
      child.unref();
      resolve();
    });
    child.once("error", ({ message }) => {
      context.stderr.line(`The browser cannot be opened: ${message}`).then(resolve, resolve);
    });
  });
}
