import '../../css/tern-flight.css'
import { Bird } from '../icon/Brand.tsx'

interface FlightProps {
  /** Route as the path of an SVG drawing. */
  path: string
  /** The route ends left of its start: mirrors the bird, so that it flies upright. */
  isWestward: boolean
  lineClass: string
}

/** Animates a bird that flies a route once and draws it; with reduced motion, the finished route is shown at once. */
export function Flight({ path, isWestward, lineClass }: FlightProps) {
  return (
    <>
      <path className={`${lineClass} tern-flight-line`} d={path} pathLength="1" />
      <g className="tern-flight-bird" style={{ offsetPath: `path("${path}")` }}>
        <g transform={`scale(1 ${isWestward ? -1 : 1}) rotate(23) translate(-16 -18)`}>
          <Bird className="map-bird" />
        </g>
      </g>
    </>
  )
}
