import { marketing } from '#messages/site/marketing.ts'
import { GlobeGround } from '../../ui/maps/GlobeGround.tsx'
import { globeSize } from '../../ui/maps/orthographic.ts'
import * as hero from './maps/hero.ts'

const { newYork, toronto, london, saoPaulo, mumbai } = hero.places

const labels = [
  { at: newYork, text: marketing.newYork, dx: -10, dy: 16, isEnd: false },
  { at: toronto, text: marketing.toronto, dx: -9, dy: -4, isEnd: false },
  { at: london, text: marketing.london, dx: -8, dy: -10, isEnd: false },
  { at: mumbai, text: marketing.mumbai, dx: -8, dy: 18, isEnd: false },
  { at: saoPaulo, text: marketing.saoPaulo, dx: -12, dy: 22, isEnd: true },
]

/** The globe of the first page: five cities, the ways between them, and one transfer that matters. */
export function HeroMap() {
  return (
    <svg className="map hero-map" viewBox={`0 0 ${globeSize} ${globeSize}`} aria-hidden="true" focusable="false">
      <GlobeGround graticule={hero.graticule} coast={hero.coast} />
      <path className="map-arc" d={hero.arcs.join('')} />
      <path className="map-arc map-arc-key" d={hero.keyArc} />
      {labels.map(({ at: [x, y], text, dx, dy, isEnd }) => (
        <g key={text}>
          <circle className={isEnd ? 'map-dot map-dot-end' : 'map-dot'} cx={x} cy={y} r={isEnd ? 5 : 3} />
          <text className="map-label" x={x + dx} y={y + dy} textAnchor="end">
            {text}
          </text>
        </g>
      ))}
    </svg>
  )
}
