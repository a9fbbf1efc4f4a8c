/** Types of cells (docs/spec/hfile.md#5-data-block-body). */
export const DELETE = 8;
export const DELETE_FAMILY_VERSION = 10;
export const DELETE_COLUMN = 12;
export const DELETE_FAMILY = 14;

/** Whether cells of the type delete others. */
export function isMarker(type: number): boolean {
  return type >= DELETE && type <= DELETE_FAMILY;
}
