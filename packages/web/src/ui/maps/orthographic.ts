/** A place as longitude and latitude in degrees, or as a direction from the centre of the globe. */
export type Place = readonly [longitude: number, latitude: number]
type Direction = readonly [number, number, number]

/** Drawings of the globe are discs of this radius in the middle of a square of `globeSize`; see maps/drawing.ts. */
const globeRadius = 430
export const globeSize = 900

const radians = (degrees: number): number => (degrees * Math.PI) / 180

function directionOf([longitude, latitude]: Place): Direction {
  const [lambda, phi] = [radians(longitude), radians(latitude)]
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)]
}

const dot = (a: Direction, b: Direction): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]

/** The angle between two places as seen from the centre of the earth, in radians. */
export const distanceBetween = (a: Place, b: Place): number =>
  Math.acos(Math.min(1, Math.max(-1, dot(directionOf(a), directionOf(b)))))

interface Projected {
  readonly x: number
  readonly y: number
  /** False when it lies on the far side. */
  readonly visible: boolean
}

/** Sees the globe from far above `centre`: where directions fall on the drawing. */
function seenFrom(centre: Place): (direction: Direction) => Projected {
  const [lambda, phi] = [radians(centre[0]), radians(centre[1])]
  const east: Direction = [-Math.sin(lambda), Math.cos(lambda), 0]
  const north: Direction = [-Math.sin(phi) * Math.cos(lambda), -Math.sin(phi) * Math.sin(lambda), Math.cos(phi)]
  const towards = directionOf(centre)
  return (direction) => ({
    x: globeSize / 2 + globeRadius * dot(direction, east),
    y: globeSize / 2 - globeRadius * dot(direction, north),
    visible: dot(direction, towards) > 0,
  })
}

/** Where a place falls on the drawing of the globe seen from above `centre`. */
export const project = (centre: Place, place: Place): Projected => seenFrom(centre)(directionOf(place))

/** The great circle between two places on that drawing, lifted by a part of its length; cut off where it goes behind. */
export function arcBetween(centre: Place, from: Place, to: Place, lift = 0.09): string {
  const [start, end] = [directionOf(from), directionOf(to)]
  const angle = distanceBetween(from, to)
  if (angle < 0.005) return ''
  const see = seenFrom(centre)
  const steps = 32
  let path = ''
  for (let step = 0; step <= steps; step++) {
    const way = step / steps
    const [a, b] = [Math.sin((1 - way) * angle) / Math.sin(angle), Math.sin(way * angle) / Math.sin(angle)]
    const { x, y, visible } = see([a * start[0] + b * end[0], a * start[1] + b * end[1], a * start[2] + b * end[2]])
    if (!visible) break
    const height = 1 + lift * angle * Math.sin(Math.PI * way)
    const at = [x, y].map((value) => (globeSize / 2 + (value - globeSize / 2) * height).toFixed(1))
    path += `${step === 0 ? 'M' : 'L'}${at.join(' ')}`
  }
  return path
}
