import { useEffect, useState } from 'react'
import { classNames } from '../icon/class-names.ts'
import americas from './americas.json?url'
import atlantic from './atlantic.json?url'
import eurasia from './eurasia.json?url'
import pacific from './pacific.json?url'
import { GlobeGround } from './GlobeGround.tsx'
import { arcBetween, distanceBetween, type Place, project } from './orthographic.ts'

export type { Place } from './orthographic.ts'

export interface GlobePoint {
  readonly at: Place
  readonly label?: string | undefined
}

interface GlobeProps {
  /** Where the person lives: arcs start there. */
  home: GlobePoint
  /** Whom they paid last, the most recent first: its arc is the one that matters, and ends in the coral dot. */
  people: readonly GlobePoint[]
}

interface Drawing {
  readonly centre: Place
  readonly graticule: string
  readonly coast: string
}

/** The sides from which a globe is drawn ready; only the one that is shown is fetched. */
const sides: readonly { readonly centre: Place; readonly address: string }[] = [
  { centre: [-28, 29], address: atlantic },
  { centre: [-68, 4], address: americas },
  { centre: [68, 30], address: eurasia },
  { centre: [150, 6], address: pacific },
]

async function load(address: string, signal: AbortSignal): Promise<Drawing | undefined> {
  try {
    const response = await fetch(address, { signal })
    return response.ok ? ((await response.json()) as Drawing) : undefined
  } catch {
    // The globe is an ornament: without it the panel is whole.
    return undefined
  }
}

/** The side that shows most of the arcs, those to the latest people counting most. */
function bestSide({ home, people }: GlobeProps) {
  const points = [home.at, home.at, ...people.map((person) => person.at)]
  const farness = (centre: Place) =>
    points.reduce((sum, point, index) => sum + Math.max(0.5, distanceBetween(centre, point)) ** 3 / (index + 1), 0)
  return sides.reduce((best, side) => (farness(side.centre) < farness(best.centre) ? side : best))
}

interface Frame {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const shape = 680 / 328
const margin = 90
const discLeft = 20

/** The part of the drawing that is shown: home and the end of the key arc, with room around them. */
function frameOf(centre: Place, home: Place, key: Place | undefined): Frame {
  const [a, b] = [project(centre, home), project(centre, key ?? home)]
  const height = Math.max(328, Math.abs(a.y - b.y) + 2 * margin, (Math.abs(a.x - b.x) + 2 * margin) / shape)
  const width = height * shape
  const left = (a.x + b.x) / 2 - width * 0.55
  // Where the globe's own edge is near, the frame takes it in.
  const x = left > discLeft && left < discLeft + margin ? discLeft - 10 : left
  return { x, y: (a.y + b.y) / 2 - height * 0.55, width, height }
}

/** A globe with an arc from home to each of the last people paid. Real data only: with nobody paid, home alone. */
export function Globe({ home, people }: GlobeProps) {
  const [drawing, setDrawing] = useState<Drawing>()
  const side = bestSide({ home, people })
  useEffect(() => {
    const leaving = new AbortController()
    void load(side.address, leaving.signal).then((loaded) => loaded && setDrawing(loaded))
    return () => leaving.abort()
  }, [side])
  if (!drawing) return null
  const { centre } = drawing
  const shown = people.filter((person) => distanceBetween(person.at, home.at) > 0.01)
  const [latest] = shown
  const frame = frameOf(centre, home.at, latest?.at)
  return (
    <svg
      className={classNames('map size-full', frame.x > discLeft && 'map-faded')}
      viewBox={[frame.x, frame.y, frame.width, frame.height].map(Math.round).join(' ')}
      preserveAspectRatio="xMaxYMid meet"
      aria-hidden="true"
      focusable="false"
    >
      <GlobeGround graticule={drawing.graticule} coast={drawing.coast} />
      {shown.toReversed().map((person) => (
        <path
          key={person.at.join()}
          className={person === latest ? 'map-arc map-arc-key' : 'map-arc'}
          d={arcBetween(centre, home.at, person.at)}
        />
      ))}
      {shown.map((person) => (
        <Dot
          key={person.at.join()}
          {...{ centre, frame }}
          point={person}
          isEnd={person === latest}
          labelAbove={person !== latest}
        />
      ))}
      <Dot {...{ centre, frame }} point={home} isEnd={false} />
    </svg>
  )
}

interface DotProps {
  centre: Place
  frame: Frame
  point: GlobePoint
  isEnd: boolean
  /** Sets the label above the dot: two neighbours, such as London and Frankfurt, then do not write over one another. */
  labelAbove?: boolean
}

/** Half a letter of a label, generously: on a phone letters are larger in proportion to the drawing. */
const halfLetter = 6

/** A place with its label under or above it, moved as far as it must be to stay in the frame. */
function Dot({ centre, frame, point, isEnd, labelAbove = false }: DotProps) {
  const { x, y, visible } = project(centre, point.at)
  if (!visible) return null
  const scale = frame.height / 328
  const half = ((point.label?.length ?? 0) * halfLetter + 4) * scale
  const labelX = Math.min(frame.x + frame.width - half, Math.max(frame.x + half, x))
  const labelY = y + (labelAbove ? -10 : 24) * scale
  const isInFrame = x > frame.x && x < frame.x + frame.width && y > frame.y && y < frame.y + frame.height
  return (
    <>
      <circle className={isEnd ? 'map-dot map-dot-end' : 'map-dot'} cx={x} cy={y} r={(isEnd ? 5 : 3) * scale} />
      {isInFrame && point.label && (
        <text
          className={labelAbove ? 'map-label map-label-minor' : 'map-label'}
          transform={`translate(${labelX.toFixed(1)} ${labelY.toFixed(1)}) scale(${scale.toFixed(2)})`}
          textAnchor="middle"
        >
          {point.label}
        </text>
      )}
    </>
  )
}
