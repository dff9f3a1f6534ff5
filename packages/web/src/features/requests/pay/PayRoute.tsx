import type { PaymentLink } from '@tern/contract/requests/payment-links'
import { Suspense, useState } from 'react'
import { useUser } from '../../../app/session/session.ts'
import { lazyComponent } from '../../../ui/lazy-component.ts'
import { routeBetween, routeCountry } from '../../../ui/maps/route/countries.ts'

const RouteMap = lazyComponent(() => import('../../../ui/maps/route/RouteMap.tsx'), 'RouteMap')
const size = { width: 640, height: 360 }

/**
 * Where the money goes, beside the price: the requester's country, and for a member the route there from their own. A requester
 * without a verified country has no map. Phones have no room for it.
 */
export function PayRoute({ link }: { link: PaymentLink }) {
  const [isWide] = useState(() => matchMedia('(min-width: 900px)').matches)
  const own = useUser()?.residence?.country
  const country = routeCountry(link.requester.country)
  if (!isWide || !country) return null
  const route = routeBetween(own, link.requester.country)
  return (
    <div className="pay-route">
      <Suspense>
        <RouteMap from={route?.from ?? country} to={route?.to} size={size} withTime />
      </Suspense>
    </div>
  )
}
