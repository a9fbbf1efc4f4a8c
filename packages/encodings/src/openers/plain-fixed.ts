import type { BlockOpener } from "../block-codec.js";
import type { FixedPhysicalType } from "../data-type.js";
import { openPlainFixedBlock } from "../plain-fixed.js";

export function plainFixedOpener(physical: FixedPhysicalType): BlockOpener {
  return (bytes, context) => openPlainFixedBlock(physical, bytes, context);
}
