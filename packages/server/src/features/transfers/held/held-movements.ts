import { holdAccount } from '@tern/ledger/chart'
import type { CurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import type pg from 'pg'
import { Refusal } from '../../../platform/refuse.ts'
import { findHeld, type HeldTransfer } from './held-rows.ts'
import { type MoneyOptions, releaseOf, settlementOf } from './held-money.ts'

/** An account of a movement: its kind, and whose it is of the two. */
export interface Place {
  readonly account: string
  readonly whose: 'sender' | 'recipient' | null
}

/** Money from one account to another. */
export interface HeldMovement {
  readonly when: 'posted' | 'on_release' | 'on_return'
  /** Of what is posted. */
  readonly at: Date | null
  readonly from: Place
  readonly to: Place
  readonly amount: Money
}

export interface HeldMovements {
  readonly movements: readonly HeldMovement[]
  /** What a release does: it moves the money, lets the bank be asked, which moves it, or it would be refused now. */
  readonly release: 'moves' | 'asks_bank' | 'refused'
}

interface AccountRow {
  readonly id: bigint
  readonly kind: string
  readonly currency: CurrencyCode
  readonly wallet: string
}

interface PlannedLeg {
  readonly from: bigint
  readonly to: bigint
  readonly amount: bigint
}

const ownWallet: Place = { account: 'wallet', whose: 'sender' }
const ownHold: Place = { account: 'hold', whose: 'sender' }

type Options = MoneyOptions & { readonly pool: pg.Pool; readonly now: () => Date }

/** What the ledger has done with the money of transfers that wait, and what it does at either end: the legs that would be posted now. */
export function createHeldMovements(options: Options) {
  const { pool, wallets, now } = options

  /** What is posted on the hold account for this transfer, oldest first. */
  async function posted(held: HeldTransfer, walletId: string): Promise<HeldMovement[]> {
    const account = await wallets.accountId(pool, holdAccount(walletId, held.currency))
    const { rows } = await pool.query<{ at: Date; amount: bigint }>(
      `select e.created_at as at, e.amount from ledger.posting p join ledger.entry e on e.posting_id = p.id
        where p.reference = $1 and e.account_id = $2 order by e.version`,
      [held.id, account],
    )
    return rows.map(({ at, amount }) => {
      const [from, to] = amount > 0n ? [ownWallet, ownHold] : [ownHold, ownWallet]
      return { when: 'posted', at, from, to, amount: money(held.currency, amount > 0n ? amount : -amount) }
    })
  }

  async function describe(
    when: HeldMovement['when'],
    legs: readonly PlannedLeg[],
    whoseWallet: ReadonlyMap<string, 'sender' | 'recipient'>,
  ): Promise<HeldMovement[]> {
    const { rows } = await pool.query<AccountRow>(
      `select id, kind, currency, split_part(name, ':', 2) as wallet from ledger.account where id = any($1::bigint[])`,
      [legs.flatMap(({ from, to }) => [from, to])],
    )
    const accounts = new Map(rows.map((row) => [row.id, row]))
    return legs.flatMap((leg) => {
      const [from, to] = [accounts.get(leg.from), accounts.get(leg.to)]
      if (!from || !to) return []
      const placeOf = ({ kind, wallet }: AccountRow): Place => ({
        account: kind,
        whose: whoseWallet.get(wallet) ?? null,
      })
      return [{ when, at: null, from: placeOf(from), to: placeOf(to), amount: money(from.currency, leg.amount) }]
    })
  }

  /** The legs of a release; undefined where one would be refused now. */
  async function settlementLegs(held: HeldTransfer): Promise<readonly PlannedLeg[] | undefined> {
    try {
      return (await settlementOf(options, pool, { held, at: now() })).movement.legs
    } catch (error) {
      // Its recipient is not there any more.
      if (error instanceof Refusal) return undefined
      throw error
    }
  }

  return {
    /** Of a transfer that is held now; undefined of every other. */
    async of(id: string): Promise<HeldMovements | undefined> {
      const held = await findHeld(pool, id)
      const sender = held?.state === 'held' ? await wallets.findParty(pool, held.sender_id) : undefined
      if (!held || !sender) return undefined
      const recipient = held.recipient_id === null ? undefined : await wallets.findParty(pool, held.recipient_id)
      const whose = new Map<string, 'sender' | 'recipient'>([
        ...(recipient ? [[recipient.wallet.id, 'recipient'] as const] : []),
        [sender.wallet.id, 'sender'],
      ])
      const legs = held.kind === 'payout' ? [] : await settlementLegs(held)
      return {
        movements: [
          ...(await posted(held, sender.wallet.id)),
          ...(await describe('on_release', legs ?? [], whose)),
          ...(await describe('on_return', (await releaseOf(options, pool, { held, at: now() })).movement.legs, whose)),
        ],
        release: held.kind === 'payout' ? 'asks_bank' : legs ? 'moves' : 'refused',
      }
    },
  }
}

export type HeldMovementsOf = ReturnType<typeof createHeldMovements>
