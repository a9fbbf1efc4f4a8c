/** Compares the generated code of the messages in `proto/` with protobufjs. */
import { fileURLToPath } from "node:url";
import { describeMessages } from "@cfile-tools/protobuf";
import * as decoders from "../src/generated/decode.js";
import * as encoders from "../src/generated/encode.js";
import { goldenBytes, goldenNames } from "./golden.js";

/** The footer's message of a golden file. */
function footerOf(file: Uint8Array): Uint8Array {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const length = view.getUint32(file.length - 4, true);
  return file.subarray(file.length - 12 - length, file.length - 12);
}

describeMessages(fileURLToPath(new URL("..", import.meta.url)), decoders, encoders, {
  Footer: goldenNames.map((name) => footerOf(goldenBytes(name))),
});
