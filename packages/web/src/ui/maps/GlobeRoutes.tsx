import '../../css/maps.css'
import type { Box, Segment } from '@tern/drawing/boxes'
import type { Place } from '@tern/drawing/sphere'
import '../../css/globe-routes.css'
import { type CSSProperties, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { readCoast, findCountryPath } from './coast.ts'
import { Flight } from './Flight.tsx'
import { labelHeight, placeLabels } from '@tern/drawing/label-placement'
import { arcBetween, toPath, type Plate, type Point, project } from '@tern/drawing/plate'
import { plateHeight, buildPlate, plateWidth, stripScale, type ViewName, views } from './views.ts'

export interface GlobePoint {
  /** ISO 3166-1 alpha-2. */
  readonly code: string
  readonly at: Place
  readonly label: string
}

interface GlobeProps {
  /** Start of the arcs: the person's own country, labelled with their own city; undefined before verification. */
  home: GlobePoint | undefined
  /** Countries of the latest recipients, newest first; the arc to the newest ends in the coral dot. */
  people: readonly GlobePoint[]
  /** Transfer that has just arrived; its animation runs once for each `id`. */
  arrival?: { readonly id: string; readonly from: GlobePoint } | undefined
}

/**
 * Storage key of the last drawing and its shift in the strip, for the page's inline script; removed with the session.
 */
const lastViewKey = 'home_map'
const pictures = import.meta.glob<string>('./*.svg', { eager: true, query: '?url', import: 'default' })
const viewNames = Object.keys(views) as ViewName[]
const middle = { x: plateWidth / 2, y: plateHeight / 2 }
/** Distance from the middle of the picture to the edge of the part that phones show. */
const labelReach = { x: 164, y: 122 }

/** View that shows home and the latest person best, then the others. */
function bestView(home: GlobePoint, people: readonly GlobePoint[]): ViewName {
  const weightedPlaces = [home, ...people].map(({ at }, index) => ({ at, weight: [3, 2][index] ?? 0.3 }))
  const measureDistance = (name: ViewName) => {
    const plate = buildPlate(name)
    return weightedPlaces.reduce((sum, { at, weight }) => {
      const { x, y, visible } = project(plate, at)
      return (
        sum + weight * (visible ? Math.hypot((x - middle.x) / labelReach.x, (y - middle.y) / labelReach.y) ** 4 : 12)
      )
    }, 0)
  }
  return viewNames.reduce((best, name) => (measureDistance(name) < measureDistance(best) ? name : best))
}

/** Picture of a view: its coast, which labels avoid, and the text from which its countries are read. */
interface Drawing {
  readonly view: ViewName
  readonly coast: readonly Segment[]
  readonly text: string
}

/** Picture of a view once loaded; if that fails, there are no labels, and no country is tinted. */
function useDrawing(view: ViewName | undefined): Drawing | undefined {
  const [atlasDrawing, setAtlasDrawing] = useState<Drawing>()
  useEffect(() => {
    if (view === undefined) return
    const abort = new AbortController()
    fetch(pictures[`./${view}.svg`] ?? '', { signal: abort.signal })
      .then((response) => response.text())
      .then((text) => setAtlasDrawing({ view, coast: readCoast(text), text }))
      .catch(() => undefined)
    return () => abort.abort()
  }, [view])
  return atlasDrawing?.view === view ? atlasDrawing : undefined
}

interface Size {
  readonly width: number
  readonly height: number
}

function useSize() {
  const element = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState<Size>({ width: 0, height: 0 })
  useLayoutEffect(() => {
    const box = element.current
    if (!box) return
    const measure = () => setSize({ width: box.clientWidth, height: box.clientHeight })
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    measure()
    return () => observer.disconnect()
  }, [])
  return { element, size }
}

/** Upward shift of the drawing in the strip, so that home is visible, and the latest recipient too if both fit. */
function computeShift(plate: Plate, home: GlobePoint, latestPoint: GlobePoint | undefined): number {
  const { y } = project(plate, home.at)
  const end = latestPoint && project(plate, latestPoint.at)
  const half = end?.visible ? (end.y - y) / 2 : 0
  return Math.round(y + Math.max(-20, Math.min(20, half)) - (plateHeight * stripScale) / 2)
}

/** Visible part of the picture. */
function computeWindow({ width, height }: Size, scale: number, shift: number): Box {
  const plate = { width: plateWidth * scale, height: plateHeight * scale }
  const offsetX = (plate.width - Math.min(width, plate.width)) / 2
  const top = (plate.height - Math.min(height, plate.height)) / 2
  return { left: offsetX, top: top + shift, right: plate.width - offsetX, bottom: plate.height - top + shift }
}

/**
 * Globe with labels and an arc from home to each of the latest recipients. Its image shows before the app's script has
 * loaded, from the side shown last. Before the first payment, shows home only.
 */
export function GlobeRoutes({ home, people, arrival }: GlobeProps) {
  const targets = home ? people.filter(({ code }) => code !== home.code) : []
  const view = home && bestView(home, targets)
  const drawing = useDrawing(view)
  const { element, size } = useSize()
  // The size is unknown during prerendering, and the page's policy would refuse a style there.
  const isNarrow = size.height > 0 && size.height < 120
  const scale = isNarrow ? stripScale : 1
  const shift = home && view && isNarrow ? computeShift(buildPlate(view, scale), home, targets[0]) : 0
  useEffect(() => {
    if (view) localStorage.setItem(lastViewKey, `${view} ${-shift}`)
  }, [view, shift])
  const style = view && isNarrow ? ({ '--strip': `${-shift}px` } as CSSProperties) : undefined
  return (
    <div className="globe" data-map={view} style={style} ref={element}>
      {home && view && (
        <Routes
          home={home}
          people={targets}
          plate={buildPlate(view, scale)}
          scale={scale}
          drawing={drawing}
          box={computeWindow(size, scale, shift)}
          arrival={arrival}
        />
      )}
    </div>
  )
}

interface RoutesProps {
  home: GlobePoint
  people: readonly GlobePoint[]
  plate: Plate
  /** Scale of the globe relative to its drawing. */
  scale: number
  drawing: Drawing | undefined
  /** Visible part of the picture. */
  box: Box
  arrival: GlobeProps['arrival']
}

const toSegments = (points: readonly Point[]): Segment[] =>
  points.slice(1).map((point, index) => {
    const { x, y } = points[index] ?? point
    return [x, y, point.x, point.y]
  })

const scaleSegments = (segments: readonly Segment[], scale: number): readonly Segment[] =>
  scale === 1 ? segments : segments.map(([x1, y1, x2, y2]) => [x1 * scale, y1 * scale, x2 * scale, y2 * scale])

function Routes({ home, people, plate, scale, drawing, box, arrival }: RoutesProps) {
  const dots = [home, ...people].flatMap((place, index) => {
    const { x, y, visible } = project(plate, place.at)
    const isInside = visible && x > box.left && x < box.right && y > box.top && y < box.bottom
    return isInside ? [{ ...place, x, y, isKey: index === 1, isHome: index === 0 }] : []
  })
  const arcs = people.map((person) => arcBetween(plate, home.at, person.at))
  // The drawing fades out beside the text, so no labels are placed there.
  const fadeWidth = box.bottom - box.top < 300 ? 8 : (box.right - box.left) * 0.14
  const frame = { left: box.left + fadeWidth, top: box.top + 8, right: box.right - 8, bottom: box.bottom - 8 }
  const labels = drawing
    ? placeLabels(
        dots.map(({ x, y, label }) => ({ x, y, width: measureWidth(label) })),
        { coast: scaleSegments(drawing.coast, scale), routes: arcs.flatMap(toSegments) },
        frame,
      )
    : []
  return (
    <svg
      className="map globe-routes"
      width={plateWidth * scale}
      height={plateHeight * scale}
      aria-hidden="true"
      focusable="false"
    >
      <g transform={`scale(${scale})`}>
        {drawing &&
          [home, ...people].map(({ code }) => (
            <path key={code} className="map-country" d={findCountryPath(drawing.text, code)} />
          ))}
      </g>
      {arcs.toReversed().map((arc, index) => (
        <path key={index} className={index === arcs.length - 1 ? 'map-arc map-arc-key' : 'map-arc'} d={toPath(arc)} />
      ))}
      {labels.map(
        (label, index) =>
          label?.leader && (
            <path
              key={index}
              className="map-leader"
              d={`M${label.leader.slice(0, 2).join(' ')}L${label.leader.slice(2).join(' ')}`}
            />
          ),
      )}
      {dots.map(({ x, y, isKey }, index) => (
        <circle key={index} className={isKey ? 'map-dot map-dot-end' : 'map-dot'} cx={x} cy={y} r={isKey ? 6 : 4} />
      ))}
      {arrival && <Arrival key={arrival.id} {...{ home, plate }} from={arrival.from} />}
      {labels.map(
        (label, index) =>
          label && (
            <text key={index} className="map-label" x={label.box.left + 3} y={label.box.top + labelHeight - 2}>
              {dots[index]?.label}
            </text>
          ),
      )}
    </svg>
  )
}

/** Animates an arriving transfer: from the sender's country, or from the edge of the globe if that lies behind it. */
function Arrival({ home, from, plate }: { home: GlobePoint; from: GlobePoint; plate: Plate }) {
  const arc = arcBetween(plate, home.at, from.at).toReversed()
  const [start, end] = [arc[0], arc.at(-1)]
  if (!start || !end) return null
  return (
    <g className="tern-arrival">
      <Flight path={toPath(arc)} isWestward={end.x < start.x} lineClass="map-arc map-arc-key" />
      <circle className="map-dot map-dot-end tern-flight-end" cx={end.x} cy={end.y} r={6} />
    </g>
  )
}

let ruler: CanvasRenderingContext2D | null | undefined

/** Width of a label in pixels. */
function measureWidth(text: string): number {
  ruler ??= document.createElement('canvas').getContext('2d')
  if (!ruler) return text.length * 8
  ruler.font = '500 12px "Tern Text", "Tern Signs", system-ui, sans-serif'
  return ruler.measureText(text).width
}
