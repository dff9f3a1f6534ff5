import { countryName } from '../../ui/format/country-name.ts'
import { drawingSize, firstCountries, firstPicture, firstFreeBox, firstView } from './globe/first-picture.ts'
import { findTimeZone } from './globe/countries.ts'
import type { LabelPlace } from './globe/labels.ts'
import { placeEndNames } from './globe/picture.ts'
import type { Point } from './globe/view.ts'
import { example } from './price.ts'

const names = [countryName(example.from), countryName(example.to)] as const
/** The drawing is smaller on phones, so its labels are larger in drawing units. */
const phoneScale = 1.75
const ends = firstPicture.ends

const circleAttributes = ([x, y]: readonly [number, number] = [0, 0]) => ({ cx: x.toFixed(), cy: y.toFixed() })

/**
 * Globe of the landing page with the example's route, rendered into the HTML. Its script turns the globe to the chosen
 * countries and adds the local time; see scripts/turn-globe.ts.
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
      <path className="map-country" d={firstCountries} />
      <circle className="map-limb" {...circle} />
      <path className="map-arc map-arc-key" d={firstPicture.arc} />
      <circle className="map-dot" r="4" {...circleAttributes(ends[0])} />
      <circle className="map-halo" r="10" {...circleAttributes(ends[1])} />
      <circle className="map-dot map-dot-end" r="6" {...circleAttributes(ends[1])} />
      <Labels scale={1} kind="" />
      <Labels scale={phoneScale} kind=" map-label-phone" />
    </svg>
  )
}

/** Leader line from an end to its label, if the label is not next to it. */
const drawLeader = (place: LabelPlace | undefined, end: Point | undefined): string | undefined =>
  place?.leaderEnd && end && `M${formatPoint(end)}L${formatPoint(place.leaderEnd)}`

const formatPoint = (point: Point): string => point.map((value) => value.toFixed()).join(' ')

function Labels({ scale, kind }: { scale: number; kind: string }) {
  const places = placeEndNames(firstPicture, names, firstFreeBox, findTimeZone(example.to) !== undefined, scale)
  const [start, end] = places
  const rowOffset = (rows: number) => (scale * (rows * 16 + 12.5)).toFixed(1)
  return (
    <>
      {places.map((place, index) => (
        <path key={index} className={`map-leader${kind}`} d={drawLeader(place, ends[index])} />
      ))}
      <text className={`map-label${kind}`} x={start?.x.toFixed()} y={start?.y.toFixed()} dy={rowOffset(0)}>
        {names[0]}
      </text>
      <text className={`map-label${kind}`} x={end?.x.toFixed()} y={end?.y.toFixed()} dy={rowOffset(0)}>
        {names[1]}
      </text>
      <text className={`map-label${kind} map-time`} x={end?.x.toFixed()} y={end?.y.toFixed()} dy={rowOffset(1)} />
    </>
  )
}
