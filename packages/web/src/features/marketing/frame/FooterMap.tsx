import { Bird } from '../../../ui/icon/Brand.tsx'
import { firstView } from '../globe/first-picture.ts'

/** Upper edge of the globe with a flying tern, across the full width. */
export function FooterMap() {
  const { x, y, radius } = firstView
  const circle = { cx: x.toFixed(1), cy: y.toFixed(1), r: radius.toFixed(1) }
  return (
    <svg
      className="map mt-6 h-55 w-full overflow-hidden"
      viewBox="0 0 1440 200"
      preserveAspectRatio="xMidYMin slice"
      aria-hidden="true"
      focusable="false"
    >
      <g transform="translate(180 10) scale(1.5)">
        <circle className="map-sea" {...circle} />
        <use href="#globe-ground" />
        <circle className="map-limb" {...circle} />
      </g>
      <path className="map-route" d="M-10 196C260 60 500 16 720 16S1180 60 1450 196" />
      <g transform="translate(742 4) rotate(22) scale(1.15)">
        <Bird className="map-bird" />
      </g>
    </svg>
  )
}
