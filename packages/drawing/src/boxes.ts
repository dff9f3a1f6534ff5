// not money: positions in a drawing

export type Segment = readonly [x1: number, y1: number, x2: number, y2: number]

export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

export const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top

export const contains = (outer: Box, inner: Box): boolean =>
  inner.left >= outer.left && inner.top >= outer.top && inner.right <= outer.right && inner.bottom <= outer.bottom

/** Reports whether a segment intersects a box (Liang–Barsky). */
export function crosses([x1, y1, x2, y2]: Segment, { left, top, right, bottom }: Box): boolean {
  const isBeside = (x1 < left && x2 < left) || (x1 > right && x2 > right)
  if (isBeside || (y1 < top && y2 < top) || (y1 > bottom && y2 > bottom)) return false
  let entry = 0
  let exit = 1
  const dx = x2 - x1
  const dy = y2 - y1
  for (const [delta, distance] of [
    [-dx, x1 - left],
    [dx, right - x1],
    [-dy, y1 - top],
    [dy, bottom - y1],
  ] as const) {
    if (delta === 0 && distance < 0) return false
    if (delta < 0) entry = Math.max(entry, distance / delta)
    if (delta > 0) exit = Math.min(exit, distance / delta)
  }
  return entry <= exit
}
