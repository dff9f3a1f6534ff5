import type { Segment } from '@tern/drawing/boxes'

/** Coast lines of a drawing made by maps/draw.ts, whose path consists of whole-number steps. */
export function readCoast(drawing: string): Segment[] {
  const path = /class="coast" d="([^"]*)"/.exec(drawing)?.[1] ?? ''
  return (path.match(/M[^M]*/g) ?? []).flatMap((part) => {
    const [startX = 0, startY = 0, ...steps] = (part.match(/-?\d+/g) ?? []).map(Number)
    const segments: Segment[] = []
    let [x, y] = [startX, startY]
    for (let index = 0; index + 1 < steps.length; index += 2) {
      const [nextX, nextY] = [x + (steps[index] ?? 0), y + (steps[index + 1] ?? 0)]
      segments.push([x, y, nextX, nextY])
      ;[x, y] = [nextX, nextY]
    }
    if (part.endsWith('Z')) segments.push([x, y, startX, startY])
    return segments
  })
}

/** Path data of a country in a drawing made by maps/draw.ts; empty if it is not visible, or too small to be drawn. */
export const findCountryPath = (drawing: string, code: string): string =>
  new RegExp(`class="${code}" d="([^"]*)"`).exec(drawing)?.[1] ?? ''
