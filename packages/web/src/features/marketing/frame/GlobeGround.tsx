import { firstCoast, firstGraticule } from '../globe/first-picture.ts'

/** Coasts and graticule of `firstView`, shared by the globes drawn from it: `<use href="#globe-ground" />`. */
export function GlobeGround() {
  return (
    <svg className="map absolute size-0" aria-hidden="true" focusable="false">
      <defs>
        <g id="globe-ground" className="map">
          <path className="map-graticule" d={firstGraticule} />
          <path className="map-coast" d={firstCoast} />
        </g>
      </defs>
    </svg>
  )
}
