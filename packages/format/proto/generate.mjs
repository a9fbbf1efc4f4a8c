// Makes src/generated/{decode,encode}-cfile-proto.{js,d.ts} from cfile.proto: `pnpm --filter @cfile/format proto`.
// Static code only: the browser bundle carries no reflection and no schema text. What reads files needs no encoders, so these
// are a module of their own, and is run with src/file/protobuf-runtime.ts instead of the library.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const options = [
  "--no-create",
  "--no-verify",
  "--no-convert",
  "--no-delimited",
  "--no-typeurl",
  "--no-service",
];

for (const [half, other] of [
  ["decode", "encode"],
  ["encode", "decode"],
]) {
  const script = `src/generated/${half}-cfile-proto.js`;
  const types = `src/generated/${half}-cfile-proto.d.ts`;
  const target = ["-t", "static-module", "-w", "es6", "--es6", "--root", `cfile.format.${half}`];
  const pbjs = (...extra) =>
    execFileSync(
      "pbjs",
      [
        ...target,
        "--dependency",
        half === "decode" ? "../file/protobuf-runtime.js" : "protobufjs/minimal.js",
        ...options,
        `--no-${other}`,
        ...extra,
        "-o",
        script,
        "proto/cfile.proto",
      ],
      { stdio: "inherit" },
    );
  // The types are made from the comments, which the script itself then does without.
  pbjs();
  execFileSync("pbts", ["-o", types, script], { stdio: "inherit" });
  pbjs("--no-comments");
  for (const file of [script, types]) {
    const note = "// Generated from proto/cfile.proto by `pnpm --filter @cfile/format proto`. Do not edit.\n";
    const text = readFileSync(file, "utf8");
    writeFileSync(file, note + (half === "decode" ? withOurRuntime(text) : text));
  }
}

/** @param {string} text code or types that pbjs and pbts wrote for their own runtime */
function withOurRuntime(text) {
  return text
    .replace(/import \$protobuf from (".*runtime.js")/, "import * as $$protobuf from $1")
    .replace(
      'import * as $protobuf from "protobufjs"',
      'import type * as $protobuf from "../file/protobuf-runtime.js"',
    )
    .replace('import Long = require("long")', "type Long = bigint");
}
