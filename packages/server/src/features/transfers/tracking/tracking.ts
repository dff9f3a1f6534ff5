import type { Reply } from '@tern/contract/protocol/endpoint'
import { deriveReference } from '@tern/contract/protocol/transaction-reference'
import type { Transfer } from '@tern/contract/transfers'
import type { trackedTransfer, TrackingLink } from '@tern/contract/transfers/tracking'
import type pg from 'pg'
import { type Db, onlyRow, retryOnConflict } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'
import { newId } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import { countryCode, abbreviateName } from '../../identity/identity.ts'
import type { Party } from '../../wallets/wallets.ts'
import type { LinkContext, OwnTransfer } from '../held/context.ts'
import type { TrackingLinkRow } from '../row-types.ts'

type View = Reply<typeof trackedTransfer>

type LinkRow = Pick<TrackingLinkRow, 'id' | 'transaction_id' | 'user_id' | 'shows_amounts' | 'created_at'>

const toLinkView = (
  { publicUrl, trackingCodes }: LinkContext,
  { id, shows_amounts, created_at: at }: LinkRow,
): TrackingLink => ({
  url: `${publicUrl}/track/${trackingCodes.issue(id)}`,
  shows_amounts,
  created_at: at.toISOString(),
})

/** Reads the tracking link of a user's transfer. Refuses `not_found` for another user's transfer. */
export async function readTracking(
  ctx: LinkContext,
  db: Db,
  ownTransfer: OwnTransfer,
): Promise<{ link: TrackingLink | null }> {
  const { id } = await ctx.heldTransfers.status(ownTransfer)
  const { rows } = await db.query<LinkRow>(
    'select * from tracking_link where user_id = $1 and transaction_id = $2 and ended_at is null',
    [ownTransfer.userId, id],
  )
  return { link: rows[0] ? toLinkView(ctx, rows[0]) : null }
}

/**
 * Creates the tracking link of a transfer, or changes whether its link shows amounts. Refuses `not_found`, and
 * `not_trackable` if there is no link and `isTrackable` allows none.
 */
export async function createTrackingLink(
  ctx: LinkContext,
  pool: pg.Pool,
  { showsAmounts, ...own }: OwnTransfer & { readonly showsAmounts: boolean },
): Promise<TrackingLink> {
  const { userId } = own
  const transfer = await ctx.heldTransfers.status(own)
  const { id: transactionId } = transfer
  const row = await retryOnConflict(pool, async (tx) => {
    await lockName(tx, `tracking of ${userId} ${transactionId}`)
    const changed = await tx.query<LinkRow>(
      `update tracking_link set shows_amounts = $3
        where user_id = $1 and transaction_id = $2 and ended_at is null returning *`,
      [userId, transactionId, showsAmounts],
    )
    if (changed.rows[0]) return changed.rows[0]
    if (!isTrackable(transfer)) refuse('not_trackable')
    const at = ctx.now()
    const insertedLinks = await tx.query<LinkRow>(
      `insert into tracking_link (id, transaction_id, user_id, shows_amounts, created_at)
       values ($1, $2, $3, $4, $5) returning *`,
      [newId(at), transactionId, userId, showsAmounts, at],
    )
    return onlyRow(insertedLinks.rows)
  })
  return toLinkView(ctx, row)
}

/** Ends the link of a transfer, if it has one. Refuses `not_found`. */
export async function endTracking(ctx: LinkContext, db: Db, ownTransfer: OwnTransfer): Promise<void> {
  const { id } = await ctx.heldTransfers.status(ownTransfer)
  await db.query(
    `update tracking_link set ended_at = greatest($3, created_at)
      where user_id = $1 and transaction_id = $2 and ended_at is null`,
    [ownTransfer.userId, id, ctx.now()],
  )
}

/** Returns the public view for a link's code. Refuses `not_found` alike for unknown codes and ended links. */
export async function trackTransfer(ctx: LinkContext, db: Db, code: string): Promise<View> {
  const id = ctx.trackingCodes.read(code) ?? refuse('not_found')
  const { rows } = await db.query<LinkRow>('select * from tracking_link where id = $1 and ended_at is null', [id])
  const link = rows[0] ?? refuse('not_found')
  const transfer = await ctx.heldTransfers.status({ userId: link.user_id, id: link.transaction_id })
  return publicView(ctx, db, { link, transfer })
}

/** Public view of a transfer, without a session. */
async function publicView(
  { wallets }: LinkContext,
  db: Db,
  { link, transfer }: { readonly link: LinkRow; readonly transfer: Transfer },
): Promise<View> {
  const { transaction } = transfer
  const [sender, recipient] = await Promise.all([
    wallets.findParty(db, link.user_id),
    transaction.counterparty ? wallets.findParty(db, BigInt(transaction.counterparty.id)) : undefined,
  ])
  const { source_amount: sent, target_amount: received } = transaction
  return {
    state: toPublicState(transfer),
    reference: deriveReference(transaction.id),
    sender: extractFirstName(sender),
    recipient: transaction.counterparty ? extractFirstName(recipient) : null,
    sender_country: countryCode(sender?.country),
    recipient_country: countryCode(recipient?.country),
    source_currency: transaction.source_currency,
    target_currency: transaction.target_currency,
    steps: listSteps(transfer, await readTimes(db, transfer)),
    expected_on: isOver(transfer) ? null : transfer.expected_on,
    amounts: link.shows_amounts ? { sent, received } : null,
  }
}

/** True if the transfer failed, or its money was returned. */
const isOver = ({ state }: Pick<Transfer, 'state'>): boolean => state === 'failed' || state === 'released'

/** True unless the transfer is an exchange, has failed or been returned, or waits for its sender's decision. */
function isTrackable({ kind, state, hold }: Transfer): boolean {
  if (kind === 'exchange' || isOver({ state })) return false
  return hold?.decided_by !== 'sender'
}

/** Returns a party's first name, `abbreviateName` of a single word, or the product's name if there is no name. */
function extractFirstName(party: Party | undefined): string {
  const name = party?.name
  if (!name) return 'Tern'
  const [first = '', ...otherNames] = name.trim().split(/\s+/u)
  return otherNames.length > 0 ? first : abbreviateName(name)
}

function toPublicState({ state, hold }: Transfer): View['state'] {
  switch (state) {
    case 'created':
    case 'awaiting_funding':
      return 'being_paid'
    case 'held':
      // Must not reveal a case; waiting for lists may be shown.
      return hold?.reason === 'compliance' && hold.check ? 'on_its_way' : 'being_checked'
    case 'processing':
      return 'on_its_way'
    case 'settled':
      return 'delivered'
    case 'failed':
    case 'released':
      return 'returned'
  }
}

interface TrackingTimes {
  readonly paid_at: Date | null
  readonly decided_at: Date | null
  /** True if it waited for a case, which the public view must not reveal. */
  readonly waited_for_case: boolean
  readonly arrived_at: Date | null
  readonly returned_at: Date | null
}

/** Reads the times of funding, decision, arrival at the bank, and return. */
async function readTimes(db: Db, { id, payment_id: paymentId }: Transfer): Promise<TrackingTimes> {
  const { rows } = await db.query<TrackingTimes>(
    `select (select min(occurred_at) from settlement_line where reference = $2 and kind in ('capture', 'debit')) as paid_at,
        (select decided_at from transfer where id = $1) as decided_at,
        exists (select from compliance_case_transfer where transfer_id = $1) as waited_for_case,
        (select min(occurred_at) from settlement_line where reference = $2 and kind = 'payout') as arrived_at,
        (select min(occurred_at) from settlement_line where reference = $2 and kind = 'payout_return') as returned_at`,
    [id, paymentId],
  )
  const [times] = rows
  if (!times) throw new Error(`nothing is said of the transfer ${id}`)
  return times
}

function listSteps(transfer: Transfer, times: TrackingTimes) {
  const { paid_at: paidAt, decided_at: decidedAt, arrived_at: arrivedAt, returned_at: returnedAt } = times
  const { kind, state, transaction } = transfer
  const steps: { step: View['steps'][number]['step']; at: Date | null }[] = [
    { step: 'ordered', at: new Date(transaction.timestamp) },
  ]
  const wasNeverPaid = kind === 'funded_send' && paidAt === null && isOver(transfer)
  if (kind === 'funded_send' && !wasNeverPaid) steps.push({ step: 'paid', at: paidAt })
  const { hold } = transfer
  const isBeingChecked = hold?.reason === 'review' || (hold?.reason === 'compliance' && hold.check === null)
  if (isBeingChecked || (decidedAt && state !== 'released' && !times.waited_for_case)) {
    steps.push({ step: 'checked', at: decidedAt })
  }
  const endedAt = [arrivedAt, decidedAt, paidAt].find((at) => at !== null) ?? new Date(transaction.timestamp)
  if (wasNeverPaid) steps.push({ step: 'not_paid', at: null })
  else if (isOver(transfer)) steps.push({ step: 'returned', at: returnedAt ?? decidedAt })
  else steps.push({ step: 'delivered', at: state === 'settled' ? endedAt : null })
  return steps.map(({ step, at }) => ({ step, at: at?.toISOString() ?? null }))
}
