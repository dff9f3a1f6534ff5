// Chart of one payment as a list of marks, which pages, PDFs and images render identically.

import type { Atlas } from './atlas.ts'
import type { Box, Segment } from './boxes.ts'
import type { CountryPlace } from './country-places.ts'
import {
  type Land,
  placeBetween,
  range,
  routePath,
  createProjection,
  type Size,
  type View,
  frameRoute,
} from './globe.ts'
import { toDirection, type Place } from './sphere.ts'
import { drawGraticule } from './graticule.ts'
import { placeLabels } from './label-placement.ts'
import { computeArea, type Coordinates, clipRing, expandBox, isInside, toPath, px, simplifyRing } from './lines.ts'

/** Role of a mark, which determines its appearance. */
export type AreaRole = 'ground' | 'sea' | 'land' | 'country'
export type LineRole = 'graticule' | 'coast' | 'limb' | 'route' | 'plan' | 'leader' | 'edge'
export type DotRole = 'from' | 'to' | 'halo'
export type TextRole = 'name' | 'note'

/** Clipping region: the inner frame, the globe's disc within the frame, or none. */
export type Clip = 'frame' | 'globe' | 'none'

/** Drawn element in units of the chart; marks are drawn in list order. */
export type Mark =
  | {
      readonly kind: 'path'
      readonly role: AreaRole | LineRole
      readonly d: string
      readonly clip: Clip
      /** Width of a line, if not that of its role. */
      readonly width?: number
    }
  | { readonly kind: 'dot'; readonly role: DotRole; readonly x: number; readonly y: number; readonly radius: number }
  | {
      readonly kind: 'text'
      readonly role: TextRole
      readonly x: number
      readonly y: number
      readonly text: string
      readonly size: number
    }

export interface Chart {
  readonly size: Size
  readonly frame: Box
  /** Outline of the globe's disc as an SVG path. */
  readonly globe: string
  readonly marks: readonly Mark[]
}

/** End of a route: a country rather than a place within it. */
export interface End {
  /** ISO 3166-1 alpha-2. */
  readonly code: string
  readonly place: CountryPlace
  readonly name: string
  /** Lines under the name. */
  readonly notes: readonly string[]
}

export interface ChartRequest {
  readonly from: End
  /** Equal to `from` for a domestic payment, which shows the country without a route. */
  readonly to: End
  readonly size: Size
  readonly atlas: Atlas
  /** False to draw the route as planned. */
  readonly isDelivered: boolean
  readonly nameSize: number
  readonly noteSize?: number
}

/** Width of the margin around the drawing. */
const band = 5

const rectangle = ({ left, top, right, bottom }: Box): string =>
  `M${px(left)} ${px(top)}H${px(right)}V${px(bottom)}H${px(left)}z`
export const circle = ([x, y]: Coordinates, radius: number): string =>
  `M${px(x - radius)} ${px(y)}a${px(radius)} ${px(radius)} 0 1 0 ${px(2 * radius)} 0a${px(radius)} ${px(radius)} 0 1 0 ${px(-2 * radius)} 0z`

type PathMark = Extract<Mark, { kind: 'path' }>

export const line = (role: LineRole, d: string, clip: Clip = 'frame'): PathMark => ({ kind: 'path', role, d, clip })
export const area = (role: AreaRole, d: string, clip: Clip): PathMark => ({ kind: 'path', role, d, clip })

/** Returns an upper estimate of a text's width; Chinese, Japanese and Korean characters count as square. */
function estimateWidth(text: string, size: number): number {
  let width = 0
  for (const character of text) width += /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u.test(character) ? 1 : 0.56
  return width * size
}

/** Projects land onto the chart and clips it just outside the frame; areas too small to print are omitted. */
function projectLand(land: Land, view: View, size: Size, frame: Box): Coordinates[][] {
  const project = createProjection(view, size)
  const nearFrame = expandBox(frame, 20)
  return land.flatMap((ring) => {
    const points = ring.map(project)
    if (!points.some(({ visible }) => visible)) return []
    const part = clipRing(
      points.map(({ x, y }): Coordinates => [x, y]),
      nearFrame,
    )
    const simplifiedPart = simplifyRing(part, 0.6)
    return simplifiedPart.length > 2 && computeArea(simplifiedPart) > 5 ? [simplifiedPart] : []
  })
}

export const toSegments = (points: readonly Coordinates[], isClosed: boolean): Segment[] =>
  points.flatMap(([x, y], index): Segment[] => {
    const next = points[index + 1] ?? (isClosed ? points[0] : undefined)
    return next ? [[x, y, next[0], next[1]]] : []
  })

export interface Lettering {
  readonly ends: readonly End[]
  readonly projectPlace: (at: Place) => Coordinates
  readonly coast: readonly Segment[]
  readonly route: readonly Segment[]
  readonly frame: Box
  readonly nameSize: number
  readonly noteSize: number
}

/** Places names and notes clear of coasts, the route and each other; names that fit nowhere go beside their dots. */
export function placeNames({ ends, projectPlace, coast, route, frame, nameSize, noteSize }: Lettering): Mark[] {
  const [nameHeight, noteHeight] = [nameSize * 1.2, noteSize * 1.3]
  const requests = ends.map(({ name, notes, place }) => ({
    x: projectPlace(place.at)[0],
    y: projectPlace(place.at)[1],
    width: notes.reduce(
      (maxWidth, note) => Math.max(maxWidth, estimateWidth(note, noteSize)),
      estimateWidth(name, nameSize),
    ),
    height: nameHeight + notes.length * noteHeight,
  }))
  const innerFrame = expandBox(frame, -6)
  const marks: Mark[] = []
  placeLabels(requests, { coast, routes: route }, innerFrame).forEach((label, index) => {
    const [end, request] = [ends[index], requests[index]]
    if (!end || !request) return
    const { width, height } = request
    const labelTop = request.y - 14 - height > innerFrame.top ? request.y - 14 - height : request.y + 14
    const middle = label ? (label.box.left + label.box.right) / 2 : request.x
    const top = label?.box.top ?? labelTop
    const x = Math.min(innerFrame.right - width / 2, Math.max(innerFrame.left + width / 2, middle))
    if (label?.leader) {
      const [x1, y1, x2, y2] = label.leader
      marks.push(line('leader', `M${px(x1)} ${px(y1)}L${px(x2)} ${px(y2)}`))
    }
    marks.push({ kind: 'text', role: 'name', x, y: top + nameHeight / 2, text: end.name, size: nameSize })
    end.notes.forEach((text, row) => {
      const y = top + nameHeight + (row + 0.5) * noteHeight
      marks.push({ kind: 'text', role: 'note', x, y, text, size: noteSize })
    })
  })
  return marks
}

export const dotMarks = ([x, y]: Coordinates, isRouteEnd: boolean): Mark[] =>
  isRouteEnd
    ? [
        { kind: 'dot', role: 'halo', x, y, radius: 9.5 },
        { kind: 'dot', role: 'to', x, y, radius: 5.5 },
      ]
    : [{ kind: 'dot', role: 'from', x, y, radius: 4.5 }]

/** Returns coasts and borders as one SVG path; empty if none is in view. */
export const joinPaths = (rings: readonly (readonly Coordinates[])[]): string =>
  rings.map((ring) => toPath(ring, true)).join('')

/**
 * Returns the chart of a payment between two countries: the globe from above a point near the middle of the route, with
 * both countries tinted and a dot at the label point of each. For a domestic payment, the country alone.
 */
export function chart(request: ChartRequest): Chart {
  const { from, to, size, atlas, isDelivered, nameSize, noteSize = 12 } = request
  const frame: Box = { left: band, top: band, right: size.width - band, bottom: size.height - band }
  const isRoute = from.code !== to.code
  const ends = isRoute ? [to, from] : [to]
  const view = frameRoute(from.place, isRoute ? to.place : undefined, size)
  const project = createProjection(view, size)
  const projectPlace = (at: Place): Coordinates => {
    const { x, y } = project(toDirection(at))
    return [x, y]
  }
  const globe: Coordinates = [
    size.width / 2 + view.shift[0] * view.radius,
    size.height / 2 + view.shift[1] * view.radius,
  ]
  const disc = circle(globe, view.radius)
  const rings = projectLand(atlas.land, view, size, frame)
  const shape = joinPaths(rings)
  const countries = ends.map(({ code }) => joinPaths(projectLand(atlas.countries[code] ?? [], view, size, frame)))
  const routePoints = isRoute
    ? range(0, 16, 1).map((part) => projectPlace(placeBetween(from.place.at, to.place.at, part / 16)))
    : []
  const coast = rings
    .flatMap((ring) => toSegments(ring, true))
    .filter(([x, y]) => isInside(expandBox(frame, 10), [x, y]))
  return {
    size,
    frame,
    globe: disc,
    marks: [
      area('ground', rectangle(expandBox(frame, band)), 'none'),
      area('sea', disc, 'frame'),
      line('coast', shape, 'globe'),
      line(
        'graticule',
        drawGraticule(view, size, frame)
          .map((points) => toPath(points, false))
          .join(''),
      ),
      area('land', shape, 'globe'),
      ...countries.filter((country) => country !== '').map((country) => area('country', country, 'globe')),
      line('limb', disc),
      ...(isRoute ? [line(isDelivered ? 'route' : 'plan', routePath(from.place.at, to.place.at, view, size))] : []),
      line('edge', rectangle(expandBox(frame, band - 1)), 'none'),
      ...ends.flatMap(({ place }, index) => dotMarks(projectPlace(place.at), index === 0)),
      ...placeNames({ ends, projectPlace, coast, route: toSegments(routePoints, false), frame, nameSize, noteSize }),
    ],
  }
}
