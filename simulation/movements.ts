import { Refused } from '@tern/contract/client'
import { withdraw } from '@tern/contract/banking'
import { createQuote } from '@tern/contract/exchange'
import { deposit, depositByCard, directPayment, paymentStatus } from '@tern/contract/payments'
import { sendMoney } from '@tern/contract/transfers'
import { walletOfUser } from '@tern/contract/wallets'
import { money, parseDecimal, toDecimal } from '@tern/money/money'
import type { Citizen } from './citizen.ts'
import type { PayerAct, PlannedMovement } from './plan.ts'

/** What a person was told when they ordered a movement. */
export type Answer =
  | { readonly status: 'begun'; readonly id: string; readonly redirectUrl: string | null }
  | { readonly status: 'refused'; readonly code: string }

const cards: Readonly<Record<Exclude<PayerAct, 'cancels' | 'leaves'>, readonly string[]>> = {
  pays: ['4242424242424242'],
  'is declined and pays': ['4000000000000002', '4242424242424242'],
  late: ['4000000000001018'],
  disputes: ['4000000000000259'],
}

const otherCurrency = { USD: 'EUR', EUR: 'USD' } as const

/** Carries out one movement as its person and their browser would. */
export async function perform(
  planned: PlannedMovement,
  people: readonly Citizen[],
  sandboxUrl: string,
): Promise<Answer> {
  const person = people[planned.who]
  const recipient = people[planned.toWhom]
  if (!person || !recipient) throw new Error(`nobody has the number ${planned.who} or ${planned.toWhom}`)
  try {
    const answer = await order(planned, person, recipient)
    if (answer.redirectUrl !== null) await visitCheckout(answer.redirectUrl, planned.payer, sandboxUrl)
    if (planned.comesBack) await comeBack(planned, person, recipient, answer)
    return { status: 'begun', id: answer.id, redirectUrl: answer.redirectUrl }
  } catch (error) {
    if (error instanceof Refused && error.status < 500) return { status: 'refused', code: error.code }
    throw error
  }
}

interface Ordered {
  readonly id: string
  readonly redirectUrl: string | null
  /** What is sent, in the currency's decimal form; the fee comes on top. */
  readonly amount: string
}

async function order(planned: PlannedMovement, person: Citizen, recipient: Citizen): Promise<Ordered> {
  const { kind, idempotencyKey, amountMinor } = planned
  const { currency, bankAccountId } = person
  const amount = toDecimal(money(currency, BigInt(amountMinor)))
  switch (kind) {
    case 'card deposit': {
      const body = { amount: amountMinor, currency: currency.toLowerCase(), saveCard: planned.comesBack }
      return begun(await person.call(depositByCard, { body, idempotencyKey }), amount)
    }
    case 'converted deposit': {
      const quote = await person.call(createQuote, {
        body: { source_currency: otherCurrency[currency], target_currency: currency, amount, side: 'source' },
      })
      const body = {
        amount: amountMinor,
        currency: otherCurrency[currency].toLowerCase(),
        quote_id: quote.quote_id,
      }
      return begun(await person.call(depositByCard, { body, idempotencyKey }), amount)
    }
    case 'bank deposit': {
      const body = { amount, currency, method: 'bank', bankAccountId } as const
      return begun(await person.call(deposit, { body, idempotencyKey }), amount)
    }
    case 'withdrawal': {
      const body = { amount, currency, bankAccountId }
      const { payout_id: id } = await person.call(withdraw, { body, idempotencyKey })
      return { id, redirectUrl: null, amount }
    }
    case 'card send':
    case 'bank send':
    case 'partial send': {
      const paymentSource = ({ 'card send': 'card', 'bank send': 'bank', 'partial send': 'wallet_partial' } as const)[
        kind
      ]
      const sent = paymentSource === 'wallet_partial' ? await aboveBalance(person, amountMinor) : amountMinor
      const body = {
        amount: sent,
        currency: currency.toLowerCase(),
        recipientId: String(recipient.person.id),
        paymentSource,
        ...(paymentSource === 'bank' ? { bankAccountId } : {}),
      }
      const ordered = await person.call(directPayment, { body, idempotencyKey })
      return begun(ordered, toDecimal(money(currency, BigInt(sent))))
    }
  }
}

const begun = (answer: { payment_id: string; redirectUrl: string | null }, amount: string): Ordered => ({
  id: answer.payment_id,
  redirectUrl: answer.redirectUrl,
  amount,
})

/** An amount a little above what the person has, so that wallet and card pay together. */
async function aboveBalance(person: Citizen, moreMinor: number): Promise<number> {
  const wallet = await person.call(walletOfUser, { params: { userId: String(person.person.id) } })
  const balance = parseDecimal(person.currency, wallet.fiat_balance)
  // The call takes a JSON number, and these amounts are far below what one holds exactly.
  return Number(balance.minor) + moreMinor // not money: the wire's own form of it
}

const jsonHeaders = { 'content-type': 'application/json' }

/** What the payer's browser does on the provider's page; the page itself is not disturbed. */
async function visitCheckout(redirectUrl: string, act: PayerAct, sandboxUrl: string): Promise<void> {
  if (act === 'leaves') return
  const path = `${sandboxUrl}/api${new URL(redirectUrl).pathname}`
  if (act === 'cancels') return void (await fetch(`${path}/cancel`, { method: 'POST' }))
  for (const card of cards[act]) {
    const body = JSON.stringify({ card_number: card, expiry: '12/39', cvc: '123' })
    await fetch(`${path}/pay`, { method: 'POST', headers: jsonHeaders, body })
  }
}

/** The browser comes back with `payment_success=true` and asks, a few times, as the pages do. */
async function comeBack(
  planned: PlannedMovement,
  person: Citizen,
  recipient: Citizen,
  { id, amount }: Ordered,
): Promise<void> {
  if (planned.kind === 'withdrawal') return
  await person.call(paymentStatus, { params: { id } })
  if (!planned.kind.endsWith('send')) return
  const body = {
    recipient_id: recipient.person.id,
    amount,
    source_currency: person.currency,
    payment_source: planned.kind === 'bank send' ? 'bank' : planned.kind === 'card send' ? 'card' : 'wallet_partial',
    skip_sender_deduction: true,
    payment_id: id,
  } as const
  // The answer may also be that the payment was not made; then nothing has moved, which is looked at in the end.
  await person.call(sendMoney, { body, idempotencyKey: planned.idempotencyKey }).catch((error: unknown) => {
    if (!(error instanceof Refused) || error.status >= 500) throw error
  })
}
