import { useQuery } from '@tanstack/react-query'
import type { Transaction } from '@tern/contract/transactions'
import type { Wallet } from '@tern/contract/wallets'
import type { FiatCode } from '@tern/money/currency'
import { maps } from '#messages/maps/maps.ts'
import { transactionsQuery } from '../../app/session/live.ts'
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

function cityOf(currency: string): GlobePoint | undefined {
  const at = placeOfCurrency[currency as FiatCode]
  return at && { at, label: maps.cities[currency as keyof typeof maps.cities] }
}

/** Where the last people paid abroad live, latest first: two arcs to one city would be one arc. */
function citiesPaid(sent: readonly Transaction[], homeCurrency: string): GlobePoint[] {
  const currencies = new Set(sent.map(({ target_currency: currency }) => currency as string))
  currencies.delete(homeCurrency)
  return [...currencies].flatMap((currency) => cityOf(currency) ?? []).slice(0, mostArcs)
}

/** The globe behind the balance, from the person's own transfers. Before the wallet is known, or its country: the globe alone. */
export function BalanceMap({ wallet }: { wallet: Wallet | undefined }) {
  const sent = useQuery({
    ...transactionsQuery(wallet?.user_id ?? 0, { type: 'SEND', status: 'COMPLETED', limit: '20' }),
    enabled: wallet !== undefined,
  })
  const home = wallet && sent.data && cityOf(wallet.base_currency)
  return <Globe home={home} people={home ? citiesPaid(sent.data.transactions, wallet.base_currency) : []} />
}
