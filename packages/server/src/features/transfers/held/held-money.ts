import { holdAccount, walletAccount } from '@tern/ledger/chart'
import { release } from '@tern/ledger/holds'
import type { Db } from '../../../platform/database/db.ts'
import { derivedId } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import { readPrice } from '../../exchange/exchange.ts'
import type { MoveRequest } from '../../wallets/move.ts'
import { findTransaction, type Party } from '../../wallets/wallets.ts'
import { sendRows } from '../sends/sends.ts'
import type { HeldContext } from './context.ts'
import type { HeldTransfer } from './held-rows.ts'

type MoneyContext = Pick<HeldContext, 'wallets' | 'exchange'>

interface HoldEndInput {
  readonly held: HeldTransfer
  readonly at: Date
}

async function findSender({ wallets }: MoneyContext, db: Db, { sender_id: senderId }: HeldTransfer): Promise<Party> {
  const sender = await wallets.findParty(db, senderId)
  if (!sender) throw new Error(`user ${senderId} has no wallet`)
  return sender
}

/** Leg that releases held money to the sender's wallet. */
async function buildReturnLeg({ wallets }: MoneyContext, db: Db, heldTransfer: HeldTransfer, { wallet }: Party) {
  return release({
    hold: await wallets.accountId(db, holdAccount(wallet.id, heldTransfer.currency)),
    wallet: await wallets.accountId(db, walletAccount(wallet.id, heldTransfer.currency)),
    amount: heldTransfer.amount_minor,
  })
}

/** Movement that releases held money to the sender's wallet. */
export async function prepareRelease(ctx: MoneyContext, db: Db, { held, at }: HoldEndInput): Promise<MoveRequest> {
  const { id: reference, request_hash: requestHash } = held
  const legs = [await buildReturnLeg(ctx, db, held, await findSender(ctx, db, held))]
  const id = derivedId('transfer release', reference)
  return {
    movement: { id, requestHash, kind: 'transfer_release', reference, at, legs },
    rows: [],
    settles: [{ id: reference, status: 'FAILED' }],
  }
}

/** Movement that settles a hold at the promised price, through the sender's wallet. Refuses `recipient_not_found`. */
export async function prepareSettlement(ctx: MoneyContext, db: Db, { held, at }: HoldEndInput): Promise<MoveRequest> {
  const { id: reference, recipient_id: recipientId, request_hash: requestHash, description } = held
  if (held.locked_price === null) throw new Error(`transfer ${reference} has no price`)
  const price = readPrice(held.locked_price)
  const sender = await findSender(ctx, db, held)
  const recipient = recipientId === null ? undefined : await ctx.wallets.findParty(db, recipientId)
  if (recipientId !== null && !recipient?.verified) refuse('recipient_not_found')
  const to = (recipient ?? sender).wallet
  const legs = [
    await buildReturnLeg(ctx, db, held, sender),
    ...(await ctx.exchange.legs(db, { price, from: sender.wallet, to })),
  ]
  const send = recipient && { sender, recipient, price, quoteId: held.quote_id ?? undefined, description }
  // A send that was announced during its bank payment already has a pending row for the recipient.
  const isListed =
    recipientId !== null && (await findTransaction(db, { userId: recipientId, id: reference })) !== undefined
  const id = derivedId('transfer settle', reference)
  return {
    movement: { id, requestHash, kind: send ? 'transfer' : 'exchange', reference, at, legs },
    rows: send && !isListed ? [sendRows(send, { source: 'wallet' })[1]] : [],
    settles: [{ id: reference, status: 'COMPLETED' }],
  }
}
