import '../../../css/route.css'
import '../../../css/horizon.css'
import { useQuery } from '@tanstack/react-query'
import {
  areaPath,
  directionOf,
  graticulePath,
  type Point,
  routePath,
  seen,
  type Size,
  type View,
} from '@tern/contract/chart/globe'
import { useEffect, useState } from 'react'
import { route } from '#messages/maps/route.ts'
import { atlasQuery } from '../atlas-query.ts'
import type { RouteCountry } from './countries.ts'
import { horizonView } from './horizon-view.ts'

interface HorizonProps {
  from: RouteCountry
  /** The other end; undefined within one country, and where only one end is known. */
  to: RouteCountry | undefined
  /** The money is there: the route is drawn solid instead of dotted. */
  isPaid: boolean
}

const wideSize: Size = { width: 900, height: 340 }
const phoneSize: Size = { width: 390, height: 190 }

/** The globe as a horizon without a frame, with the route arching from the payer's country on the left. */
export function Horizon({ from, to, isPaid }: HorizonProps) {
  const isWide = useIsWide()
  const size = isWide ? wideSize : phoneSize
  const view = horizonView(from.place, to?.place, size)
  const see = seen(view, size)
  const ends = (to ? [from, to] : [from]).map((country) => ({ ...country, at: see(directionOf(country.place.at)) }))
  return (
    <svg
      className="route-map horizon"
      viewBox={`0 0 ${size.width} ${size.height}`}
      role="img"
      aria-label={to ? route.describe(from.name, to.name) : route.country(from.name)}
    >
      <Ground {...{ view, size }} codes={ends.map(({ code }) => code)} />
      {to && (
        <path
          className={isPaid ? 'map-route-line' : 'map-route-line map-route-open'}
          d={routePath(from.place.at, to.place.at, view, size)}
        />
      )}
      {ends.map(({ code, name, at }, index) => {
        const isTarget = index === ends.length - 1
        return (
          <g key={code}>
            {isTarget && <circle className="map-end-ring" cx={at.x} cy={at.y} r="9" />}
            <circle
              className={isTarget ? 'map-dot map-dot-end' : 'map-dot'}
              cx={at.x}
              cy={at.y}
              r={isTarget ? 5.5 : 4.5}
            />
            <text className="map-country-name" {...labelAt(at, { name, isLeft: index === 0 && to, isWide, size })}>
              {name}
            </text>
          </g>
        )
      })}
    </svg>
  )
}

interface Label {
  readonly name: string
  readonly isLeft: unknown
  readonly isWide: boolean
  readonly size: Size
}

/** Width of a letter of a name, generously. */
const letter = 7.2

/** Names stand beyond the limb, and inside of it on phones or where the drawing ends. */
function labelAt({ x, y }: Point, { name, isLeft, isWide, size }: Label) {
  const width = name.length * letter
  const isOutside = isWide && (isLeft ? x - 12 - width > 0 : x + 15 + width < size.width)
  const isBefore = Boolean(isLeft) === isOutside
  return { x: isBefore ? x - 12 : x + 14, y: y + 17, textAnchor: isBefore ? ('end' as const) : ('start' as const) }
}

/** Sea, lines, land and the tinted countries; all of it ends at the drawing's lower edge. */
function Ground({ view, size, codes }: { view: View; size: Size; codes: readonly string[] }) {
  const { data: atlas } = useQuery(atlasQuery)
  const { x, y } = seen(view, size)(directionOf(view.centre))
  return (
    <>
      <circle className="map-sea" cx={x} cy={y} r={view.radius} />
      <path className="map-graticule" d={graticulePath(view, size)} />
      {atlas && <path className="map-coast" fillRule="evenodd" d={areaPath(atlas.land, view, size)} />}
      {atlas &&
        codes.map((code) => (
          <path key={code} className="map-country" d={areaPath(atlas.countries[code] ?? [], view, size)} />
        ))}
      <circle className="map-limb" cx={x} cy={y} r={view.radius} />
    </>
  )
}

const wide = '(min-width: 900px)'

/** Whether the drawing stands beside other content instead of above it. */
function useIsWide(): boolean {
  const [isWide, setIsWide] = useState(() => matchMedia(wide).matches)
  useEffect(() => {
    const query = matchMedia(wide)
    const read = () => setIsWide(query.matches)
    query.addEventListener('change', read)
    return () => query.removeEventListener('change', read)
  }, [])
  return isWide
}
