import { directionOf, dot, radians, type Direction, type Size, type View } from './globe.ts'
import type { At } from './lines.ts'
import type { Position } from './currency-places.ts'

const dayMs = 86_400_000

/**
 * Where it is midnight with the sun straight below, to about half a degree (Spencer's series of declination and equation of
 * time).
 */
export function middleOfNight(at: Date): Position {
  const yearStart = Date.UTC(at.getUTCFullYear(), 0, 1)
  const day = (at.getTime() - yearStart) / dayMs
  const g = (2 * Math.PI * (day - 81)) / 365
  const declination = 23.44 * Math.sin(g)
  const minutesAhead = 9.87 * Math.sin(2 * g) - 7.53 * Math.cos(g) - 1.5 * Math.sin(g)
  const hours = (at.getTime() % dayMs) / 3_600_000
  const noon = -15 * (hours - 12 + minutesAhead / 60)
  return [((noon + 180 + 540) % 360) - 180, -declination]
}

/** Whether it is night somewhere. */
export const isNight = (place: Position, at: Date): boolean =>
  dot(directionOf(place), directionOf(middleOfNight(at))) > 0

const steps = 48

/** The visible part of the night on a drawing, as a closed line; nothing where all that is seen has day. */
export function nightOn(at: Date, { centre, radius, shift }: View, { width, height }: Size): At[] {
  const night = directionOf(middleOfNight(at))
  const [lambda, phi] = [radians(centre[0]), radians(centre[1])]
  const east: Direction = [-Math.sin(lambda), Math.cos(lambda), 0]
  const north: Direction = [-Math.sin(phi) * Math.cos(lambda), -Math.sin(phi) * Math.sin(lambda), Math.cos(phi)]
  // The night as seen: right, up and towards the reader.
  const [x, y, z] = [dot(night, east), dot(night, north), dot(night, directionOf(centre))]
  const [middleX, middleY] = [width / 2 + shift[0] * radius, height / 2 + shift[1] * radius]
  const on = (right: number, up: number): At => [middleX + radius * right, middleY - radius * up]
  const across = Math.hypot(x, y)
  const turn = across < 1e-6 ? 0 : Math.atan2(y, x)
  // The edge of the night meets the limb a quarter turn to both sides of where the night is; between, it is half an ellipse.
  return Array.from({ length: 2 * steps }, (_, step) => {
    const isLimb = step < steps
    const angle = isLimb ? -90 + (180 * step) / steps : 90 - (180 * (step - steps)) / steps
    const [along, side] = [Math.cos(radians(angle)) * (isLimb ? 1 : -z), Math.sin(radians(angle))]
    return on(along * Math.cos(turn) - side * Math.sin(turn), along * Math.sin(turn) + side * Math.cos(turn))
  })
}
