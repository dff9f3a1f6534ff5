import { createRandom } from './random.ts'

/** Kind of a movement. */
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
 * The payer's action. `late` uses a card that answers long after the browser left; after `canceled and captured` the
 * bank captures anyway; `refunded` payments are paid, then returned.
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

/** A movement, decided by the seed. */
export interface PlannedMovement {
  readonly number: number
  readonly kind: MovementKind
  /** Index of the person. */
  readonly who: number
  readonly toWhom: number
  /** Minor units, unique so that proxies can assign faults by amount. */
  readonly amountMinor: number
  /** Decides remaining choices: currency, direction. */
  readonly variant: number
  readonly payer: PayerAct
  /** Whether the browser returns and polls. */
  readonly comesBack: boolean
  readonly idempotencyKey: string
}

type Weights<T extends string> = Readonly<Partial<Record<T, number>>>

/** What people do in a run, and how often. */
export interface Habits {
  readonly kinds: Weights<MovementKind>
  /** For those whose balance never covers a send: wallet and card pay together. */
  readonly kindsOfThePoor: Weights<MovementKind>
  readonly payerActs: Weights<PayerAct>
  /** A movement's amount in minor units. */
  amountMinor(number: number): number
  /** Recipients by distance; default: anyone. */
  readonly recipients?: readonly number[]
}

/** Money in and out, with unique amounts so that proxies can assign faults. */
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

/** A movement's idempotency key; `part` distinguishes several. */
export function keyOf(seed: string, number: number, part = ''): string {
  const random = part === '' ? createRandom(seed, 'key', number) : createRandom(seed, 'key', number, part)
  const digits = Array.from({ length: 32 }, () => random.whole(0, 15).toString(16)).join('')
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')
}

/** A person's recipients. */
export function recipientsOf(who: number, peopleCount: number, { recipients }: Habits): number[] {
  if (recipients) return recipients.map((distance) => (who + distance) % peopleCount)
  return Array.from({ length: peopleCount }, (_, other) => other).filter((other) => other !== who && !isPoor(other))
}

/** The movement with this number, determined by the seed. */
export function planMovement(
  seed: string,
  number: number,
  peopleCount: number,
  habits: Habits = inAndOut,
): PlannedMovement {
  const random = createRandom(seed, 'movement', number)
  // In turn, so that nobody does everything at once.
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

/** A run's first `count` movements. */
export const planMovements = (seed: string, count: number, peopleCount: number): PlannedMovement[] =>
  Array.from({ length: count }, (_, number) => planMovement(seed, number, peopleCount))
