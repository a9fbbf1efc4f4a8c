import type { FixedPhysicalType } from "../../types/data-type.js";
import { openBitshuffleBlock } from "../bitshuffle/bitshuffle-block.js";
import type { BlockOpener } from "../block-codec.js";

export function bitshuffleOpener(physical: FixedPhysicalType): BlockOpener {
  return (bytes, context) => openBitshuffleBlock(physical, bytes, 0, context);
}
