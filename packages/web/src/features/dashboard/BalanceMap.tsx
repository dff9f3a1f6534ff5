import { useQuery } from '@tanstack/react-query'
import type { Transaction } from '@tern/contract/transactions'
import type { Wallet } from '@tern/contract/wallets'
import { useEffect, useRef, useState } from 'react'
import { transactionsQuery } from '../../app/session/live.ts'
import { type GlobePoint, GlobeRoutes } from '../../ui/maps/GlobeRoutes.tsx'
import { cityOf } from '../../ui/maps/route/cities.ts'
import { newest } from './RecentActivity.tsx'

const mostArcs = 4
/** How long an arrival is shown: the flight and a while after it. */
const arrivalMs = 5000

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

const hasCome = ({ transaction_type: type, status }: Transaction): boolean =>
  type === 'RECEIVE' && status === 'COMPLETED'

/** Money from abroad that has come since the page was opened, for as long as that is shown. */
function useArrival(wallet: Wallet | undefined) {
  const { data } = useQuery({ ...transactionsQuery(wallet?.user_id ?? 0, newest), enabled: wallet !== undefined })
  const seen = useRef<Set<string>>(undefined)
  const [arrival, setArrival] = useState<{ id: string; from: GlobePoint }>()
  useEffect(() => {
    if (!data || !wallet) return
    const come = data.transactions.filter(hasCome)
    const fresh = seen.current && come.find(({ id }) => !seen.current?.has(id))
    seen.current = new Set([...(seen.current ?? []), ...come.map(({ id }) => id)])
    const from = fresh && fresh.source_currency !== wallet.base_currency && pointOf(fresh.source_currency)
    if (from) setArrival({ id: fresh.id, from })
  }, [data, wallet])
  useEffect(() => {
    if (!arrival) return
    const timer = setTimeout(() => setArrival(undefined), arrivalMs)
    return () => clearTimeout(timer)
  }, [arrival])
  return arrival
}

/** The globe behind the balance, from the person's own transfers. Before the wallet is known, or its country: the globe alone. */
export function BalanceMap({ wallet }: { wallet: Wallet | undefined }) {
  const sent = useQuery({
    ...transactionsQuery(wallet?.user_id ?? 0, { type: 'SEND', status: 'COMPLETED', limit: '20' }),
    enabled: wallet !== undefined,
  })
  const arrival = useArrival(wallet)
  const home = wallet && sent.data && pointOf(wallet.base_currency)
  const people = home ? citiesPaid(sent.data.transactions, wallet.base_currency) : []
  return <GlobeRoutes home={home} people={people} arrival={arrival} />
}
