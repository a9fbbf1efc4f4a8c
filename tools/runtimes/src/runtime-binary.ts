/**
 * Executables of other runtimes from npm packages. There is one package per platform, and npm installs the
 * one for this platform. Nothing else is downloaded, and no install script runs.
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export type Runtime = "deno" | "bun" | "workerd";

const FOLDERS = ["bin", "."];

/** The path of a runtime's executable; `undefined` if this platform has none. */
export function runtimeBinary(runtime: Runtime): string | undefined {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve(`${runtime}/package.json`);
  const { optionalDependencies }: { optionalDependencies: Record<string, string> } = require(manifest);
  const program = process.platform === "win32" ? `${runtime}.exe` : runtime;
  for (const platform of Object.keys(optionalDependencies)) {
    const installed = resolved(createRequire(manifest), `${platform}/package.json`);
    const paths = installed ? FOLDERS.map((folder) => join(dirname(installed), folder, program)) : [];
    const found = paths.find((path) => existsSync(path));
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

function resolved(require: NodeJS.Require, id: string): string | undefined {
  try {
    return require.resolve(id);
  } catch {
    return undefined;
  }
}
