// Acts as the payer's browser and bank at the provider, without faults; retries while the provider restarts.

import { setTimeout as delay } from 'node:timers/promises'
import type { PayerAction } from '../plan.ts'

interface ProviderSide {
  readonly sandboxUrl: string
  readonly sandboxSecret: string
}

const cards: Readonly<Partial<Record<PayerAction, readonly string[]>>> = {
  pays: ['4242424242424242'],
  declined_then_pays: ['4000000000000002', '4242424242424242'],
  late: ['4000000000001018'],
  disputes: ['4000000000000259'],
  refunded: ['4242424242424242'],
}

const pauseMs = 200
const maxAttempts = 300

/** Performs the payer's action at the checkout of `redirectUrl`. */
export async function visitCheckout(redirectUrl: string, action: PayerAction, side: ProviderSide): Promise<void> {
  const { sandboxUrl } = side
  const session = new URL(redirectUrl).pathname.split('/').at(-1) ?? ''
  const page = `${sandboxUrl}/api/checkout/${session}`
  if (action === 'leaves') return
  if (action === 'cancels' || action === 'canceled_then_captured') await post(`${page}/cancel`)
  for (const card of cards[action] ?? []) {
    await post(`${page}/pay`, { body: { card_number: card, expiry: '12/39', cvc: '123' } })
  }
  if (action === 'canceled_then_captured') await steer(side, session, 'settle')
  if (action === 'refunded') await steer(side, session, 'refund')
}

const steer = ({ sandboxUrl, sandboxSecret }: ProviderSide, session: string, action: 'settle' | 'refund') =>
  post(`${sandboxUrl}/api/control/payments/${session}/${action}`, { secret: sandboxSecret })

/** Posts until a response below 500 arrives; accepts refusals, since a closed payment does not allow every action. */
async function post(url: string, { body, secret }: { body?: object; secret?: string } = {}): Promise<void> {
  const headers = {
    ...(body ? { 'content-type': 'application/json' } : {}),
    ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
  }
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const request = {
      method: 'POST',
      headers,
      signal: AbortSignal.timeout(5000),
      ...(body ? { body: JSON.stringify(body) } : {}),
    }
    const answer = await fetch(url, request).catch(() => undefined)
    if (answer && answer.status < 500) return
    await delay(pauseMs)
  }
  throw new Error(`${url} was never answered`)
}
