import '../../../css/maps.css'
import type { Atlas } from '@tern/drawing/atlas'
import { toDirection } from '@tern/drawing/sphere'
import '../../../css/route.css'
import { useQuery } from '@tanstack/react-query'
import {
  areaPath,
  graticulePath,
  routePath,
  createProjection,
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
  showsTime?: boolean
  /** Not settled yet: the route is dotted. */
  isOpen?: boolean
  /** The money has just arrived: the bird flies the route once. */
  isAnimated?: boolean
}

/** Smaller on phones, so that its text is as large as the text around the map. */
const chooseSize = (): Size =>
  matchMedia('(max-width: 599px)').matches ? { width: 340, height: 230 } : { width: 640, height: 280 }
const turnMs = 700

/** Map of a transfer: the globe turned to the route between two countries, the shortest way over the Earth. */
export function RouteMap({
  from,
  to,
  size: fixedSize,
  showsTime = false,
  isOpen = false,
  isAnimated = false,
}: RouteMapProps) {
  const [size] = useState(() => fixedSize ?? chooseSize())
  const { view, isStill } = useTurn(chooseView(size, from, to), `${from.code} ${to?.code ?? ''}`)
  const atlas = useQuery(atlasQuery)
  const path = to && routePath(from.place.at, to.place.at, view, size)
  const countries = to ? [from, to] : [from]
  const project = createProjection(view, size)
  const time = useClockText(showsTime ? to?.place.zone : undefined)
  const { width, height } = size
  return (
    <svg
      className={classNames('route-map', isOpen && 'route-open')}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={describeRoute(from, to)}
    >
      <Ground {...{ view, size, countries }} atlas={atlas.data} />
      {path && !isAnimated && <path className="map-route-line" d={path} />}
      {path && isAnimated && (
        <Flight path={path} isWestward={projectX(to, project) < projectX(from, project)} lineClass="map-route-line" />
      )}
      {countries.map(({ code, place }, index) => {
        const { x, y, visible } = project(toDirection(place.at))
        return (
          visible && (
            <g key={code} className={isAnimated && index === 1 ? 'tern-flight-end' : undefined}>
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
      {isStill && !atlas.isLoading && (
        <CountryNames
          {...{ countries, view, size }}
          land={atlas.data?.land}
          caption={to && time && route.localTime(time)}
        />
      )}
    </svg>
  )
}

/** Up to this height the drawing is a strip; countries may extend beyond it. */
const stripHeight = 100

function chooseView(size: Size, from: RouteCountry, to: RouteCountry | undefined): View {
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
  const { x, y } = createProjection(view, size)(toDirection(view.centre))
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

const projectX = ({ place }: RouteCountry, project: ReturnType<typeof createProjection>): number =>
  project(toDirection(place.at)).x

const describeRoute = (from: RouteCountry, to: RouteCountry | undefined): string =>
  to ? route.describe(from.name, to.name) : route.country(from.name)

/** The time of day in a zone, kept current. */
function useClockText(zone: string | undefined): string | undefined {
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
function useTurn(target: View, key: string): { view: View; isStill: boolean } {
  const [animation, setAnimation] = useState({ key, from: target, part: 1 })
  const currentView = viewBetween(animation.from, target, animation.key === key ? animation.part : 0)
  const lastView = useRef(currentView)
  useEffect(() => {
    if (animation.key === key) return
    const from = lastView.current
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return setAnimation({ key, from: target, part: 1 })
    const startMs = performance.now()
    let frame = requestAnimationFrame(function step(now) {
      const share = Math.min(1, (now - startMs) / turnMs)
      setAnimation({ key, from, part: share * share * (3 - 2 * share) })
      if (share < 1) frame = requestAnimationFrame(step)
    })
    return () => cancelAnimationFrame(frame)
    // Once per route.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [key])
  const displayedView = animation.key === key ? currentView : viewBetween(lastView.current, lastView.current, 0)
  useEffect(() => {
    lastView.current = displayedView
  })
  return { view: displayedView, isStill: animation.key === key && animation.part === 1 }
}
