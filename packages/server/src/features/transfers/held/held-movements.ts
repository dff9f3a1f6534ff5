import { holdAccount } from '@tern/ledger/chart'
import { type Money, money } from '@tern/money/money'
import type { Db } from '../../../platform/database/db.ts'
import { Refusal } from '../../../platform/refuse.ts'
import type { HeldContext } from './context.ts'
import { findHeld, type HeldTransfer } from './held-rows.ts'
import { prepareRelease, prepareSettlement } from './held-money.ts'
import type { AccountRow } from '@tern/ledger/row-types'

/** Account of a movement: its kind, and the party that owns it, if any. */
export interface HeldPlace {
  readonly account: string
  readonly whose: 'sender' | 'recipient' | null
}

/** Movement of money from one account to another, posted or possible. */
export interface HeldMovement {
  readonly when: 'posted' | 'on_release' | 'on_return'
  /** Time of the posting; null if the movement is only possible. */
  readonly at: Date | null
  readonly from: HeldPlace
  readonly to: HeldPlace
  readonly amount: Money
}

export interface HeldMovements {
  readonly movements: readonly HeldMovement[]
  /** Effect of settling it now: moves the money, orders its payout, or is refused. */
  readonly release: 'moves' | 'asks_bank' | 'refused'
  /** Effect of returning it: moves the money to the wallet, or orders its payout to the bank account it came from. */
  readonly return: 'moves' | 'asks_bank'
}

type PlannedAccount = Pick<AccountRow, 'id' | 'kind' | 'currency'> & { readonly wallet: string }

interface PlannedLeg {
  readonly from: bigint
  readonly to: bigint
  readonly amount: bigint
}

const senderWallet: HeldPlace = { account: 'wallet', whose: 'sender' }
const senderHold: HeldPlace = { account: 'hold', whose: 'sender' }

type MovementsContext = Pick<HeldContext, 'wallets' | 'exchange' | 'payments' | 'now'>

/**
 * Reads the posted movements of a held transfer, and those that settling and returning it would make now. Undefined if
 * it is not held.
 */
export async function readHeldMovements(
  ctx: MovementsContext,
  db: Db,
  transferId: string,
): Promise<HeldMovements | undefined> {
  const { wallets, now } = ctx
  const held = await findHeld(db, transferId)
  const sender = held?.state === 'held' ? await wallets.findParty(db, held.sender_id) : undefined
  if (!held || !sender) return undefined
  const recipient = held.recipient_id === null ? undefined : await wallets.findParty(db, held.recipient_id)
  const ownerByWallet = new Map<string, 'sender' | 'recipient'>()
  if (recipient) ownerByWallet.set(recipient.wallet.id, 'recipient')
  ownerByWallet.set(sender.wallet.id, 'sender')
  const legs = await settlementLegs(ctx, db, held)
  const isReturnedToBank = held.kind === 'deposit'
  const returnLegs = isReturnedToBank ? [] : (await prepareRelease(ctx, db, { held, at: now() })).movement.legs
  return {
    movements: [
      ...(await readPosted(ctx, db, held, sender.wallet.id)),
      ...(await describe(db, 'on_release', legs ?? [], ownerByWallet)),
      ...(await describe(db, 'on_return', returnLegs, ownerByWallet)),
    ],
    release: held.kind === 'payout' ? 'asks_bank' : legs ? 'moves' : 'refused',
    return: isReturnedToBank ? 'asks_bank' : 'moves',
  }
}

/** Reads the postings on the hold account for this transfer, oldest first. */
async function readPosted(
  { wallets }: MovementsContext,
  db: Db,
  heldTransfer: HeldTransfer,
  walletId: string,
): Promise<HeldMovement[]> {
  const account = await wallets.accountId(db, holdAccount(walletId, heldTransfer.currency))
  const { rows } = await db.query<{ at: Date; amount: bigint }>(
    `select e.created_at as at, e.amount from ledger.posting p join ledger.entry e on e.posting_id = p.id
      where p.reference = $1 and e.account_id = $2 order by e.version`,
    [heldTransfer.id, account],
  )
  return rows.map(({ at, amount }) => {
    const [from, to] = amount > 0n ? [senderWallet, senderHold] : [senderHold, senderWallet]
    return { when: 'posted', at, from, to, amount: money(heldTransfer.currency, amount > 0n ? amount : -amount) }
  })
}

async function describe(
  db: Db,
  when: HeldMovement['when'],
  legs: readonly PlannedLeg[],
  walletOwners: ReadonlyMap<string, 'sender' | 'recipient'>,
): Promise<HeldMovement[]> {
  const { rows } = await db.query<PlannedAccount>(
    `select id, kind, currency, split_part(name, ':', 2) as wallet from ledger.account where id = any($1::bigint[])`,
    [legs.flatMap(({ from, to }) => [from, to])],
  )
  const accounts = new Map(rows.map((row) => [row.id, row]))
  const toPlace = ({ kind, wallet }: PlannedAccount): HeldPlace => ({
    account: kind,
    whose: walletOwners.get(wallet) ?? null,
  })
  return legs.flatMap((leg) => {
    const from = accounts.get(leg.from)
    const to = accounts.get(leg.to)
    if (!from || !to) return []
    return [{ when, at: null, from: toPlace(from), to: toPlace(to), amount: money(from.currency, leg.amount) }]
  })
}

/** Returns the legs of a settlement, none if it asks a bank; undefined if it would be refused now. */
async function settlementLegs(
  ctx: MovementsContext,
  db: Db,
  held: HeldTransfer,
): Promise<readonly PlannedLeg[] | undefined> {
  if (held.kind === 'payout') return []
  if (held.kind === 'deposit') return ctx.payments.creditLegs(db, held)
  try {
    return (await prepareSettlement(ctx, db, { held, at: ctx.now() })).movement.legs
  } catch (error) {
    // The recipient can no longer receive money.
    if (error instanceof Refusal) return undefined
    throw error
  }
}
