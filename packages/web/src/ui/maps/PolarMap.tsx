import '../../css/maps.css'
import { Bird } from '../icon/Brand.tsx'
import { GlobeGround } from './GlobeGround.tsx'
import * as polar from './polar.ts'
import { globeSize } from './globe-size.ts'

/** The Atlantic with the yearly route of an Arctic tern, from Greenland to the Weddell Sea. */
export function PolarMap({ className }: { className: string }) {
  const [x, y] = polar.bird
  return (
    <svg className={`map ${className}`} viewBox={`0 0 ${globeSize} ${globeSize}`} aria-hidden="true" focusable="false">
      <GlobeGround graticule={polar.graticule} coast={polar.coast} />
      <path className="map-route" d={polar.route} />
      <g transform={`translate(${x} ${y}) scale(-1.5 1.5) rotate(-24) translate(-18 -16)`}>
        <Bird className="map-bird" />
      </g>
      <circle className="map-dot" cx={polar.start[0]} cy={polar.start[1]} r={3} />
      <circle className="map-dot map-dot-end" cx={polar.end[0]} cy={polar.end[1]} r={5} />
    </svg>
  )
}
