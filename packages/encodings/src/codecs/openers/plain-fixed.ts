import type { FixedPhysicalType } from "../../types/data-type.js";
import type { BlockOpener } from "../block-codec.js";
import { openPlainFixedBlock } from "../plain/plain-fixed.js";

export function plainFixedOpener(physical: FixedPhysicalType): BlockOpener {
  return (bytes, context) => openPlainFixedBlock(physical, bytes, context);
}
