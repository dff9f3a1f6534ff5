import '../../css/favorite.css'
import { useQueryClient } from '@tanstack/react-query'
import type { PublicUser } from '@tern/contract/identity'
import { addFavorite, removeFavorite } from '@tern/contract/identity/favorites'
import { Refused } from '@tern/contract/protocol/client'
import { useState } from 'react'
import { favorites as texts } from '#messages/transfers/favorites.ts'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { ExtraIcon } from '../../ui/icon/ExtraIcon.tsx'
import { callApi, useUser } from '../session/session.ts'
import { favoritesQuery, useKnownPeople } from './known-people.ts'

interface FavoriteButtonProps {
  person: Pick<PublicUser, 'id' | 'username' | 'name'>
  /** True if the page knows that the two have paid each other. Elsewhere only recent payees can be marked. */
  havePaid?: boolean
  withText?: boolean
}

/** Toggles a favorite; nothing for strangers, or before the current state is known. */
export function FavoriteButton({ person, havePaid = false, withText = false }: FavoriteButtonProps) {
  const userId = useUser()?.id ?? 0
  const queryClient = useQueryClient()
  const toast = useToast()
  const [isBusy, setIsBusy] = useState(false)
  const known = useKnownPeople(userId, userId !== 0)
  const isFavorite = known.favorites.some(({ id }) => id === person.id)
  const name = person.name ?? person.username

  async function toggle(): Promise<void> {
    if (isBusy) return
    setIsBusy(true)
    try {
      await callApi(isFavorite ? removeFavorite : addFavorite, { params: { id: String(person.id) } })
      await queryClient.invalidateQueries({ queryKey: favoritesQuery(userId).queryKey })
      toast(isFavorite ? texts.removed(name) : texts.added(name))
    } catch (error) {
      toast(error instanceof Refused ? error.message : texts.failed, 'warning')
    }
    setIsBusy(false)
  }

  if (!known.isLoaded || !(havePaid || isFavorite || known.recent.some(({ id }) => id === person.id))) return null
  return (
    <button
      type="button"
      className={withText ? 'button button-ghost favorite' : 'button button-square favorite'}
      data-marked={isFavorite || undefined}
      aria-label={withText ? undefined : (isFavorite ? texts.remove : texts.add)(name)}
      onClick={() => void toggle()}
    >
      <ExtraIcon name="star" />
      {withText && (isFavorite ? texts.removeShort : texts.addShort)}
    </button>
  )
}
