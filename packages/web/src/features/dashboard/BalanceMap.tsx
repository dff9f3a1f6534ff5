import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import type { Transaction } from '@tern/contract/transactions'
import { useEffect, useRef, useState } from 'react'
import { transactionsQuery } from '../../app/session/live.ts'
import { useUser } from '../../app/session/session.ts'
import { type GlobePoint, GlobeRoutes } from '../../ui/maps/GlobeRoutes.tsx'
import { routeCountry } from '../../ui/maps/route/countries.ts'
import { newest } from './RecentActivity.tsx'

const maxArcs = 4
/** Duration of an arrival's animation, plus a short pause. */
const arrivalMs = 5000

/** Point of a country on the globe; undefined without a verified country that the map shows. */
function locateCountry(code: string | null | undefined): GlobePoint | undefined {
  const country = routeCountry(code)
  return country && { code: country.code, at: country.place.at, label: country.name }
}

/** The user's own country, labeled with the city of their verified address. */
function locateHome(user: CurrentUser | undefined): GlobePoint | undefined {
  const home = locateCountry(user?.residence?.country)
  return home && { ...home, label: user?.residence?.city ?? home.label }
}

/** Countries of the latest recipients abroad, newest first and without duplicates. */
function listPaidCountries(sent: readonly Transaction[], home: GlobePoint): GlobePoint[] {
  const codes = new Set(sent.map(({ counterparty }) => counterparty?.country))
  codes.delete(home.code)
  return [...codes].flatMap((code) => locateCountry(code) ?? []).slice(0, maxArcs)
}

const isReceived = ({ transaction_type: type, status }: Transaction): boolean =>
  type === 'RECEIVE' && status === 'COMPLETED'

/** Transfer from abroad that arrived since the page was opened, while it is animated. */
function useArrival(userId: number | undefined, home: GlobePoint | undefined) {
  const { data } = useQuery(transactionsQuery(userId, newest))
  const knownKeys = useRef<Set<string>>(undefined)
  const [arrival, setArrival] = useState<{ id: string; from: GlobePoint }>()
  const homeCode = home?.code
  useEffect(() => {
    if (!data) return
    const received = data.transactions.filter(isReceived)
    const arrivedTransaction = knownKeys.current && received.find(({ id }) => !knownKeys.current?.has(id))
    knownKeys.current = new Set([...(knownKeys.current ?? []), ...received.map(({ id }) => id)])
    const from = locateCountry(arrivedTransaction?.counterparty?.country)
    if (arrivedTransaction && from && from.code !== homeCode) setArrival({ id: arrivedTransaction.id, from })
  }, [data, homeCode])
  useEffect(() => {
    if (!arrival) return
    const timer = setTimeout(() => setArrival(undefined), arrivalMs)
    return () => clearTimeout(timer)
  }, [arrival])
  return arrival
}

/** Globe behind the balance, drawn from the user's own transfers; empty until their country is verified. */
export function BalanceMap() {
  const user = useUser()
  const home = locateHome(user)
  const sent = useQuery({
    ...transactionsQuery(user?.id, { type: 'SEND', status: 'COMPLETED', limit: '20' }),
    enabled: home !== undefined,
  })
  const arrival = useArrival(home && user?.id, home)
  const people = home && sent.data ? listPaidCountries(sent.data.transactions, home) : []
  return <GlobeRoutes home={sent.data && home} people={people} arrival={arrival} />
}
