/**
 * Generates the code of a package's `proto/*.proto` files: one module that decodes and one that encodes. pbjs
 * runs it as a custom target.
 */
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

interface Pbjs {
  main(options: readonly string[], callback: (error: Error | null, output: string) => void): void;
}

const pbjs: Pbjs = createRequire(import.meta.url)("protobufjs-cli/pbjs");
const target = fileURLToPath(new URL("../target.cjs", import.meta.url));

/** File name and text of both modules. */
export async function generateMessages(folder: string): Promise<(readonly [string, string])[]> {
  const schemas = protoFiles(folder);
  const generate = async (half: "decode" | "encode"): Promise<readonly [string, string]> => [
    join(folder, "src", "generated", `${half}.ts`),
    await runPbjs(["--target", target, "--half", half, "--keep-case", ...schemas]),
  ];
  return [await generate("decode"), await generate("encode")];
}

export function protoFiles(folder: string): string[] {
  return readdirSync(join(folder, "proto"))
    .filter((name) => name.endsWith(".proto"))
    .sort()
    .map((name) => join(folder, "proto", name));
}

function runPbjs(options: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    pbjs.main(options, (error, output) => (error === null ? resolve(output) : reject(error)));
  });
}
