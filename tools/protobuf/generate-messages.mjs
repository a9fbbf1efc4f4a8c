#!/usr/bin/env node
// Writes `src/generated` of the package in the current folder: `pnpm proto`.
import { mkdirSync, writeFileSync } from "node:fs";
import { generateMessages } from "@cfile-tools/protobuf";

mkdirSync("src/generated", { recursive: true });
for (const [file, text] of await generateMessages(".")) {
  writeFileSync(file, text);
}
