import type { BlockOpener } from "../block-codec.js";
import { openPrefixBlock } from "../prefix/prefix-block.js";

export const prefixOpener: BlockOpener = openPrefixBlock;
