/**
 * Programs of other runtimes, as npm delivers them: a package for each platform, with the program in it, of which the one for this
 * platform is installed. Nothing is downloaded, and no install script needs to run.
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export type Runtime = "deno" | "bun" | "workerd";

const PLACES = ["bin", "."];

/** The path of a runtime's program; `undefined` where there is none for this platform. */
export function runtimeBinary(runtime: Runtime): string | undefined {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve(`${runtime}/package.json`);
  const { optionalDependencies }: { optionalDependencies: Record<string, string> } = require(manifest);
  const program = process.platform === "win32" ? `${runtime}.exe` : runtime;
  for (const platform of Object.keys(optionalDependencies)) {
    const installed = resolved(createRequire(manifest), `${platform}/package.json`);
    const found = PLACES.map((place) => installed && join(dirname(installed), place, program)).find(
      (path) => path !== undefined && existsSync(path),
    );
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
