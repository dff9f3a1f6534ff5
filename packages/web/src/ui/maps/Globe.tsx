import { Suspense } from 'react'
import { lazyComponent } from '../lazy-component.ts'
import type { Place } from './orthographic.ts'

export type { Place } from './orthographic.ts'

export interface GlobePoint {
  readonly at: Place
  readonly label: string
}

export interface GlobeProps {
  /** Where arcs start; undefined as long as nobody knows. */
  home: GlobePoint | undefined
  /** Whom they paid last, the most recent first: its arc is the one that matters, and ends in the coral dot. */
  people: readonly GlobePoint[]
}

const GlobeRoutes = lazyComponent(() => import('./GlobeRoutes.tsx'), 'GlobeRoutes')

/**
 * A globe with an arc from home to each of the last people paid. The picture of the globe is painted with the page, from
 * the side shown last; what is drawn on it comes with the data. Real data only: with nobody paid, home alone.
 */
export function Globe(props: GlobeProps) {
  return (
    <Suspense fallback={<div className="globe" />}>
      <GlobeRoutes {...props} />
    </Suspense>
  )
}
