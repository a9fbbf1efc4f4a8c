/** Bundles a program as for deployment. */
import { join, parse } from "node:path";
import { build } from "esbuild";

export interface BundleOptions {
  /** Packages to leave out of the bundle. Default: none. */
  readonly external?: readonly string[];
  /** Whether dynamic imports become separate files. Default `false`: one file. */
  readonly splitting?: boolean;
}

/** @returns the path of the program */
export async function bundledProgram(
  entry: string,
  folder: string,
  { external = [], splitting = false }: BundleOptions = {},
): Promise<string> {
  await build({
    entryPoints: [entry],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    external: [...external],
    minify: true,
    splitting,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "error",
  });
  return join(folder, `${parse(entry).name}.mjs`);
}
