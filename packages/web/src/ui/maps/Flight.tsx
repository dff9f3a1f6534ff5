import '../../css/tern-flight.css'
import { Bird } from '../icon/Brand.tsx'

interface FlightProps {
  /** The route, as the path of an SVG drawing. */
  path: string
  /** It ends to the left of where it starts: the bird is mirrored, so that it flies upright. */
  isWestward: boolean
  /** The line's own class. */
  lineClass: string
}

/** The tern flies a route once and draws it; where people want no motion, the finished route stands there at once. */
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
