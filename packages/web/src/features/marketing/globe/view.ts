// not money: angles and positions on a drawing.
import { interpolateGreatCircle } from '@tern/drawing/great-circle'
import { angleBetween, toDirection, type Direction, type Place, createRotation } from '@tern/drawing/sphere'

/** View of a globe: the place it is seen from, and its circle on the drawing. */
export interface View {
  readonly longitude: number
  readonly latitude: number
  readonly x: number
  readonly y: number
  readonly radius: number
}

/** Rotates directions so that the third component points to the viewer; positive means visible. */
export const createViewRotation = ({ longitude, latitude }: View): ((direction: Direction) => Direction) =>
  createRotation([longitude, latitude])

/** Point on the great circle; `share` runs from 0 at the start to 1 at the end. No two countries are antipodes. */
export const interpolatePlace = (from: Place, to: Place, share: number): Place =>
  interpolateGreatCircle(from, to, share) ?? from

export type Point = readonly [x: number, y: number]

export const onDrawing = ({ x, y, radius }: View, direction: Direction): Point => [
  x + radius * direction[0],
  y - radius * direction[1],
]

/** Position of a place on the drawing; undefined on the far side. */
export function projectPlace(view: View, place: Place): Point | undefined {
  const direction = createViewRotation(view)(toDirection(place))
  return direction[2] > 0 ? onDrawing(view, direction) : undefined
}

/** Great circle between two places, lifted by a share of its length and cut off where it passes behind the globe. */
export function arcPoints(view: View, from: Place, to: Place, liftShare = 0.14): Point[] {
  const steps = 36
  const rotate = createViewRotation(view)
  const height = liftShare * angleBetween(from, to)
  const points: Point[] = []
  if (height < 1e-7) return points
  for (let step = 0; step <= steps; step++) {
    const [x, y, z] = rotate(toDirection(interpolatePlace(from, to, step / steps)))
    if (z < -0.02 && points.length > 0) break
    if (z < -0.02) continue
    const heightFactor = 1 + height * Math.sin((Math.PI * step) / steps)
    points.push(onDrawing(view, [x * heightFactor, y * heightFactor, z]))
  }
  return points
}
