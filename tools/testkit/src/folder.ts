/** Folders for tests, removed after the test file has run. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folders: string[] = [];

/** An empty folder, for a test or for all tests of a file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "cfile-test-"));
  folders.push(folder);
  return folder;
}

export function removeTemporaryFolders(): void {
  for (const folder of folders.splice(0)) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
