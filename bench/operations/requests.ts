// Requests of each operation, prepared so that only the operation itself is measured.

import { createHmac, randomUUID } from 'node:crypto'
import { createQuote } from '@tern/contract/exchange'
import { quoteForLink } from '@tern/contract/requests/payment-links'
import { createRequest } from '@tern/contract/requests/requests'
import { createClient } from '@tern/contract/protocol/client'
import { issueAccessToken } from '../../packages/server/src/features/identity/sessions/tokens/access-token.ts'
import { eventAbout } from '@tern/testkit/payments'
import type { WireRequest } from '../http/connection.ts'
import type { Person } from '../movements/traffic.ts'
import type { Actor, OperationSetup } from './actors.ts'

export interface Operation {
  readonly name: string
  /** Prepares the nth request of an actor. */
  readonly request: (setup: OperationSetup, actor: Actor, iteration: number) => Promise<WireRequest>
}

async function post(actor: Actor, path: string, body: object): Promise<WireRequest> {
  const headers = { ...(await actor.headers()), 'idempotency-key': randomUUID() }
  return { method: 'POST', path: `/api${path}`, headers, body: JSON.stringify(body) }
}

const send = (actor: Actor, recipient: Person | undefined): Promise<WireRequest> =>
  post(actor, '/payment/transfer', {
    recipient_id: Number(recipient?.userId),
    amount: '1.00',
    source_currency: 'USD',
  })

/** Returns a different new payee for each actor and iteration, so that each is paid only once. */
function chooseNewPayee({ actors, newPayees }: OperationSetup, actor: Actor, iteration: number): Person | undefined {
  return newPayees[iteration * actors.length + actors.indexOf(actor)]
}

async function exchange(_setup: OperationSetup, actor: Actor): Promise<WireRequest> {
  const body = { source_currency: 'USD', target_currency: 'USDT', amount: '1.00', side: 'source' } as const
  const { quote_id: quoteId } = await actor.call(createQuote, { body })
  return post(actor, '/exchange', { quote_id: quoteId })
}

/** Prepares the payment of one dollar, requested by the actor's known payee, with a quote. */
async function payRequest({ stack }: OperationSetup, actor: Actor): Promise<WireRequest> {
  const [requester] = actor.member.payees.plain
  const { ctx, pool } = stack.app.app.product.identity
  const sessionId = await findSession(stack.app.database.pool, requester?.userId ?? 0n)
  const accessToken = () => issueAccessToken(ctx, pool, { userId: requester?.userId ?? 0n, sessionId })
  const { call } = createClient({ baseUrl: `${stack.app.url}/api`, accessToken })
  const body = { amount: '1.00', payer_id: Number(actor.member.userId) }
  const { data } = await call(createRequest, { body, idempotencyKey: randomUUID() })
  const quote = await actor.call(quoteForLink, { params: { data }, body: { source_currency: 'USD' } })
  return post(actor, `/payment-links/${encodeURIComponent(data)}/pay`, { quote_id: quote.quote_id })
}

async function findSession(db: OperationSetup['stack']['app']['database']['pool'], userId: bigint): Promise<string> {
  const { rows } = await db.query<{ id: string }>('select id from session where user_id = $1', [userId])
  return rows[0]?.id ?? ''
}

const depositByCard = (_setup: OperationSetup, actor: Actor): Promise<WireRequest> =>
  post(actor, '/payment/deposit/card', { amount: 500, currency: 'usd', depositToWallet: true })

/** Returns the provider's capture event of a card deposit begun earlier. */
async function capture({ stack: { app } }: OperationSetup, actor: Actor, iteration: number): Promise<WireRequest> {
  const { rows } = await app.database.pool.query<{ id: string }>(
    `select id from payment where user_id = $1 and method = 'card' and status = 'pending' order by id offset $2 limit 1`,
    [actor.member.userId, iteration],
  )
  const body = await eventAbout(app, rows[0]?.id ?? '', 'checkout.paid')
  const time = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', app.sandboxSecret).update(`${time}.${body}`).digest('hex')
  const headers = { 'content-type': 'application/json', 'sandbox-signature': `t=${time},v1=${signature}` }
  return { method: 'POST', path: '/api/webhooks/sandbox', headers, body }
}

const depositByBank = (_setup: OperationSetup, actor: Actor): Promise<WireRequest> =>
  post(actor, '/payment/deposit', {
    amount: '5.00',
    currency: 'USD',
    method: 'bank',
    bankAccountId: actor.bankAccountId,
  })

const withdraw = (_setup: OperationSetup, actor: Actor): Promise<WireRequest> =>
  post(actor, '/payment/withdraw', { amount: '5.00', currency: 'USD', bankAccountId: actor.bankAccountId })

/** Operations in execution order: captures need deposits. */
export const operations: readonly Operation[] = [
  { name: 'plain send', request: (_setup, actor) => send(actor, actor.member.payees.plain[0]) },
  { name: 'cross-currency send', request: (_setup, actor) => send(actor, actor.member.payees.cross[0]) },
  {
    name: 'send to a new payee',
    request: (setup, actor, iteration) => send(actor, chooseNewPayee(setup, actor, iteration)),
  },
  { name: 'exchange', request: exchange },
  { name: 'paying a request', request: payRequest },
  { name: 'card deposit, begun', request: depositByCard },
  { name: 'card deposit, captured', request: capture },
  { name: 'bank deposit, begun', request: depositByBank },
  { name: 'withdrawal', request: withdraw },
]
