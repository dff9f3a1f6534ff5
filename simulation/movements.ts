import { Refused } from '@tern/contract/protocol/client'
import { withdraw } from '@tern/contract/banking'
import { createQuote } from '@tern/contract/exchange'
import { deposit, depositByCard, directPayment, paymentStatus } from '@tern/contract/payments'
import { cancelTransfer, sendMoney, settleTransfer, transferStatus } from '@tern/contract/transfers'
import { walletOfUser } from '@tern/contract/wallets'
import { visitCheckout } from './harness/checkout-visit.ts'
import { type Actor, type HomeCurrency, ignoreRefusal } from './harness/actor.ts'
import { formatMinor, parseMinor } from './oracle/pricing.ts'
import type { MovementKind, PlannedMovement } from './plan.ts'
import { moveInWallet, type WalletMovement } from './wallet-movements.ts'
import { type Answer, buildOrder, readPromise, type World } from './harness/world.ts'

const otherCurrency: Readonly<Record<HomeCurrency, 'USD' | 'EUR'>> = { USD: 'EUR', EUR: 'USD', JPY: 'USD' }

/** Performs one movement as its person and their browser. */
export async function perform(planned: PlannedMovement, world: World): Promise<Answer> {
  const person = world.people[planned.who]
  const recipient = world.people[planned.toWhom]
  if (!person || !recipient) throw new Error(`nobody has the number ${planned.who} or ${planned.toWhom}`)
  try {
    if (!isFromOutside(planned)) return await moveInWallet(planned as WalletMovement, world, person, recipient)
    const ordered = await order(planned, world, person, recipient)
    if (ordered.redirectUrl !== null) await visitCheckout(ordered.redirectUrl, planned.payer, world)
    if (planned.comesBack) await comeBack(planned, person, recipient, ordered)
    return { status: 'begun', id: ordered.id, redirectUrl: ordered.redirectUrl }
  } catch (error) {
    if (error instanceof Refused && error.status < 500) return { status: 'refused', code: error.code }
    throw error
  }
}

/** Movement from or to a card or bank. */
type OutsideMovement = PlannedMovement & { readonly kind: Exclude<MovementKind, WalletMovement['kind']> }

const outsideKinds: ReadonlySet<string> = new Set<OutsideMovement['kind']>([
  'card_deposit',
  'converted_deposit',
  'bank_deposit',
  'withdrawal',
  'card_send',
  'bank_send',
  'partial_send',
])

const isFromOutside = (planned: PlannedMovement): planned is OutsideMovement => outsideKinds.has(planned.kind)

interface Ordered {
  readonly id: string
  readonly redirectUrl: string | null
  /** Decimal amount before the fee. */
  readonly amount: string
}

async function order(planned: OutsideMovement, { orders }: World, person: Actor, recipient: Actor): Promise<Ordered> {
  const { kind, idempotencyKey, amountMinor } = planned
  const { currency, bankAccountId } = person
  const amount = formatMinor(currency, BigInt(amountMinor))
  const source = BigInt(amountMinor)
  switch (kind) {
    case 'card_deposit': {
      const body = { amount: amountMinor, currency: currency.toLowerCase(), saveCard: planned.comesBack }
      orders.note(buildOrder(planned, person, { kind: 'deposit', source, pulledFrom: 'card' }))
      return begun(await person.call(depositByCard, { body, idempotencyKey }), amount)
    }
    case 'converted_deposit': {
      const other = otherCurrency[currency]
      const quote = await person.call(createQuote, {
        body: { source_currency: other, target_currency: currency, amount: formatMinor(other, source), side: 'source' },
      })
      const body = { amount: amountMinor, currency: other.toLowerCase(), quote_id: quote.quote_id }
      const promised = { sourceCurrency: other, ...readPromise(quote) }
      orders.note(buildOrder(planned, person, { kind: 'deposit', source, pulledFrom: 'card', ...promised }))
      return begun(await person.call(depositByCard, { body, idempotencyKey }), amount)
    }
    case 'bank_deposit': {
      const body = { amount, currency, method: 'bank', bankAccountId } as const
      orders.note(buildOrder(planned, person, { kind: 'deposit', source, pulledFrom: 'bank' }))
      return begun(await person.call(deposit, { body, idempotencyKey }), amount)
    }
    case 'withdrawal': {
      const body = { amount, currency, bankAccountId }
      orders.note(buildOrder(planned, person, { kind: 'withdrawal', source }))
      const { payout_id: id } = await person.call(withdraw, { body, idempotencyKey })
      return { id, redirectUrl: null, amount }
    }
    case 'card_send':
    case 'bank_send':
    case 'partial_send':
      return orderPaidSend(planned, kind, { orders }, { person, recipient })
  }
}

const sourceOf = { card_send: 'card', bank_send: 'bank', partial_send: 'wallet_partial' } as const

async function orderPaidSend(
  planned: PlannedMovement,
  kind: keyof typeof sourceOf,
  { orders }: Pick<World, 'orders'>,
  { person, recipient }: { person: Actor; recipient: Actor },
): Promise<Ordered> {
  const { idempotencyKey, amountMinor } = planned
  const { currency, bankAccountId } = person
  const paymentSource = sourceOf[kind]
  const isPartial = paymentSource === 'wallet_partial'
  const sent = isPartial ? await aboveBalance(person, amountMinor) : amountMinor
  const body = {
    amount: sent,
    currency: currency.toLowerCase(),
    recipientId: String(recipient.person.id),
    paymentSource,
    ...(paymentSource === 'bank' ? { bankAccountId } : {}),
  }
  const recipientId = recipient.person.id
  orders.note(
    buildOrder(planned, person, {
      kind: 'payment_send',
      source: BigInt(sent),
      recipientId,
      targetCurrency: recipient.currency,
      isPartial,
      pulledFrom: paymentSource === 'bank' ? 'bank' : 'card',
    }),
  )
  const ordered = await person.call(directPayment, { body, idempotencyKey })
  return begun(ordered, formatMinor(currency, BigInt(sent)))
}

const begun = (answer: { payment_id: string; redirectUrl: string | null }, amount: string): Ordered => ({
  id: answer.payment_id,
  redirectUrl: answer.redirectUrl,
  amount,
})

/** Returns an amount slightly above the balance, so that wallet and card pay together. */
async function aboveBalance(person: Actor, moreMinor: number): Promise<number> {
  const wallet = await person.call(walletOfUser, { params: { userId: String(person.person.id) } })
  // The API takes a JSON number, which is exact for such amounts.
  return Number(parseMinor(person.currency, wallet.fiat_balance)) + moreMinor // not money: the wire's own form of it
}

/** Returns from the checkout with `payment_success=true` and polls like the web pages. */
async function comeBack(
  planned: PlannedMovement,
  person: Actor,
  recipient: Actor,
  { id, amount }: Ordered,
): Promise<void> {
  if (!planned.kind.endsWith('deposit')) await decideIfHeld(planned, person, id)
  if (planned.kind === 'withdrawal') return
  await person.call(paymentStatus, { params: { id } })
  if (!planned.kind.endsWith('send')) return
  const body = {
    recipient_id: recipient.person.id,
    amount,
    source_currency: person.currency,
    payment_source: planned.kind === 'bank_send' ? 'bank' : planned.kind === 'card_send' ? 'card' : 'wallet_partial',
    skip_sender_deduction: true,
    payment_id: id,
  } as const
  // A refusal is a valid response too; the final check shows that nothing moved.
  await person.call(sendMoney, { body, idempotencyKey: planned.idempotencyKey }).catch(ignoreRefusal)
}

/** Settles or cancels a held transfer, or leaves it to an operator and the deadline. */
async function decideIfHeld({ variant }: PlannedMovement, { call }: Actor, outsideId: string): Promise<void> {
  const { id, state, hold } = await call(transferStatus, { params: { id: outsideId } })
  if (state !== 'held' || variant % 3 === 0) return
  const settles = hold?.decided_by === 'sender' && variant % 3 === 1
  await call(settles ? settleTransfer : cancelTransfer, { params: { id } }).catch(ignoreRefusal)
}
