import { useQuery } from '@tanstack/react-query'
import type { Transaction } from '@tern/contract/transactions'
import type { Wallet } from '@tern/contract/wallets'
import { transactionsQuery } from '../../app/session/live.ts'
import { Globe, type GlobePoint } from '../../ui/maps/Globe.tsx'
import { cityOf } from '../../ui/maps/route/cities.ts'

const mostArcs = 4

/** A currency without a city has no arc. */
function pointOf(currency: string): GlobePoint | undefined {
  const city = cityOf(currency)
  return city && { at: city.at, label: city.name }
}

/** Where the last people paid abroad live, latest first: two arcs to one city would be one arc. */
function citiesPaid(sent: readonly Transaction[], homeCurrency: string): GlobePoint[] {
  const currencies = new Set(sent.map(({ target_currency: currency }) => currency as string))
  currencies.delete(homeCurrency)
  return [...currencies].flatMap((currency) => pointOf(currency) ?? []).slice(0, mostArcs)
}

/** The globe behind the balance, from the person's own transfers. Before the wallet is known, or its country: the globe alone. */
export function BalanceMap({ wallet }: { wallet: Wallet | undefined }) {
  const sent = useQuery({
    ...transactionsQuery(wallet?.user_id ?? 0, { type: 'SEND', status: 'COMPLETED', limit: '20' }),
    enabled: wallet !== undefined,
  })
  const home = wallet && sent.data && pointOf(wallet.base_currency)
  return <Globe home={home} people={home ? citiesPaid(sent.data.transactions, wallet.base_currency) : []} />
}
