import type { PhysicalType } from "../../types/data-type.js";
import type { BlockOpener } from "../block-codec.js";
import { openRleBlock } from "../rle/rle-block.js";

export function rleOpener(physical: PhysicalType): BlockOpener {
  return (bytes, context) => openRleBlock(physical, bytes, context);
}
