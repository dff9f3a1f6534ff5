import type { chooseCard, paymentMethods, SavedCard } from '@tern/contract/banking'
import type { Reply } from '@tern/contract/endpoint'
import type { KeptCard } from '@tern/providers/card/port'
import type { Tx } from '../../db.ts'
import type { Ground } from './ground.ts'

export interface SavedCards {
  /** The user's saved cards, the default one first. */
  savedCards(userId: bigint): Promise<Reply<typeof paymentMethods>['cards']>
  /** Refuses `not_found`. */
  removeCard(userId: bigint, id: string): Promise<void>
  /** Refuses `not_found`. */
  chooseCard(userId: bigint, id: string): Promise<Reply<typeof chooseCard>>
  /** The provider's token of a saved card. Refuses `payment_method_not_found`. */
  chargeableCard(userId: bigint, id: string): Promise<{ view: SavedCard; token: string }>
  /** Keeps a card that its owner wanted to be kept; a card that is kept already gets its newer token. */
  keepCard(tx: Tx, userId: bigint, card: KeptCard): Promise<void>
}

export function createSavedCards(_ground: Ground): SavedCards {
  const later = () => Promise.reject(new Error('being built'))
  return { savedCards: later, removeCard: later, chooseCard: later, chargeableCard: later, keepCard: later }
}
