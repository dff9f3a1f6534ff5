import type { PaymentLink } from '@tern/contract/requests/payment-links'
import { Suspense } from 'react'
import { useUser } from '../../../app/session/session.ts'
import { lazyComponent } from '../../../ui/lazy-component.ts'
import { routeBetween, routeCountry } from '../../../ui/maps/route/countries.ts'

const place =
  'absolute start-6 bottom-0 w-[calc(100%-560px)] max-xl:start-0 max-xl:w-[calc(100%-460px)] ' +
  'max-md:static max-md:-mx-4 max-md:mt-4 max-md:w-auto'

const Horizon = lazyComponent(() => import('../../../ui/maps/route/Horizon.tsx'), 'Horizon')

/**
 * Upper part of the globe, under the request: the requester's country, and for members the route there from their own.
 * Empty without a verified country of the requester.
 */
export function PayRoute({ link, isPaid }: { link: PaymentLink; isPaid: boolean }) {
  const own = useUser()?.residence?.country
  const country = routeCountry(link.requester.country)
  if (!country) return null
  const route = routeBetween(own, link.requester.country)
  return (
    <div className={place}>
      <Suspense>
        <Horizon from={route?.from ?? country} to={route?.to} isPaid={isPaid} />
      </Suspense>
    </div>
  )
}
