import { holdAccount, walletAccount } from '@tern/ledger/chart'
import { release } from '@tern/ledger/holds'
import type pg from 'pg'
import { derivedId } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import { type Exchange, priceFrom } from '../../exchange/exchange.ts'
import type { MoveRequest } from '../../wallets/move.ts'
import { findTransaction, type Party, type Wallets } from '../../wallets/wallets.ts'
import { sendRows } from '../sends/sends.ts'
import type { HeldTransfer } from './held-rows.ts'

// The movements that end a hold: back to the sender, or on at the promised price.

type RequestAt = (at: Date) => MoveRequest

/** Dependencies for building the movements that end a hold. */
export interface MoneyOptions {
  readonly pool: pg.Pool
  readonly wallets: Wallets
  readonly exchange: Exchange
}

async function senderOf({ pool, wallets }: MoneyOptions, { sender_id: senderId }: HeldTransfer): Promise<Party> {
  const sender = await wallets.findParty(pool, senderId)
  if (!sender) throw new Error(`user ${senderId} has no wallet`)
  return sender
}

/** Returns the leg that releases held money to the sender's wallet. */
async function backLegs(
  { pool, wallets }: MoneyOptions,
  { currency, amount_minor: amount }: HeldTransfer,
  { wallet }: Party,
) {
  return release({
    hold: await wallets.accountId(pool, holdAccount(wallet.id, currency)),
    wallet: await wallets.accountId(pool, walletAccount(wallet.id, currency)),
    amount,
  })
}

/** Returns the movement that releases held money to the sender's wallet. */
export async function releaseOf(options: MoneyOptions, held: HeldTransfer): Promise<RequestAt> {
  const legs = [await backLegs(options, held, await senderOf(options, held))]
  const { id: reference, request_hash: requestHash } = held
  return (at) => ({
    movement: {
      id: derivedId('transfer release', reference),
      requestHash,
      kind: 'transfer_release',
      reference,
      at,
      legs,
    },
    rows: [],
    settles: [{ id: reference, status: 'FAILED' }],
  })
}

/** Returns the movement that settles a hold through the sender's wallet at the promised price. Refuses `recipient_not_found`. */
export async function settlementOf(options: MoneyOptions, held: HeldTransfer): Promise<RequestAt> {
  const { pool, wallets, exchange } = options
  const { id: reference, recipient_id: recipientId, request_hash: requestHash, description } = held
  if (held.locked_price === null) throw new Error(`transfer ${reference} has no price`)
  const price = priceFrom(held.locked_price)
  const sender = await senderOf(options, held)
  const recipient = recipientId === null ? undefined : await wallets.findParty(pool, recipientId)
  if (recipientId !== null && !recipient?.verified) refuse('recipient_not_found')
  const legs = [
    await backLegs(options, held, sender),
    ...(await exchange.legs(options.pool, { price, from: sender.wallet, to: (recipient ?? sender).wallet })),
  ]
  const send = recipient && { sender, recipient, price, quoteId: held.quote_id ?? undefined, description }
  // The recipient has a pending row already if the send was announced while a bank was paying.
  const isListed =
    recipientId !== null && (await findTransaction(pool, { userId: recipientId, id: reference })) !== undefined
  const rows = send && !isListed ? [sendRows(send, { source: 'wallet' })[1]] : []
  return (at) => ({
    movement: {
      id: derivedId('transfer settle', reference),
      requestHash,
      kind: send ? 'transfer' : 'exchange',
      reference,
      at,
      legs,
    },
    rows,
    settles: [{ id: reference, status: 'COMPLETED' }],
  })
}
