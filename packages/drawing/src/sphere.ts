// Places and directions on a sphere, and rotation towards a viewer above one place.

export type Place = readonly [longitude: number, latitude: number]

/** Unit vector from the centre of the earth. */
export type Direction = readonly [x: number, y: number, z: number]

export const radians = (degrees: number): number => (degrees * Math.PI) / 180

export function toDirection([longitude, latitude]: Place): Direction {
  const lambda = radians(longitude)
  const phi = radians(latitude)
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)]
}

export const dotProduct = (a: Direction, b: Direction): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]

/** Returns the central angle between two places in radians. */
export const angleBetween = (a: Place, b: Place): number =>
  Math.acos(Math.min(1, Math.max(-1, dotProduct(toDirection(a), toDirection(b)))))

/**
 * Returns the rotation of directions into the view from above `centre`: components to the right, up and towards the
 * viewer. A direction is visible if the last component is positive.
 */
export function createRotation([longitude, latitude]: Place): (direction: Direction) => Direction {
  const lambda = radians(longitude)
  const phi = radians(latitude)
  const sinX = Math.sin(lambda)
  const cosX = Math.cos(lambda)
  const sinY = Math.sin(phi)
  const cosY = Math.cos(phi)
  return ([x, y, z]) => {
    const forward = cosX * x + sinX * y
    return [cosX * y - sinX * x, cosY * z - sinY * forward, sinY * z + cosY * forward]
  }
}
