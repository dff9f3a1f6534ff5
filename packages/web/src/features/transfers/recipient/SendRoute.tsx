import type { PublicUser } from '@tern/contract/identity'
import type { Wallet } from '@tern/contract/wallets'
import { Suspense, useState } from 'react'
import { lazyComponent } from '../../../ui/lazy-component.ts'
import { cityOf } from '../../../ui/maps/route/cities.ts'

const RouteMap = lazyComponent(() => import('../../../ui/maps/route/RouteMap.tsx'), 'RouteMap')
/** Beside the form it has a narrow column; below it, the width of the page. */
const sizeHere = () =>
  matchMedia('(min-width: 600px) and (max-width: 899px)').matches ? undefined : { width: 360, height: 240 }

/** The globe, which turns to whoever is chosen. Cities stand for the currencies of both: nobody's own place is known. */
export function SendRoute({ wallet, recipient }: { wallet: Wallet; recipient: PublicUser | undefined }) {
  const [size] = useState(sizeHere)
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
