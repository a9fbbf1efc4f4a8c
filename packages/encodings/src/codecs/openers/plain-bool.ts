import type { BlockOpener } from "../block-codec.js";
import { openPlainBoolBlock } from "../plain/plain-bool.js";

export const plainBoolOpener: BlockOpener = (bytes) => openPlainBoolBlock(bytes);
