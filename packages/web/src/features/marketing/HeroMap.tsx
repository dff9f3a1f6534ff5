import { countryNames } from '#messages/site/prices/country-names.ts'
import { drawingSize, firstPicture, firstRoom, firstView } from './globe/first-picture.ts'
import { timeZoneOf } from './globe/countries.ts'
import { nameEnds } from './globe/picture.ts'
import type { Point } from './globe/sphere.ts'
import { example } from './price.ts'

const names = [countryNames[example.from], countryNames[example.to]] as const
const hasTime = timeZoneOf(example.to) !== undefined
/** On a phone the drawing is smaller, and its letters larger in its own units. */
const phoneScale = 1.75
const ends = firstPicture.ends

const namePlaces = (scale: number) => nameEnds(firstPicture, names, firstRoom, { scale, hasTime })

const leaderTo = (start: Point | undefined, end: Point | undefined): string | undefined =>
  start && end && `M${start.map(Math.round).join(' ')}L${end.map(Math.round).join(' ')}`

const attributesOf = ([x, y]: readonly [number, number] = [0, 0]) => ({ cx: x.toFixed(), cy: y.toFixed() })

/**
 * The globe of the landing page with the route of the example, part of the built page. Its script turns it to the chosen
 * countries and writes the local time: see scripts/turn-globe.ts.
 */
export function HeroMap() {
  const { x, y, radius } = firstView
  const circle = { cx: x.toFixed(1), cy: y.toFixed(1), r: radius.toFixed(1) }
  return (
    <svg
      className="map hero-map"
      id="globe"
      data-view={JSON.stringify(firstView)}
      viewBox={`0 0 ${drawingSize} ${drawingSize}`}
      aria-hidden="true"
      focusable="false"
    >
      <circle className="map-sea" {...circle} />
      <use href="#globe-ground" />
      <path className="map-graticule" />
      <path className="map-coast" />
      <circle className="map-limb" {...circle} />
      <path className="map-arc map-arc-key" d={firstPicture.arc} />
      <circle className="map-dot" r="4" {...attributesOf(ends[0])} />
      <circle className="map-halo" r="10" {...attributesOf(ends[1])} />
      <circle className="map-dot map-dot-end" r="6" {...attributesOf(ends[1])} />
      <Leaders scale={1} className="map-leader" />
      <Leaders scale={phoneScale} className="map-leader map-label-phone" />
      <Labels scale={1} className="map-label" />
      <Labels scale={phoneScale} className="map-label map-label-phone" />
    </svg>
  )
}

function Leaders({ scale, className }: { scale: number; className: string }) {
  return namePlaces(scale).map((place, index) => (
    <path className={className} key={names[index]} d={leaderTo(ends[index], place?.leaderEnd)} />
  ))
}

function Labels({ scale, className }: { scale: number; className: string }) {
  const [start, end] = namePlaces(scale)
  const below = (rows: number) => (scale * (rows * 16 + 12.5)).toFixed(1)
  return (
    <>
      <text className={className} x={start?.x.toFixed()} y={start?.y.toFixed()} dy={below(0)}>
        {names[0]}
      </text>
      <text className={className} x={end?.x.toFixed()} y={end?.y.toFixed()} dy={below(0)}>
        {names[1]}
      </text>
      <text className={`${className} map-time`} x={end?.x.toFixed()} y={end?.y.toFixed()} dy={below(1)} />
    </>
  )
}
