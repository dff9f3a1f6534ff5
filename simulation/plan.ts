import { createRandom } from './random.ts'

/** What a movement is about. */
export type MovementKind =
  | 'card deposit'
  | 'converted deposit'
  | 'bank deposit'
  | 'withdrawal'
  | 'card send'
  | 'bank send'
  | 'partial send'

/** What the payer does on the provider's page. `late` pays by a card that answers long after the browser has left. */
export type PayerAct = 'pays' | 'is declined and pays' | 'cancels' | 'leaves' | 'late' | 'disputes'

/** One movement that goes in or out, decided by the seed alone. */
export interface PlannedMovement {
  readonly number: number
  readonly kind: MovementKind
  /** Which of the people, counted from 0. */
  readonly who: number
  readonly toWhom: number
  /** Minor units; no two movements have the same, so that faults can be told by the amount on any wire. */
  readonly amountMinor: number
  readonly payer: PayerAct
  /** The payer's browser comes back and asks, or never does. */
  readonly comesBack: boolean
  readonly idempotencyKey: string
}

const kinds: Readonly<Record<MovementKind, number>> = {
  'card deposit': 26,
  'converted deposit': 8,
  'bank deposit': 16,
  withdrawal: 24,
  'card send': 14,
  'bank send': 12,
  'partial send': 0,
}

// Some people never keep a balance that covers what they send, so that wallet and card pay together.
const kindsOfThePoor: Readonly<Record<MovementKind, number>> = {
  'card deposit': 40,
  'converted deposit': 0,
  'bank deposit': 0,
  withdrawal: 8,
  'card send': 7,
  'bank send': 0,
  'partial send': 45,
}
const isPoor = (who: number) => who % 6 === 0

const payerActs: Readonly<Record<PayerAct, number>> = {
  pays: 74,
  'is declined and pays': 6,
  cancels: 7,
  leaves: 5,
  late: 5,
  disputes: 3,
}

const smallestMinor = 1000

function uuidOf(seed: string, number: number): string {
  const random = createRandom(seed, 'key', number)
  const digits = Array.from({ length: 32 }, () => random.whole(0, 15).toString(16)).join('')
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')
}

/** The movements of a run: the same seed gives the same ones. */
export function planMovements(seed: string, count: number, peopleCount: number): PlannedMovement[] {
  return Array.from({ length: count }, (_, number) => {
    const random = createRandom(seed, 'movement', number)
    // Each person in turn, so that nobody does everything at once.
    const who = number % peopleCount
    const others = Array.from({ length: peopleCount }, (_, other) => other).filter(
      (other) => other !== who && !isPoor(other),
    )
    return {
      number,
      kind: random.weighed(isPoor(who) ? kindsOfThePoor : kinds),
      who,
      toWhom: random.pick(others),
      amountMinor: smallestMinor + number,
      payer: random.weighed(payerActs),
      comesBack: random.chance(50),
      idempotencyKey: uuidOf(seed, number),
    }
  })
}
