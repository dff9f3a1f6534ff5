import '../../../css/maps.css'
import type { Atlas } from '@tern/drawing/atlas'
import { toDirection } from '@tern/drawing/sphere'
import '../../../css/route.css'
import { useQuery } from '@tanstack/react-query'
import {
  areaPath,
  graticulePath,
  routePath,
  seen,
  type Size,
  type View,
  viewBetween,
  frameRoute,
} from '@tern/drawing/globe'
import { useEffect, useId, useRef, useState } from 'react'
import { route } from '#messages/maps/route.ts'
import { formatTime } from '../../format/format.ts'
import { atlasQuery } from '../atlas-query.ts'
import { Flight } from '../Flight.tsx'
import { classNames } from '../../icon/class-names.ts'
import { CountryNames } from './CountryNames.tsx'
import type { RouteCountry } from './countries.ts'

interface RouteMapProps {
  from: RouteCountry
  /** Destination of the money; undefined before a choice, and within one country. */
  to: RouteCountry | undefined
  /** Size of the drawing, which fills the available width. */
  size?: Size
  /** Shows the time at the destination, if the whole country has one time zone. */
  withTime?: boolean
  /** Not settled yet: the route is dotted. */
  isOpen?: boolean
  /** The money has just landed: the tern flies the route once. */
  flies?: boolean
}

/** Smaller on phones, so that its letters stay as large as others. */
const sizeHere = (): Size =>
  matchMedia('(max-width: 599px)').matches ? { width: 340, height: 230 } : { width: 640, height: 280 }
const turnMs = 700

/** Map of a transfer: the globe turned to the route between two countries, the shortest way over the Earth. */
export function RouteMap({
  from,
  to,
  size: givenSize,
  withTime = false,
  isOpen = false,
  flies = false,
}: RouteMapProps) {
  const [size] = useState(() => givenSize ?? sizeHere())
  const { view, isResting } = useTurn(viewIn(size, from, to), `${from.code} ${to?.code ?? ''}`)
  const atlas = useQuery(atlasQuery)
  const path = to && routePath(from.place.at, to.place.at, view, size)
  const countries = to ? [from, to] : [from]
  const see = seen(view, size)
  const time = useTimeIn(withTime ? to?.place.zone : undefined)
  const { width, height } = size
  return (
    <svg
      className={classNames('route-map', isOpen && 'route-open')}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={describeRoute(from, to)}
    >
      <Ground {...{ view, size, countries }} atlas={atlas.data} />
      {path && !flies && <path className="map-route-line" d={path} />}
      {path && flies && (
        <Flight path={path} isWestward={projectX(to, see) < projectX(from, see)} lineClass="map-route-line" />
      )}
      {countries.map(({ code, place }, index) => {
        const { x, y, visible } = see(toDirection(place.at))
        return (
          visible && (
            <g key={code} className={flies && index === 1 ? 'tern-flight-end' : undefined}>
              {index === 1 && <circle className="map-end-ring" cx={x} cy={y} r="10" />}
              <circle
                className={index === 1 ? 'map-dot map-dot-end' : 'map-dot'}
                cx={x}
                cy={y}
                r={index === 1 ? 5.5 : 4}
              />
            </g>
          )
        )
      })}
      {isResting && !atlas.isLoading && (
        <CountryNames
          {...{ countries, view, size }}
          land={atlas.data?.land}
          below={to && time && route.localTime(time)}
        />
      )}
    </svg>
  )
}

/** Up to this height the drawing is a strip; countries may extend beyond it. */
const stripHeight = 100

function viewIn(size: Size, from: RouteCountry, to: RouteCountry | undefined): View {
  if (size.height > stripHeight) return frameRoute(from.place, to?.place, size)
  return frameRoute({ ...from.place, reach: 0 }, to && { ...to.place, reach: 0 }, size)
}

interface GroundProps {
  view: View
  size: Size
  /** Tinted countries. */
  countries: readonly RouteCountry[]
  /** Undefined while it loads. */
  atlas: Atlas | undefined
}

/** Sea, land and the countries of a route, clipped at the drawing's edge. */
function Ground({ view, size, countries, atlas }: GroundProps) {
  const clip = useId()
  const { x, y } = seen(view, size)(toDirection(view.centre))
  return (
    <>
      <clipPath id={clip}>
        <rect width={size.width} height={size.height} />
      </clipPath>
      <g clipPath={`url(#${clip})`}>
        <circle className="map-sea" cx={x} cy={y} r={view.radius} />
        <path className="map-graticule" d={graticulePath(view, size)} />
        {atlas && <path className="map-coast" fillRule="evenodd" d={areaPath(atlas.land, view, size)} />}
        {atlas &&
          countries.map(({ code }) => (
            <path key={code} className="map-country" d={areaPath(atlas.countries[code] ?? [], view, size)} />
          ))}
        <circle className="map-limb" cx={x} cy={y} r={view.radius} />
      </g>
    </>
  )
}

const projectX = ({ place }: RouteCountry, see: ReturnType<typeof seen>): number => see(toDirection(place.at)).x

const describeRoute = (from: RouteCountry, to: RouteCountry | undefined): string =>
  to ? route.describe(from.name, to.name) : route.country(from.name)

/** The time of day in a zone, kept current. */
function useTimeIn(zone: string | undefined): string | undefined {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    if (!zone) return
    const timer = setInterval(() => setNow(new Date()), 15_000)
    return () => clearInterval(timer)
  }, [zone])
  if (!zone) return undefined
  return formatTime(now, { timeZone: zone })
}

/** Turns the globe from the previous view to the one of `key`; at once with reduced motion. */
function useTurn(target: View, key: string): { view: View; isResting: boolean } {
  const [turn, setTurn] = useState({ key, from: target, part: 1 })
  const currentView = viewBetween(turn.from, target, turn.key === key ? turn.part : 0)
  const last = useRef(currentView)
  useEffect(() => {
    if (turn.key === key) return
    const from = last.current
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return setTurn({ key, from: target, part: 1 })
    const startMs = performance.now()
    let frame = requestAnimationFrame(function step(now) {
      const way = Math.min(1, (now - startMs) / turnMs)
      setTurn({ key, from, part: way * way * (3 - 2 * way) })
      if (way < 1) frame = requestAnimationFrame(step)
    })
    return () => cancelAnimationFrame(frame)
    // Once per route.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [key])
  const now = turn.key === key ? currentView : viewBetween(last.current, last.current, 0)
  useEffect(() => {
    last.current = now
  })
  return { view: now, isResting: turn.key === key && turn.part === 1 }
}
