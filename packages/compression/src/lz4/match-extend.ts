/** How far a match goes, for the encoders of LZ4 and Snappy. */

/** The first position from `position` on whose byte differs from the one as far behind `candidate`, or `limit`. */
export function extendMatch(view: DataView, position: number, candidate: number, limit: number): number {
  while (position + 4 <= limit) {
    const difference = view.getInt32(position, true) ^ view.getInt32(candidate, true);
    if (difference !== 0) {
      return position + ((31 - Math.clz32(difference & -difference)) >>> 3);
    }
    position += 4;
    candidate += 4;
  }
  while (position < limit && view.getUint8(position) === view.getUint8(candidate)) {
    position++;
    candidate++;
  }
  return position;
}
