/** Bundles a program as it is deployed: one file, and separate files for dynamic imports. */
import { join, parse } from "node:path";
import { build } from "esbuild";

/**
 * @param external packages that the program does without
 * @returns the path of the program
 */
export async function bundledProgram(
  entry: string,
  folder: string,
  external: readonly string[] = [],
): Promise<string> {
  await build({
    entryPoints: [entry],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    external: [...external],
    minify: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "error",
  });
  return join(folder, `${parse(entry).name}.mjs`);
}
