import { useQuery } from '@tanstack/react-query'
import type { PublicUser } from '@tern/contract/identity'
import { favorites } from '@tern/contract/identity/favorites'
import { isFiatCode } from '@tern/money/currency'
import { transactionsQuery } from '../session/live.ts'
import { buildQuery } from '../session/query.ts'

const maxRecent = 5
const noPeople: readonly PublicUser[] = []

export const favoritesQuery = (userId: number) => buildQuery(['favorites', userId], favorites, {})

/** Favorites, newest first, and other recent payees, latest first. `isLoaded` is true once the favorites are loaded. */
export function useKnownPeople(userId: number, isEnabled: boolean) {
  const { data: favoritePeople } = useQuery({ ...favoritesQuery(userId), enabled: isEnabled })
  const { data } = useQuery({
    ...transactionsQuery(userId, { type: 'SEND', status: 'COMPLETED', limit: '25' }),
    enabled: isEnabled,
  })
  const people = new Map<number, PublicUser>()
  for (const { counterparty, target_currency: currency } of data?.transactions ?? []) {
    if (!counterparty || !isFiatCode(currency) || people.has(counterparty.id)) continue
    people.set(counterparty.id, { ...counterparty, base_currency: currency })
  }
  for (const { id } of favoritePeople ?? noPeople) people.delete(id)
  return {
    isLoaded: favoritePeople !== undefined,
    favorites: favoritePeople ?? noPeople,
    recent: [...people.values()].slice(0, maxRecent),
  }
}
