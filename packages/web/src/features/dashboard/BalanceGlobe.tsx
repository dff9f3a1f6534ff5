import { useQuery } from '@tanstack/react-query'
import type { Transaction } from '@tern/contract/transactions'
import type { Wallet } from '@tern/contract/wallets'
import { type FiatCode, isFiatCode } from '@tern/money/currency'
import { dashboard } from '#messages/home/dashboard.ts'
import { transactionsQuery } from '../../app/session/live.ts'
import { personOf } from '../../ui/money/activity.ts'
import { Globe, type GlobePoint, type Place } from '../../ui/maps/Globe.tsx'

const mostArcs = 4

/** The financial centre of each currency's country: where an arc of that currency starts or ends. Without one it has none. */
const placeOfCurrency: Readonly<Partial<Record<FiatCode, Place>>> = {
  USD: [-74, 40.7],
  GBP: [-0.1, 51.5],
  CAD: [-79.4, 43.7],
  AUD: [151.2, -33.9],
  EUR: [8.7, 50.1],
  JPY: [139.7, 35.7],
  SGD: [103.8, 1.35],
  INR: [72.9, 19.1],
  BRL: [-46.6, -23.5],
}

/** The last people paid abroad, latest first, one for each currency area: two arcs to one place would be one arc. */
function peoplePaid(sent: readonly Transaction[], homeCurrency: string): GlobePoint[] {
  const byCurrency = new Map<string, GlobePoint>()
  for (const transaction of sent) {
    const { target_currency: currency } = transaction
    if (currency === homeCurrency || !isFiatCode(currency) || byCurrency.has(currency)) continue
    const at = placeOfCurrency[currency]
    if (!at) continue
    const firstName = personOf(transaction)?.split(' ')[0] ?? currency
    byCurrency.set(currency, { at, label: dashboard.personAt(firstName, currency) })
  }
  return [...byCurrency.values()].slice(0, mostArcs)
}

/** The globe behind the balance, from the person's own transfers. */
export function BalanceGlobe({ wallet }: { wallet: Wallet }) {
  const currency = wallet.base_currency
  const sent = useQuery(transactionsQuery(wallet.user_id, { type: 'SEND', status: 'COMPLETED', limit: '20' }))
  const home = placeOfCurrency[currency]
  if (!sent.data || !home) return null
  return (
    <Globe
      home={{ at: home, label: dashboard.youAt(currency) }}
      people={peoplePaid(sent.data.transactions, currency)}
    />
  )
}
