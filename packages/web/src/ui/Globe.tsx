import { useEffect, useState } from 'react'
import { arcBetween, distanceBetween, globeSize, type Place, project } from './orthographic.ts'

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
  className?: string | undefined
}

interface Drawing {
  readonly centre: Place
  readonly graticule: string
  readonly coast: string
}

/** The sides from which a globe is drawn ready; only the one that is shown is loaded. */
const sides: readonly { readonly centre: Place; readonly load: () => Promise<Drawing> }[] = [
  { centre: [-28, 29], load: () => import('./maps/atlantic.ts') },
  { centre: [-68, 4], load: () => import('./maps/americas.ts') },
  { centre: [68, 30], load: () => import('./maps/eurasia.ts') },
  { centre: [150, 6], load: () => import('./maps/pacific.ts') },
]

/** The side that shows most of the arcs, those to the latest people counting most. */
function bestSide({ home, people }: Pick<GlobeProps, 'home' | 'people'>) {
  const points = [home.at, home.at, ...people.map((person) => person.at)]
  const farness = (centre: Place) =>
    points.reduce((sum, point, index) => sum + Math.max(0.5, distanceBetween(centre, point)) ** 3 / (index + 1), 0)
  return sides.reduce((best, side) => (farness(side.centre) < farness(best.centre) ? side : best))
}

const windowWidth = 680
const windowHeight = 328
const edge = globeSize - windowWidth

/** The part of the drawing that is shown: home and the key arc in its middle, without leaving the globe's disc. */
function frameOf(centre: Place, home: Place, key: Place | undefined): string {
  const seen = [home, key ?? home].map((place) => project(centre, place))
  const middle = (axis: 'x' | 'y') => seen.reduce((sum, point) => sum + point[axis], 0) / seen.length
  const x = Math.min(edge, Math.max(0, middle('x') - windowWidth * 0.58))
  const y = Math.min(globeSize - windowHeight, Math.max(0, middle('y') - windowHeight * 0.55))
  return `${x.toFixed(0)} ${y.toFixed(0)} ${windowWidth} ${windowHeight}`
}

/** A globe with an arc from home to each of the last people paid. Real data only: with nobody paid, home alone. */
export function Globe({ home, people, className }: GlobeProps) {
  const [drawing, setDrawing] = useState<Drawing>()
  const side = bestSide({ home, people })
  useEffect(() => {
    let isCurrent = true
    void side.load().then((loaded) => isCurrent && setDrawing(loaded))
    return () => {
      isCurrent = false
    }
  }, [side])
  if (!drawing) return null
  const { centre } = drawing
  const shown = people.filter((person) => distanceBetween(person.at, home.at) > 0.01)
  const [latest] = shown
  const middle = globeSize / 2
  return (
    <svg
      className={`map ${className ?? ''}`}
      viewBox={frameOf(centre, home.at, latest?.at)}
      preserveAspectRatio="xMaxYMid slice"
      aria-hidden="true"
      focusable="false"
    >
      <circle className="map-sea" cx={middle} cy={middle} r={430} />
      <path className="map-graticule" d={drawing.graticule} />
      <path className="map-coast" d={drawing.coast} />
      <circle className="map-limb" cx={middle} cy={middle} r={430} />
      {shown.toReversed().map((person) => (
        <path
          key={person.at.join()}
          className={person === latest ? 'map-arc map-arc-key' : 'map-arc'}
          d={arcBetween(centre, home.at, person.at)}
        />
      ))}
      {shown.map((person) => (
        <Dot key={person.at.join()} centre={centre} point={person} isEnd={person === latest} from={home.at} />
      ))}
      <Dot centre={centre} point={home} isEnd={false} from={latest?.at} />
    </svg>
  )
}

type DotProps = { centre: Place; point: GlobePoint; isEnd: boolean; from: Place | undefined }

/** A place with its label on the side where its arc is not. */
function Dot({ centre, point, isEnd, from }: DotProps) {
  const { x, y, visible } = project(centre, point.at)
  if (!visible) return null
  const arcComesFromRight = from !== undefined && project(centre, from).x > x
  return (
    <>
      <circle className={isEnd ? 'map-dot map-dot-end' : 'map-dot'} cx={x} cy={y} r={isEnd ? 5 : 3} />
      {point.label && (
        <text
          className="map-label"
          x={arcComesFromRight ? x - 10 : x + 10}
          y={y + 16}
          textAnchor={arcComesFromRight ? 'end' : 'start'}
        >
          {point.label}
        </text>
      )}
    </>
  )
}
