import { globeSize } from './globe-size.ts'

const middle = globeSize / 2

/** Sea, graticule and land of a globe, drawn below everything else. */
export function GlobeGround({ graticule, coast }: { graticule: string; coast: string }) {
  return (
    <>
      <circle className="map-sea" cx={middle} cy={middle} r={430} />
      <path className="map-graticule" d={graticule} />
      <path className="map-coast" d={coast} />
      <circle className="map-limb" cx={middle} cy={middle} r={430} />
    </>
  )
}
