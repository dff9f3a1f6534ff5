import '../../css/favorite.css'
import type { PublicUser } from '@tern/contract/identity'
import { addFavorite, removeFavorite } from '@tern/contract/identity/favorites'
import { favorites as texts } from '#messages/transfers/favorites.ts'
import { useApiMutation } from '../use-api-mutation.ts'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { ExtraIcon } from '../../ui/icon/ExtraIcon.tsx'
import { useUser } from '../session/session.ts'
import { useKnownPeople } from './known-people.ts'

interface FavoriteButtonProps {
  person: Pick<PublicUser, 'id' | 'username' | 'name'>
  /** True if the page knows of a payment between the two; if false, only recent payees can be marked. */
  wasPaid?: boolean
  hasText?: boolean
}

/** Toggles a favorite; renders nothing for strangers, or before the current state is known. */
export function FavoriteButton({ person, wasPaid = false, hasText = false }: FavoriteButtonProps) {
  const userId = useUser()?.id ?? 0
  const toast = useToast()
  const action = useApiMutation({
    failed: texts.failed,
    onFailed: (message) => toast(message, 'warning'),
    refetches: [['favorites', userId]],
  })
  const knownPeople = useKnownPeople(userId, userId !== 0)
  const isFavorite = knownPeople.favorites.some(({ id }) => id === person.id)
  const name = person.name ?? person.username

  const toggle = () =>
    action.send(isFavorite ? removeFavorite : addFavorite, { params: { id: String(person.id) } }, () =>
      toast(isFavorite ? texts.removed(name) : texts.added(name)),
    )

  if (!knownPeople.isLoaded || !(wasPaid || isFavorite || knownPeople.recent.some(({ id }) => id === person.id)))
    return null
  return (
    <button
      type="button"
      className={hasText ? 'button button-ghost favorite' : 'button button-square favorite'}
      data-marked={isFavorite || undefined}
      aria-label={hasText ? undefined : (isFavorite ? texts.remove : texts.add)(name)}
      onClick={toggle}
    >
      <ExtraIcon name="star" />
      {hasText && (isFavorite ? texts.removeShort : texts.addShort)}
    </button>
  )
}
