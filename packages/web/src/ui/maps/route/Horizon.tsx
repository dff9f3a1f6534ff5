import '../../../css/maps.css'
import { toDirection } from '@tern/drawing/sphere'
import '../../../css/route.css'
import '../../../css/horizon.css'
import { useQuery } from '@tanstack/react-query'
import {
  areaPath,
  graticulePath,
  type Point,
  routePath,
  createProjection,
  type Size,
  type View,
} from '@tern/drawing/globe'
import { useId } from 'react'
import { route } from '#messages/maps/route.ts'
import { atlasQuery } from '../atlas-query.ts'
import type { RouteCountry } from './countries.ts'
import { useWidth } from '../../use-width.ts'
import { horizonView } from './horizon-view.ts'

interface HorizonProps {
  from: RouteCountry
  /** Other end; undefined within one country, and if only one end is known. */
  to: RouteCountry | undefined
  /** The money has arrived: the route is drawn solid instead of dotted. */
  isPaid: boolean
}

/** Upper part of the globe, without a frame; the route arches from the payer's country on the left. */
export function Horizon(props: HorizonProps) {
  const { place, width } = useWidth<HTMLDivElement>()
  return (
    <div className="horizon" ref={place}>
      <Drawing {...props} size={chooseSize(width)} />
    </div>
  )
}

/** Below this width, names go inside the globe's edge. */
const narrowWidth = 500

const chooseSize = (width: number): Size => ({
  width,
  height: Math.min(340, width * (width < narrowWidth ? 0.487 : 0.39)),
})

function Drawing({ from, to, isPaid, size }: HorizonProps & { size: Size }) {
  const view = horizonView(from.place, to?.place, size)
  const project = createProjection(view, size)
  const ends = to ? [from, to] : [from]
  const { width, height } = size
  return (
    <svg
      className="route-map"
      viewBox={`0 0 ${width} ${height}`}
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
      {ends.map(({ code, name, place }, index) => {
        const at = project(toDirection(place.at))
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
            <text
              className="map-country-name"
              {...placeLabel(at, { name, isOnLeft: index === 0 && Boolean(to), size })}
            >
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
  readonly isOnLeft: boolean
  readonly size: Size
}

/** Upper estimate of the letter width of a name. */
const letter = 7.2

/** Names go outside the globe's edge, or inside it where space is short. */
function placeLabel({ x, y }: Point, { name, isOnLeft, size }: Label) {
  const width = name.length * letter
  const isOutside = size.width >= narrowWidth && (isOnLeft ? x - 12 - width > 0 : x + 15 + width < size.width)
  const isBefore = isOnLeft === isOutside && (isOnLeft || size.width / 2 < x)
  return { x: isBefore ? x - 12 : x + 14, y: y + 17, textAnchor: isBefore ? ('end' as const) : ('start' as const) }
}

/** Sea, graticule, land and the tinted countries, which fade out at the sides of a wide drawing. */
function Ground({ view, size, codes }: { view: View; size: Size; codes: readonly string[] }) {
  const { data: atlas } = useQuery(atlasQuery)
  const id = useId()
  const { x, y } = createProjection(view, size)(toDirection(view.centre))
  const isFaded = size.width >= narrowWidth
  return (
    <>
      {isFaded && <FadeGradient id={id} size={size} />}
      <g mask={isFaded ? `url(#${id})` : undefined}>
        <circle className="map-sea" cx={x} cy={y} r={view.radius} />
        <path className="map-graticule" d={graticulePath(view, size)} />
        {atlas && <path className="map-coast" fillRule="evenodd" d={areaPath(atlas.land, view, size)} />}
        {atlas &&
          codes.map((code) => (
            <path key={code} className="map-country" d={areaPath(atlas.countries[code] ?? [], view, size)} />
          ))}
        <circle className="map-limb" cx={x} cy={y} r={view.radius} />
      </g>
    </>
  )
}

const FadeGradient = ({ id, size }: { id: string; size: Size }) => (
  <>
    <linearGradient id={`${id}-sides`}>
      <stop offset="0" stopColor="#000" />
      <stop offset="0.08" stopColor="#fff" />
      <stop offset="0.92" stopColor="#fff" />
      <stop offset="1" stopColor="#000" />
    </linearGradient>
    <mask id={id} maskUnits="userSpaceOnUse" x="0" y="0" width={size.width} height={size.height}>
      <rect width={size.width} height={size.height} style={{ fill: `url(#${id}-sides)` }} />
    </mask>
  </>
)
