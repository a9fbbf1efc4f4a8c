import { openBitshuffleBlock } from "../bitshuffle-block.js";
import type { BlockOpener } from "../block-codec.js";
import type { FixedPhysicalType } from "../data-type.js";

export function bitshuffleOpener(physical: FixedPhysicalType): BlockOpener {
  return (bytes, context) => openBitshuffleBlock(physical, bytes, 0, context);
}
