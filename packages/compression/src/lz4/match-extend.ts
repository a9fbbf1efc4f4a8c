/** Where a match ends, for the encoders of LZ4 and Snappy: the bytes at `position` and `candidate` agree up to there. */
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
