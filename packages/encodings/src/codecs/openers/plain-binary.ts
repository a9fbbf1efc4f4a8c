import type { BlockOpener } from "../block-codec.js";
import { openPlainBinaryBlock } from "../plain/plain-binary-block.js";

export const plainBinaryOpener: BlockOpener = (bytes, context) => openPlainBinaryBlock(bytes, 0, context);
