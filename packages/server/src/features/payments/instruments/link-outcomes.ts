import type { LinkState } from '@tern/providers/bank/port'
import { retryOnConflict, only, type Tx } from '../../../platform/database/db.ts'
import { isUuid } from '../../../platform/ids.ts'
import type { KnownUser } from '../../identity/identity.ts'
import type { BankAccounts } from './bank-accounts.ts'
import type { PaymentContext, Transition } from '../context.ts'

type Certain = Exclude<LinkState, { status: 'unknown' }>

export interface BankLinkIntake {
  /** What follows from a state of a linking; undefined when it is none of ours, or nothing follows from it. */
  linkTaking(state: Certain): Promise<Transition | undefined>
}

/** How linkings end. */
export interface LinkOutcomes extends BankLinkIntake {
  /** Asks the provider about one that is pending; one that nobody went on with is given up after a day. */
  check(link: LinkRow): Promise<void>
}

/** One attempt to link a bank account, as the database keeps it. */
export interface LinkRow {
  readonly id: string
  readonly user_id: bigint
  readonly provider: string
  readonly session_id: string | null
  readonly status: 'pending' | 'linked' | 'canceled' | 'failed'
  readonly bank_account_id: string | null
  readonly created_at: Date
  readonly last_polled_at: Date
}

// Nobody stays on the bank's page for longer; a linking that ends well after all is still taken.
const givenUpAfterMs = 24 * 3_600_000

export function createLinkOutcomes(
  context: PaymentContext,
  bankAccounts: Pick<BankAccounts, 'addBankAccount'>,
): LinkOutcomes {
  const { pool, provider, identity, notifications, now } = context

  async function linkTaking(state: Certain): Promise<Transition | undefined> {
    if (state.status === 'open' || !isUuid(state.linkId)) return undefined
    const link = await findLink(context, state.linkId)
    if (!link) return undefined
    const owner = (await identity.usersById([link.user_id])).get(link.user_id)
    return async (tx) => {
      const current = await lock(tx, link.id)
      if (current.status === 'linked') return 'already_linked'
      if (state.status === 'linked') return take(context, tx, { bankAccounts, link: current, state, owner })
      if (current.status !== 'pending') return `already_${current.status}`
      await setStatus(tx, link.id, state.status, now())
      return state.status
    }
  }

  async function check(link: LinkRow): Promise<void> {
    // Marked before the attempt, so that one which stays unknown goes behind those that still wait.
    await pool.query('update bank_link set last_polled_at = $2 where id = $1', [link.id, now()])
    const state = link.session_id === null ? undefined : await provider.bank.lookupLink(link.session_id)
    const work = state && state.status !== 'unknown' ? await linkTaking(state) : undefined
    if (work) {
      await retryOnConflict(pool, work)
      notifications.deliverSoon()
    } else if (state?.status !== 'unknown' && now().getTime() - link.created_at.getTime() > givenUpAfterMs) {
      await endLink(context, link.id, 'canceled')
    }
  }

  return { linkTaking, check }
}

/** The linking of this id at the present provider, whoever it belongs to. */
export async function findLink({ pool, provider }: PaymentContext, id: string): Promise<LinkRow | undefined> {
  const { rows } = await pool.query<LinkRow>('select * from bank_link where id = $1 and provider = $2', [
    id,
    provider.name,
  ])
  return rows[0]
}

async function lock(tx: Tx, id: string): Promise<LinkRow> {
  return only((await tx.query<LinkRow>('select * from bank_link where id = $1 for update', [id])).rows)
}

async function setStatus(tx: Tx, id: string, status: LinkRow['status'], at: Date): Promise<void> {
  await tx.query('update bank_link set status = $2, updated_at = $3 where id = $1', [id, status, at])
}

/** Nothing comes of a linking that has not ended yet. */
export async function endLink({ pool, now }: PaymentContext, id: string, status: 'canceled' | 'failed'): Promise<void> {
  await pool.query(`update bank_link set status = $2, updated_at = $3 where id = $1 and status = 'pending'`, [
    id,
    status,
    now(),
  ])
}

/** The account is the user's from now on; they are told, in case it was not them who linked it. */
async function take(
  context: PaymentContext,
  tx: Tx,
  taken: {
    bankAccounts: Pick<BankAccounts, 'addBankAccount'>
    link: LinkRow
    state: Extract<Certain, { status: 'linked' }>
    owner: KnownUser | undefined
  },
): Promise<string> {
  const { bankAccounts, link, state, owner } = taken
  const { notifications, publicUrl } = context
  const at = context.now()
  const added = await bankAccounts.addBankAccount(tx, link.user_id, state.account)
  if (added.status === 'full') {
    await setStatus(tx, link.id, 'failed', at)
    return 'too_many_accounts'
  }
  await tx.query(`update bank_link set status = 'linked', bank_account_id = $2, updated_at = $3 where id = $1`, [
    link.id,
    added.id,
    at,
  ])
  if (added.status === 'added' && owner) {
    const { bankName, last4 } = state.account
    await notifications.mail(tx, { email: owner.email, userId: owner.id }, 'bank_account_linked', {
      bankName,
      last4,
      at,
      link: `${publicUrl}/settings`,
    })
  }
  return added.status === 'added' ? 'linked' : 'was_linked_already'
}
