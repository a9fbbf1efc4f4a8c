/** Compares the generated code of the messages in `proto/` with protobufjs. */
import { fileURLToPath } from "node:url";
import { describeMessages } from "@cfile-tools/protobuf";
import * as decoders from "../src/generated/decode.js";
import * as encoders from "../src/generated/encode.js";

describeMessages(fileURLToPath(new URL("..", import.meta.url)), decoders, encoders);
