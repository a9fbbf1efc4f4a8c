/** Packs the extension with the options of the package's script `package`. Nothing is requested from the network. */
import { join } from "node:path";
import { createVSIX } from "@vscode/vsce";

export const PACKAGE = join(import.meta.dirname, "..");

/** @returns the path of the `.vsix` in `folder` */
export async function packExtension(folder: string): Promise<string> {
  const packagePath = join(folder, "cfile-explorer.vsix");
  await createVSIX({
    cwd: PACKAGE,
    packagePath,
    dependencies: false,
    allowMissingRepository: true,
    skipLicense: true,
  });
  return packagePath;
}
