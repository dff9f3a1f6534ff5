import type { Box, Segment } from '@tern/drawing/boxes'
import { toDirection } from '@tern/drawing/sphere'
import { useMemo } from 'react'
import { placeLabels } from '@tern/drawing/label-placement'
import { type Land, placeBetween, type Point, createProjection, type Size, type View } from '@tern/drawing/globe'
import type { RouteCountry } from './countries.ts'

interface CountryNamesProps {
  countries: readonly RouteCountry[]
  view: View
  size: Size
  /** Undefined while it loads: the names then avoid only the route. */
  land: Land | undefined
  /** Text under the last country's name. */
  caption: string | undefined
}

/** Upper estimates of the letter width, in a name and in the line below it. */
const [letter, smallLetter] = [7.6, 7]
const [lineHeight, twoLinesHeight] = [16, 32]
const edge = 9

/** Names of the countries, clear of coasts, the route and each other where there is room. */
export function CountryNames({ countries, view, size, land, caption }: CountryNamesProps) {
  const lastIndex = countries.length - 1
  const captionLength = caption?.length ?? 0
  const codes = countries.map(({ code }) => code).join(' ')
  const { centre, radius, shift } = view
  const names = useMemo(() => {
    const project = createProjection({ centre, radius, shift }, size)
    const requests = countries.map(({ place, name }, index) => {
      const isTall = index === lastIndex && captionLength > 0
      const width = Math.max(name.length * letter, isTall ? captionLength * smallLetter : 0)
      return { ...project(toDirection(place.at)), width, height: isTall ? twoLinesHeight : lineHeight }
    })
    const lines = { coast: listCoast(land ?? [], project, size), routes: listRoutes(countries, project) }
    const frame = { left: edge, top: edge, right: size.width - edge, bottom: size.height - edge }
    return placeLabels(requests, lines, frame).map((label, index) => {
      const request = requests[index]
      return label ?? (request && { box: placeBelow(request, size), leader: undefined, isOver: true })
    })
    // Lists the parts of `view`, which is a new object on each render.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [centre[0], centre[1], radius, shift[0], shift[1], size, land, codes, captionLength])
  return names.map((name, index) => {
    if (!name) return null
    const middle = (name.box.left + name.box.right) / 2
    const line = name.box.top + lineHeight - 3
    return (
      <g key={countries[index]?.name} className={'isOver' in name ? 'map-over' : undefined}>
        {name.leader && (
          <path className="map-leader" d={`M${name.leader.slice(0, 2).join()}L${name.leader.slice(2).join()}`} />
        )}
        <text className="map-country-name" x={middle} y={line} textAnchor="middle">
          {countries[index]?.name}
        </text>
        {caption && index === lastIndex && (
          <text className="map-time" x={middle} y={line + 15} textAnchor="middle">
            {caption}
          </text>
        )}
      </g>
    )
  })
}

/** Position if no place is free: below the dot, or above it near the lower edge. */
function placeBelow({ x, y, width, height }: Point & { width: number; height: number }, size: Size): Box {
  const leftEdge = Math.min(size.width - width - edge, Math.max(edge, x - width / 2))
  const top = y + 14 + height < size.height ? y + 12 : y - 12 - height
  return { left: leftEdge, top, right: leftEdge + width, bottom: top + height }
}

type ProjectDirection = (direction: ReturnType<typeof toDirection>) => Point

/** Segments of the coasts in the drawing. */
function listCoast(land: Land, project: ProjectDirection, { width, height }: Size): Segment[] {
  const isNear = ({ x, y, visible }: Point) => visible && x > -20 && x < width + 20 && y > -20 && y < height + 20
  return land.flatMap((ring) => {
    const points = ring.map(project)
    return points.flatMap((point, index): Segment[] => {
      const next = points[(index + 1) % points.length] ?? point
      return isNear(point) && isNear(next) ? [[point.x, point.y, next.x, next.y]] : []
    })
  })
}

const parts = 16

function listRoutes([from, to]: readonly RouteCountry[], project: ProjectDirection): Segment[] {
  if (!from || !to) return []
  const points = Array.from({ length: parts + 1 }, (_, part) =>
    project(toDirection(placeBetween(from.place.at, to.place.at, part / parts))),
  )
  return points.slice(1).map((point, index) => {
    const { x, y } = points[index] ?? point
    return [x, y, point.x, point.y]
  })
}
