import type { PublicUser } from '@tern/contract/identity'
import type { Wallet } from '@tern/contract/wallets'
import { Suspense } from 'react'
import { lazyComponent } from '../../../ui/lazy-component.ts'
import { cityOf } from '../../../ui/maps/route/cities.ts'

const RouteMap = lazyComponent(() => import('../../../ui/maps/route/RouteMap.tsx'), 'RouteMap')
const size = { width: 360, height: 240 }

/** The globe, which turns to whoever is chosen. Cities stand for the currencies of both: nobody's own place is known. */
export function SendRoute({ wallet, recipient }: { wallet: Wallet; recipient: PublicUser | undefined }) {
  const from = cityOf(wallet.base_currency)
  const to = cityOf(recipient?.base_currency)
  if (!from) return null
  return (
    <div className="send-route">
      <Suspense>
        <RouteMap from={from} to={to?.name === from.name ? undefined : to} size={size} withTime />
      </Suspense>
    </div>
  )
}
