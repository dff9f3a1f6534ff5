import type { PublicUser } from '@tern/contract/identity'
import { Suspense, useState } from 'react'
import { useUser } from '../../../app/session/session.ts'
import { lazyComponent } from '../../../ui/lazy-component.ts'
import { routeCountry } from '../../../ui/maps/route/countries.ts'

const RouteMap = lazyComponent(() => import('../../../ui/maps/route/RouteMap.tsx'), 'RouteMap')
/** Beside the form it has a narrow column; below it, the width of the page. */
const sizeHere = () =>
  matchMedia('(min-width: 600px) and (max-width: 899px)').matches ? undefined : { width: 360, height: 240 }

/** The globe, which turns to the country of whoever is chosen. Without a verified country there is no map. */
export function SendRoute({ recipient }: { recipient: PublicUser | undefined }) {
  const [size] = useState(sizeHere)
  const from = routeCountry(useUser()?.residence?.country)
  const to = routeCountry(recipient?.country)
  if (!from) return null
  return (
    <div className="send-route">
      <Suspense>
        <RouteMap from={from} to={to?.code === from.code ? undefined : to} size={size} withTime />
      </Suspense>
    </div>
  )
}
