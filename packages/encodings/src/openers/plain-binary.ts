import type { BlockOpener } from "../block-codec.js";
import { openPlainBinaryBlock } from "../plain-binary.js";

export const plainBinaryOpener: BlockOpener = (bytes, context) => openPlainBinaryBlock(bytes, 0, context);
