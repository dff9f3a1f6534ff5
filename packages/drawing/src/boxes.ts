// not money: positions on a drawing.

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

/** Reports whether a segment touches a box (Liang–Barsky). */
export function crosses([x1, y1, x2, y2]: Segment, { left, top, right, bottom }: Box): boolean {
  const isBeside = (x1 < left && x2 < left) || (x1 > right && x2 > right)
  if (isBeside || (y1 < top && y2 < top) || (y1 > bottom && y2 > bottom)) return false
  let enters = 0
  let leaves = 1
  const dx = x2 - x1
  const dy = y2 - y1
  for (const [way, room] of [
    [-dx, x1 - left],
    [dx, right - x1],
    [-dy, y1 - top],
    [dy, bottom - y1],
  ] as const) {
    if (way === 0 && room < 0) return false
    if (way < 0) enters = Math.max(enters, room / way)
    if (way > 0) leaves = Math.min(leaves, room / way)
  }
  return enters <= leaves
}
