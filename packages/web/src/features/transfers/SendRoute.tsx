import type { PublicUser } from '@tern/contract/identity'
import { Suspense, useSyncExternalStore } from 'react'
import { useUser } from '../../app/session/session.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { routeCountry } from '../../ui/maps/route/countries.ts'

const RouteMap = lazyComponent(() => import('../../ui/maps/route/RouteMap.tsx'), 'RouteMap')

/** Size of the drawing by window width; `strip` is the low version for narrow windows. */
const sizes = {
  phone: { map: { width: 358, height: 168 }, strip: { width: 358, height: 64 } },
  tablet: { map: { width: 720, height: 240 }, strip: { width: 720, height: 96 } },
  column: { map: { width: 360, height: 212 }, strip: { width: 360, height: 212 } },
}

function readForm(): keyof typeof sizes {
  if (matchMedia('(min-width: 900px)').matches) return 'column'
  return matchMedia('(min-width: 600px)').matches ? 'tablet' : 'phone'
}

function followWidth(onChange: () => void): () => void {
  addEventListener('resize', onChange)
  return () => removeEventListener('resize', onChange)
}

interface SendRouteProps {
  recipient: PublicUser | undefined
  /** A price exists, so the route is drawn solid. */
  isPriced: boolean
  /** Draws the low version: before there is a price, or while a phone's keyboard may be open. */
  isShort: boolean
}

/** Globe turned to the recipient's country. Empty without a verified country of the sender. */
export function SendRoute({ recipient, isPriced, isShort }: SendRouteProps) {
  const form = useSyncExternalStore(followWidth, readForm)
  const from = routeCountry(useUser()?.residence?.country)
  const to = routeCountry(recipient?.country)
  if (!from) return null
  const size = sizes[form][isShort ? 'strip' : 'map']
  return (
    <div className="send-route" style={{ aspectRatio: `${size.width} / ${size.height}` }}>
      <Suspense>
        <RouteMap
          key={`${form} ${isShort}`}
          from={from}
          to={to?.code === from.code ? undefined : to}
          size={size}
          isOpen={!isPriced}
          showsTime={!isShort || form === 'column'}
        />
      </Suspense>
    </div>
  )
}
