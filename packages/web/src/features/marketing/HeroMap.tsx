import { priceCheck } from '#messages/site/price-check.ts'
import { drawingSize, firstPicture, firstRoom, firstView } from './globe/first-picture.ts'
import { nameEnds } from './globe/picture.ts'
import { example } from './price.ts'

const names = [priceCheck.cities[example.from], priceCheck.cities[example.to]] as const
const labels = nameEnds(firstPicture, names, firstRoom)
const ends = firstPicture.ends

const attributesOf = ([x, y]: readonly [number, number] = [0, 0]) => ({ cx: x.toFixed(), cy: y.toFixed() })

/**
 * The globe of the landing page with the way of the example, painted with the page. Its script turns it to the countries
 * that are chosen, and writes the local time: see scripts/turn-globe.ts.
 */
export function HeroMap() {
  const { x, y, radius } = firstView
  const circle = { cx: x.toFixed(1), cy: y.toFixed(1), r: radius.toFixed(1) }
  return (
    <svg
      className="map hero-map"
      id="globe"
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
      <path className="map-leader" />
      <path className="map-leader" />
      <text className="map-label" x={labels[0]?.x.toFixed()} y={labels[0]?.y.toFixed()} dy="12.5">
        {names[0]}
      </text>
      <text className="map-label" x={labels[1]?.x.toFixed()} y={labels[1]?.y.toFixed()} dy="12.5">
        {names[1]}
      </text>
      <text className="map-label map-time" x={labels[1]?.x.toFixed()} y={labels[1]?.y.toFixed()} dy="28.5" />
    </svg>
  )
}
