import { useQuery } from '@tanstack/react-query'
import type { PaymentLink } from '@tern/contract/requests/payment-links'
import { Suspense, useState } from 'react'
import { walletQuery } from '../../../app/session/live.ts'
import { lazyComponent } from '../../../ui/lazy-component.ts'
import { cityOf } from '../../../ui/maps/route/cities.ts'

const RouteMap = lazyComponent(() => import('../../../ui/maps/route/RouteMap.tsx'), 'RouteMap')
const size = { width: 640, height: 360 }

/**
 * Where the money goes, beside the price: the requester's city, and for whoever is signed in the way there. Phones have no
 * room for it.
 */
export function PayRoute({ userId, link }: { userId: number | undefined; link: PaymentLink }) {
  const [isWide] = useState(() => matchMedia('(min-width: 900px)').matches)
  const wallet = useQuery({ ...walletQuery(userId ?? 0), enabled: isWide && userId !== undefined })
  const to = cityOf(link.currency)
  const from = cityOf(wallet.data?.base_currency)
  if (!isWide || !to || (userId !== undefined && wallet.isPending)) return null
  const isWay = from !== undefined && from.name !== to.name
  return (
    <div className="pay-route">
      <Suspense>
        <RouteMap from={isWay ? from : to} to={isWay ? to : undefined} size={size} withTime />
      </Suspense>
    </div>
  )
}
