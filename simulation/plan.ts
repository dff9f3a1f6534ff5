import { createRandom } from './random.ts'

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
 * Action of the payer. `late` uses a card whose bank responds long after the browser has left; `canceled_then_captured`
 * is captured by the bank after the cancellation; `refunded` is paid and then refunded.
 */
export type PayerAction =
  | 'pays'
  | 'declined_then_pays'
  | 'cancels'
  | 'canceled_then_captured'
  | 'leaves'
  | 'late'
  | 'disputes'
  | 'refunded'

/** Movement determined by the seed. */
export interface PlannedMovement {
  readonly number: number
  readonly kind: MovementKind
  readonly personIndex: number
  readonly recipientIndex: number
  /** In minor units; unique in `externalMovementMix`, since the proxies assign faults by amount. */
  readonly amountMinor: number
  /** Determines the remaining choices, such as currency and direction. */
  readonly variant: number
  readonly payer: PayerAction
  /** The browser returns from the checkout and polls. */
  readonly returnsFromCheckout: boolean
  readonly idempotencyKey: string
}

type Weights<T extends string> = Readonly<Partial<Record<T, number>>>

/** Weights of the kinds of movements in a run, and their amounts and recipients. */
export interface MovementMix {
  readonly kinds: Weights<MovementKind>
  /** For people whose sends always exceed the balance, so that wallet and card pay together. */
  readonly lowBalanceKinds: Weights<MovementKind>
  readonly payerActions: Weights<PayerAction>
  /** For the same people; defaults to `payerActions`. */
  readonly lowBalancePayerActions?: Weights<PayerAction>
  amountMinor(number: number): number
  /** Index distances from a person to their recipients; by default everyone else without a low balance. */
  readonly recipients?: readonly number[]
}

/** Deposits, withdrawals and sends, with unique amounts so that proxies can assign faults. */
export const externalMovementMix: MovementMix = {
  kinds: {
    card_deposit: 26,
    converted_deposit: 8,
    bank_deposit: 16,
    withdrawal: 24,
    card_send: 14,
    bank_send: 12,
  },
  lowBalanceKinds: { card_deposit: 40, withdrawal: 8, card_send: 7, partial_send: 45 },
  payerActions: {
    pays: 68,
    declined_then_pays: 6,
    cancels: 5,
    canceled_then_captured: 7,
    leaves: 5,
    late: 5,
    disputes: 3,
    refunded: 1,
  },
  // These people are so few that with the usual weights no send by wallet and card would fail in a short run.
  lowBalancePayerActions: {
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

const hasLowBalance = (personIndex: number) => personIndex % 6 === 0

/** Returns an idempotency key of a movement; `part` distinguishes further keys. */
export function deriveKey(seed: string, number: number, part = ''): string {
  const random = part === '' ? createRandom(seed, 'key', number) : createRandom(seed, 'key', number, part)
  const digits = Array.from({ length: 32 }, () => random.pickInteger(0, 15).toString(16)).join('')
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')
}

/** Returns the indexes of a person's possible recipients. */
export function listRecipients(personIndex: number, peopleCount: number, { recipients }: MovementMix): number[] {
  if (recipients) return recipients.map((distance) => (personIndex + distance) % peopleCount)
  return Array.from({ length: peopleCount }, (_, other) => other).filter(
    (other) => other !== personIndex && !hasLowBalance(other),
  )
}

/** Returns the movement with this number, determined by the seed. */
export function planMovement(
  seed: string,
  number: number,
  peopleCount: number,
  mix: MovementMix = externalMovementMix,
): PlannedMovement {
  const random = createRandom(seed, 'movement', number)
  // Assigned in rotation, so that everyone has equally many movements.
  const personIndex = number % peopleCount
  return {
    number,
    kind: random.pickWeighted(hasLowBalance(personIndex) ? mix.lowBalanceKinds : mix.kinds),
    personIndex,
    recipientIndex: random.pick(listRecipients(personIndex, peopleCount, mix)),
    amountMinor: mix.amountMinor(number),
    variant: createRandom(seed, 'variant', number).pickInteger(0, 999_999),
    payer: random.pickWeighted((hasLowBalance(personIndex) && mix.lowBalancePayerActions) || mix.payerActions),
    returnsFromCheckout: random.rollPercent(50),
    idempotencyKey: deriveKey(seed, number),
  }
}

export const planMovements = (seed: string, count: number, peopleCount: number): PlannedMovement[] =>
  Array.from({ length: count }, (_, number) => planMovement(seed, number, peopleCount))
