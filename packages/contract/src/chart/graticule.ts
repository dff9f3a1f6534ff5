import { directionOf, range, seen, type Size, type View } from './globe.ts'
import { type At, type Frame, grown, isInside, simplified } from './lines.ts'
import type { Position } from './currency-places.ts'

/** The letters of the four directions. */
export interface Compass {
  readonly north: string
  readonly east: string
  readonly south: string
  readonly west: string
}

/** What a line of the graticule is called where it meets the frame, and on which side. */
export interface Degree {
  readonly at: At
  readonly side: 'left' | 'right' | 'top' | 'bottom'
  readonly text: string
}

interface Line {
  readonly isMeridian: boolean
  readonly degrees: number
  readonly places: readonly Position[]
}

const stepsThere = [1, 2, 5, 10, 15, 20, 30] as const
const spacing = 70
const letter = 7

/** The degrees from one line to the next, at this scale. */
export const graticuleStep = (radius: number): number =>
  stepsThere.find((step) => (radius * step * Math.PI) / 180 >= spacing) ?? 30

const fine = (first: number, last: number) => range(first, last, 2.5)

const linesOf = (step: number): Line[] => [
  ...range(-180, 179, step).map((degrees) => ({
    isMeridian: true,
    degrees,
    places: fine(-90 + step, 90 - step).map((latitude): Position => [degrees, latitude]),
  })),
  ...range(step - 90, 90 - step, step).map((degrees) => ({
    isMeridian: false,
    degrees,
    places: fine(-180, 180).map((longitude): Position => [longitude, degrees]),
  })),
]

function nameOf({ isMeridian, degrees }: Line, { north, east, south, west }: Compass): string {
  const figure = `${Math.abs(degrees)}°`
  if (degrees === 0 || degrees === -180) return figure
  return figure + (isMeridian ? (degrees < 0 ? west : east) : degrees < 0 ? south : north)
}

/** Where a line leaves the frame between a point inside and one outside. */
function exitOf([ix, iy]: At, [ox, oy]: At, { left, top, right, bottom }: Frame): Pick<Degree, 'at' | 'side'> {
  const [dx, dy] = [ox - ix || 1e-9, oy - iy || 1e-9]
  const exits = [
    { side: dx < 0 ? 'left' : 'right', way: ((dx < 0 ? left : right) - ix) / dx },
    { side: dy < 0 ? 'top' : 'bottom', way: ((dy < 0 ? top : bottom) - iy) / dy },
  ] as const
  const { side, way } = exits[0].way < exits[1].way ? exits[0] : exits[1]
  return { side, at: [ix + way * dx, iy + way * dy] }
}

/** Whether a degree's place on the frame has room: clear of the corners and of the others on its side. */
function hasRoom({ side, at: [x, y], text }: Degree, taken: readonly Degree[], frame: Frame): boolean {
  const isFlat = side === 'top' || side === 'bottom'
  const half = (text.length * letter) / 2 + 10
  const place = isFlat ? x : y
  const [first, last] = isFlat ? [frame.left, frame.right] : [frame.top, frame.bottom]
  if (place - half < first || place + half > last) return false
  return !taken.some(
    (other) =>
      other.side === side && (other.text === text || Math.abs((isFlat ? other.at[0] : other.at[1]) - place) < 2 * half),
  )
}

/** The graticule within a frame, and its degrees: longitudes above and below, latitudes at the sides. */
export function graticuleOn(
  view: View,
  size: Size,
  frame: Frame,
  compass: Compass,
): { lines: At[][]; degrees: Degree[] } {
  const see = seen(view, size)
  const near = grown(frame, 30)
  const lines: At[][] = []
  const degrees: Degree[] = []
  for (const line of linesOf(graticuleStep(view.radius))) {
    let run: At[] = []
    const end = () => {
      if (run.length > 1) lines.push(simplified(run, 0.35))
      run = []
    }
    let last: At | undefined
    for (const place of line.places) {
      const { x, y, visible } = see(directionOf(place))
      const point: At | undefined = visible ? [x, y] : undefined
      if (last && point && isInside(frame, last) !== isInside(frame, point)) {
        const [inner, outer] = isInside(frame, last) ? [last, point] : [point, last]
        const degree = { ...exitOf(inner, outer, frame), text: nameOf(line, compass) }
        const isOnItsSide = line.isMeridian === (degree.side === 'top' || degree.side === 'bottom')
        if (isOnItsSide && hasRoom(degree, degrees, frame)) degrees.push(degree)
      }
      const isNear = point && (isInside(near, point) || (last && isInside(near, last)))
      if (isNear) {
        if (run.length === 0 && last) run.push(last)
        run.push(point)
      } else {
        end()
      }
      last = point
    }
    end()
  }
  return { lines, degrees }
}

const hundredths = (value: number): string => (Math.round(value * 100) / 100).toFixed(2) // not money: degrees

/** "40.71° N, 74.01° W". */
export const coordinatesOf = ([longitude, latitude]: Position, compass: Compass): string =>
  [
    `${hundredths(Math.abs(latitude))}° ${latitude < 0 ? compass.south : compass.north}`,
    `${hundredths(Math.abs(longitude))}° ${longitude < 0 ? compass.west : compass.east}`,
  ].join(', ')
