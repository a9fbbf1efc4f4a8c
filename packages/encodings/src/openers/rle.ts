import type { BlockOpener } from "../block-codec.js";
import type { PhysicalType } from "../data-type.js";
import { openRleBlock } from "../rle-block.js";

export function rleOpener(physical: PhysicalType): BlockOpener {
  return (bytes, context) => openRleBlock(physical, bytes, context);
}
