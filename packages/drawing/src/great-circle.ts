// Conversion between places and directions, and places on a great circle.

import { angleBetween, type Direction, toDirection, type Place } from './sphere.ts'

export const degrees = (angle: number): number => (angle * 180) / Math.PI

export const toPlace = ([x, y, z]: Direction): Place => [
  degrees(Math.atan2(y, x)),
  degrees(Math.atan2(z, Math.hypot(x, y))),
]

/**
 * Returns the place at the fraction `part` of the great circle; undefined between antipodes, which infinitely many
 * great circles connect.
 */
export function interpolateGreatCircle(from: Place, to: Place, part: number): Place | undefined {
  const angle = angleBetween(from, to)
  if (angle < 1e-7) return from
  if (Math.PI - angle < 1e-6) return undefined
  const a = Math.sin((1 - part) * angle) / Math.sin(angle)
  const b = Math.sin(part * angle) / Math.sin(angle)
  const start = toDirection(from)
  const end = toDirection(to)
  return toPlace([a * start[0] + b * end[0], a * start[1] + b * end[1], a * start[2] + b * end[2]])
}
