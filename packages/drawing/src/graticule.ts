import { range, createProjection, type Size, type View } from './globe.ts'
import type { Box } from './boxes.ts'
import { type Coordinates, expandBox, isInside, simplifyLine } from './lines.ts'
import { toDirection, type Place } from './sphere.ts'

const stepChoices = [1, 2, 5, 10, 15, 20, 30] as const
const spacing = 70

/** Returns the spacing of graticule lines in degrees, for a globe of this radius. */
export const graticuleStep = (radius: number): number =>
  stepChoices.find((step) => (radius * step * Math.PI) / 180 >= spacing) ?? 30

const fineRange = (first: number, last: number) => range(first, last, 2.5)

const drawLines = (step: number): Place[][] => [
  ...range(-180, 179, step).map((longitude) =>
    fineRange(-90 + step, 90 - step).map((latitude): Place => [longitude, latitude]),
  ),
  ...range(step - 90, 90 - step, step).map((latitude) =>
    fineRange(-180, 180).map((longitude): Place => [longitude, latitude]),
  ),
]

/**
 * Returns the graticule lines within a frame. They are not labelled with degrees, because the ends of a route are
 * countries rather than places.
 */
export function drawGraticule(view: View, size: Size, frame: Box): Coordinates[][] {
  const project = createProjection(view, size)
  const nearFrame = expandBox(frame, 30)
  const lines: Coordinates[][] = []
  for (const places of drawLines(graticuleStep(view.radius))) {
    let run: Coordinates[] = []
    const end = () => {
      if (run.length > 1) lines.push(simplifyLine(run, 0.35))
      run = []
    }
    let previous: Coordinates | undefined
    for (const place of places) {
      const { x, y, visible } = project(toDirection(place))
      const point: Coordinates | undefined = visible ? [x, y] : undefined
      const isNear = point && (isInside(nearFrame, point) || (previous && isInside(nearFrame, previous)))
      if (isNear) {
        if (run.length === 0 && previous) run.push(previous)
        run.push(point)
      } else {
        end()
      }
      previous = point
    }
    end()
  }
  return lines
}
