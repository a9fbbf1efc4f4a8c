import { listGolden, readGolden, readGoldenJson } from "@cfile-tools/testkit";
import { type CFileReader, openCFile } from "cfile";

export const goldenNames: readonly string[] = listGolden(".", ".cfile");

export function openGolden(name: string): Promise<CFileReader> {
  return openCFile(readGolden(`${name}.cfile`));
}

export function goldenDigest(name: string): string {
  return readGoldenJson<{ sha256: string }>(`${name}.json`).sha256;
}

export { digestOf } from "@cfile-tools/any-column";
