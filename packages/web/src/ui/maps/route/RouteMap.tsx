import '../../../css/route.css'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { route } from '#messages/maps/route.ts'
import { formatCount } from '../../format/format-count.ts'
import { classNames } from '../../icon/class-names.ts'
import { textLocale } from '../../format/locale.ts'
import {
  areaPath,
  directionOf,
  graticulePath,
  kilometersBetween,
  readLand,
  routePaths,
  seen,
  type Size,
  type View,
  viewBetween,
  viewOf,
} from '@tern/contract/chart/globe'
import { Flight } from '../Flight.tsx'
import { CityNames } from './CityNames.tsx'
import landAddress from '@tern/contract/chart/land.json?url'
import type { City } from './cities.ts'

interface RouteMapProps {
  from: City
  /** Where the money goes; undefined as long as nobody is chosen. */
  to: City | undefined
  /** Of the drawing; it takes the width there is. */
  size?: Size
  /** Says the time at the destination. */
  withTime?: boolean
  /** The money has landed just now: the tern flies the route once. */
  flies?: boolean
}

/** On a phone the drawing is smaller, so that its letters stay as large as others. */
const sizeHere = (): Size =>
  matchMedia('(max-width: 599px)').matches ? { width: 340, height: 230 } : { width: 640, height: 280 }
const turnMs = 700
/** The white strip between the frame and the drawing. */
const border = 5

/** Where the money goes: the globe turned to the route, which is the shortest way over the Earth. */
export function RouteMap({ from, to, size: given, withTime = false, flies = false }: RouteMapProps) {
  const [size] = useState(() => given ?? sizeHere())
  const clip = useId()
  const { view, isStill } = useTurn(viewOf(from.at, to?.at, size), `${from.name} ${to?.name ?? ''}`)
  const land = useQuery({
    queryKey: ['land'],
    queryFn: async ({ signal }) => readLand((await (await fetch(landAddress, { signal })).json()) as number[][]),
    staleTime: Infinity,
    retry: false,
  })
  const paths = to && routePaths(from.at, to.at, view, size)
  const cities = to ? [from, to] : [from]
  const see = seen(view, size)
  const time = useTimeIn(withTime ? to?.zone : undefined)
  const { width, height } = size
  const plate = { x: border, y: border, width: width - 2 * border, height: height - 2 * border }
  const middle = see(directionOf(view.centre))
  return (
    <svg className="route-map" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={labelOf(from, to)}>
      <clipPath id={clip}>
        <rect {...plate} />
      </clipPath>
      <g clipPath={`url(#${clip})`}>
        <circle className="map-sea" cx={middle.x} cy={middle.y} r={view.radius} />
        <path className="map-graticule" d={graticulePath(view, size)} />
        {land.data && <path className="map-coast" fillRule="evenodd" d={areaPath(land.data, view, size)} />}
        <circle className="map-limb" cx={middle.x} cy={middle.y} r={view.radius} />
        {paths && !flies && <path className="map-route-line" d={paths.line} />}
        {paths && <path className={classNames('map-route-tick', flies && 'tern-flight-ticks')} d={paths.ticks} />}
      </g>
      {paths && flies && (
        <Flight path={paths.line} isWestward={xOf(to, see) < xOf(from, see)} lineClass="map-route-line" />
      )}
      <rect className="map-neatline" {...plate} />
      {cities.map((city, index) => {
        const { x, y, visible } = see(directionOf(city.at))
        return (
          visible && (
            <g key={city.name} className={flies && index === 1 ? 'tern-flight-end' : undefined}>
              {index === 1 && <circle className="map-end-ring" cx={x} cy={y} r="9" />}
              <circle
                className={index === 1 ? 'map-dot map-dot-end' : 'map-dot'}
                cx={x}
                cy={y}
                r={index === 1 ? 5 : 4}
              />
            </g>
          )
        )
      })}
      {isStill && !land.isLoading && (
        <CityNames {...{ cities, view, size }} land={land.data} below={to && time && route.localTime(time)} />
      )}
    </svg>
  )
}

const xOf = ({ at }: City, see: ReturnType<typeof seen>): number => see(directionOf(at)).x

const labelOf = (from: City, to: City | undefined): string =>
  to ? route.describe(from.name, to.name, distanceText(from, to)) : route.home(from.name)

/** "6,204 km": the way between two cities. */
export const distanceText = (from: City, to: City): string =>
  route.kilometers(formatCount(kilometersBetween(from.at, to.at)))

/** The time of day in a zone, kept current. */
function useTimeIn(zone: string | undefined): string | undefined {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    if (!zone) return
    const timer = setInterval(() => setNow(new Date()), 15_000)
    return () => clearInterval(timer)
  }, [zone])
  if (!zone) return undefined
  const format = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: zone } as const
  return new Intl.DateTimeFormat(textLocale(), format).format(now)
}

/** Turns the globe from the view before to the one of `key`; at once where people want no motion. */
function useTurn(target: View, key: string): { view: View; isStill: boolean } {
  const [turn, setTurn] = useState({ key, from: target, part: 1 })
  const shown = viewBetween(turn.from, target, turn.key === key ? turn.part : 0)
  const last = useRef(shown)
  useEffect(() => {
    if (turn.key === key) return
    const from = last.current
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return setTurn({ key, from: target, part: 1 })
    const begun = performance.now()
    let frame = requestAnimationFrame(function step(now) {
      const way = Math.min(1, (now - begun) / turnMs)
      setTurn({ key, from, part: way * way * (3 - 2 * way) })
      if (way < 1) frame = requestAnimationFrame(step)
    })
    return () => cancelAnimationFrame(frame)
    // Once for each route.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [key])
  const now = turn.key === key ? shown : viewBetween(last.current, last.current, 0)
  useEffect(() => {
    last.current = now
  })
  return { view: now, isStill: turn.key === key && turn.part === 1 }
}
