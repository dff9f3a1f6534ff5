import { createRandom } from './random.ts'

/** Kind of a movement. */
export type MovementKind =
  | 'card_deposit'
  | 'converted_deposit'
  | 'bank_deposit'
  | 'withdrawal'
  | 'card_send'
  | 'bank_send'
  | 'partial_send'
  | 'wallet_send'
  | 'quoted_send'
  | 'exchange'
  | 'crypto_send'
  | 'overdraft'
  | 'quote_twice'

/**
 * The payer's action. `late` uses a card that answers long after the browser left; after `canceled_then_captured` the
 * bank captures anyway; `refunded` payments are paid, then returned.
 */
export type PayerAct =
  | 'pays'
  | 'declined_then_pays'
  | 'cancels'
  | 'canceled_then_captured'
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
  readonly lowBalanceKinds: Weights<MovementKind>
  readonly payerActs: Weights<PayerAct>
  /** What those do; default: as everybody. */
  readonly lowBalancePayerActs?: Weights<PayerAct>
  /** A movement's amount in minor units. */
  amountMinor(number: number): number
  /** Recipients by distance; default: anyone. */
  readonly recipients?: readonly number[]
}

/** Money in and out, with unique amounts so that proxies can assign faults. */
export const inAndOut: Habits = {
  kinds: {
    card_deposit: 26,
    converted_deposit: 8,
    bank_deposit: 16,
    withdrawal: 24,
    card_send: 14,
    bank_send: 12,
  },
  lowBalanceKinds: { card_deposit: 40, withdrawal: 8, card_send: 7, partial_send: 45 },
  payerActs: {
    pays: 68,
    declined_then_pays: 6,
    cancels: 5,
    canceled_then_captured: 7,
    leaves: 5,
    late: 5,
    disputes: 3,
    refunded: 1,
  },
  // They are few, so that otherwise no send by wallet and card fails in a short run.
  lowBalancePayerActs: {
    pays: 50,
    declined_then_pays: 5,
    cancels: 20,
    canceled_then_captured: 5,
    leaves: 10,
    late: 5,
    disputes: 3,
    refunded: 2,
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
    kind: random.weighed(isPoor(who) ? habits.lowBalanceKinds : habits.kinds),
    who,
    toWhom: random.pick(recipientsOf(who, peopleCount, habits)),
    amountMinor: habits.amountMinor(number),
    variant: createRandom(seed, 'variant', number).whole(0, 999_999),
    payer: random.weighed((isPoor(who) && habits.lowBalancePayerActs) || habits.payerActs),
    comesBack: random.chance(50),
    idempotencyKey: keyOf(seed, number),
  }
}

/** A run's first `count` movements. */
export const planMovements = (seed: string, count: number, peopleCount: number): PlannedMovement[] =>
  Array.from({ length: count }, (_, number) => planMovement(seed, number, peopleCount))
