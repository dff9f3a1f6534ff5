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
  | 'wallet send'
  | 'quoted send'
  | 'exchange'
  | 'crypto send'
  | 'overdraft'
  | 'quote twice'

/**
 * What the payer does on the provider's page. `late` pays by a card that answers long after the browser has left. Of those
 * that are `canceled and captured`, the bank captures the money all the same; `refunded` ones are paid and given back.
 */
export type PayerAct =
  | 'pays'
  | 'is declined and pays'
  | 'cancels'
  | 'canceled and captured'
  | 'leaves'
  | 'late'
  | 'disputes'
  | 'refunded'

/** One movement, decided by the seed alone. */
export interface PlannedMovement {
  readonly number: number
  readonly kind: MovementKind
  /** Which of the people, counted from 0. */
  readonly who: number
  readonly toWhom: number
  /** Minor units; no two movements have the same, so that faults can be told by the amount on any wire. */
  readonly amountMinor: number
  /** Decides what the rest leaves open: which currency, which way round. */
  readonly variant: number
  readonly payer: PayerAct
  /** The payer's browser comes back and asks, or never does. */
  readonly comesBack: boolean
  readonly idempotencyKey: string
}

type Weights<T extends string> = Readonly<Partial<Record<T, number>>>

/** What people do in a run, and how often. */
export interface Habits {
  readonly kinds: Weights<MovementKind>
  /** Of those who never keep a balance that covers what they send, so that wallet and card pay together. */
  readonly kindsOfThePoor: Weights<MovementKind>
  readonly payerActs: Weights<PayerAct>
  /** Minor units of the movement of this number. */
  amountMinor(number: number): number
  /** Whom somebody pays, by distance; anybody unless told. */
  readonly recipients?: readonly number[]
}

/** Money in and out. No two amounts are the same, so that faults can be told by the amount on any wire. */
export const inAndOut: Habits = {
  kinds: {
    'card deposit': 26,
    'converted deposit': 8,
    'bank deposit': 16,
    withdrawal: 24,
    'card send': 14,
    'bank send': 12,
  },
  kindsOfThePoor: { 'card deposit': 40, withdrawal: 8, 'card send': 7, 'partial send': 45 },
  payerActs: {
    pays: 68,
    'is declined and pays': 6,
    cancels: 5,
    'canceled and captured': 7,
    leaves: 5,
    late: 5,
    disputes: 3,
    refunded: 1,
  },
  amountMinor: (number) => 1000 + number,
}

const isPoor = (who: number) => who % 6 === 0

/** The idempotency key of a movement; `part` tells several of one movement apart. */
export function keyOf(seed: string, number: number, part = ''): string {
  const random = part === '' ? createRandom(seed, 'key', number) : createRandom(seed, 'key', number, part)
  const digits = Array.from({ length: 32 }, () => random.whole(0, 15).toString(16)).join('')
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')
}

/** Whom somebody pays. */
export function recipientsOf(who: number, peopleCount: number, { recipients }: Habits): number[] {
  if (recipients) return recipients.map((distance) => (who + distance) % peopleCount)
  return Array.from({ length: peopleCount }, (_, other) => other).filter((other) => other !== who && !isPoor(other))
}

/** The movement of this number: the same seed gives the same one. */
export function planMovement(
  seed: string,
  number: number,
  peopleCount: number,
  habits: Habits = inAndOut,
): PlannedMovement {
  const random = createRandom(seed, 'movement', number)
  // Each person in turn, so that nobody does everything at once.
  const who = number % peopleCount
  return {
    number,
    kind: random.weighed(isPoor(who) ? habits.kindsOfThePoor : habits.kinds),
    who,
    toWhom: random.pick(recipientsOf(who, peopleCount, habits)),
    amountMinor: habits.amountMinor(number),
    variant: createRandom(seed, 'variant', number).whole(0, 999_999),
    payer: random.weighed(habits.payerActs),
    comesBack: random.chance(50),
    idempotencyKey: keyOf(seed, number),
  }
}

/** The first `count` movements of a run. */
export const planMovements = (seed: string, count: number, peopleCount: number): PlannedMovement[] =>
  Array.from({ length: count }, (_, number) => planMovement(seed, number, peopleCount))
