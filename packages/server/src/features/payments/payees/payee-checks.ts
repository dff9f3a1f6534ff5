import type { PayeeCheck } from '@tern/contract/banking'
import type { PayeeOutcome } from '@tern/providers/payee/port'
import type { Db } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { newId } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { PaymentContext } from '../context.ts'
import { isSameHolder } from '../instruments/account-holder.ts'
import { usableAccount } from '../instruments/instruments.ts'
import type { BankAccountRow, PayeeCheckRow } from '../row-types.ts'

// Before money leaves, the bank is asked whether the account is in its holder's name. Each answer is kept as evidence,
// and serves one withdrawal.

// An outcome without an end at the provider is valid for so long.
const validMs = 24 * 3_600_000
// Outcomes that end sooner are renewed, so that an order still reaches the provider in time.
const leadMs = 30_000

type PayeeContext = Pick<PaymentContext, 'identity' | 'providers' | 'payeeSeal' | 'now' | 'log'>

/** Account whose holder is verified, and the name to compare. */
export interface PayeeSubject {
  readonly account: Pick<BankAccountRow, 'id' | 'provider' | 'token' | 'country'>
  readonly userId: bigint
  readonly name: string
}

/** Reads the verified name that the bank has to compare. */
export async function readPayeeSubject(
  { identity }: Pick<PaymentContext, 'identity'>,
  db: Db,
  { account, userId }: Pick<PayeeSubject, 'account' | 'userId'>,
): Promise<PayeeSubject> {
  const person = (await identity.usersById(db, [userId])).get(userId) ?? refuse('unauthenticated')
  return { account, userId, name: person.name ?? person.username }
}

const subjectText = ({ account, name }: PayeeSubject): string => `${account.token}\n${name}`

/** True if a check still holds: its name and account are unchanged, and it has not expired. */
export const isFresh = (
  { payeeSeal, now }: Pick<PayeeContext, 'payeeSeal' | 'now'>,
  check: Pick<PayeeCheckRow, 'subject_hash' | 'valid_until'>,
  subject: PayeeSubject,
): boolean => check.valid_until.getTime() - now().getTime() > leadMs && isAbout({ payeeSeal }, check, subject)

/** True if a check was about this account and name. */
export const isAbout = (
  { payeeSeal }: Pick<PayeeContext, 'payeeSeal'>,
  { subject_hash: hash }: Pick<PayeeCheckRow, 'subject_hash'>,
  subject: PayeeSubject,
): boolean => payeeSeal.fingerprints(subjectText(subject)).some((known) => known.equals(hash))

/**
 * Returns the fresh check of an account that no withdrawal has used yet, or asks the bank. `unknown`: the bank did not
 * answer.
 */
export async function findOrCheckPayee(
  ctx: PayeeContext,
  db: Db,
  subject: PayeeSubject,
): Promise<PayeeCheckRow | 'unknown'> {
  const { rows } = await db.query<PayeeCheckRow>(
    `select * from payee_check c where bank_account_id = $1 and user_id = $2
        and not exists (select from payout where payee_check_id = c.id)
      order by checked_at desc, id desc limit 1`,
    [subject.account.id, subject.userId],
  )
  const [newest] = rows
  return newest && isFresh(ctx, newest, subject) ? newest : verifyPayee(ctx, db, subject)
}

/** Asks the bank, and keeps its answer. */
export async function verifyPayee(
  ctx: PayeeContext,
  db: Db,
  subject: PayeeSubject,
): Promise<PayeeCheckRow | 'unknown'> {
  const { account, userId, name } = subject
  const { provider, token: accountToken, country } = account
  const verifier = ctx.providers.find(provider)?.payee
  const outcome = (await verifier?.verify({ accountToken, country, holderName: name })) ?? impossible
  if (outcome.status === 'unknown') {
    ctx.log.warn({ bankAccountId: account.id, reason: outcome.reason }, 'a bank did not answer about a payee')
    return 'unknown'
  }
  const at = ctx.now()
  const id = newId(at)
  const knownName = outcome.status === 'close_match' ? outcome.knownName?.trim() : undefined
  const row: PayeeCheckRow = {
    id,
    user_id: userId,
    bank_account_id: account.id,
    provider,
    scheme: outcome.scheme,
    result: decideResult(outcome, name),
    subject_hash: ctx.payeeSeal.fingerprint(subjectText(subject)),
    known_name: null,
    reference: outcome.reference ?? null,
    checked_at: at,
    valid_until: outcome.expiresAt ?? new Date(at.getTime() + validMs),
    told_at: null,
  }
  const named =
    row.result === 'close_match' && knownName ? { ...row, known_name: ctx.payeeSeal.seal(knownName, id) } : row
  await insertRow(db, 'payee_check', { ...named })
  return named
}

const impossible: PayeeOutcome = { status: 'not_possible', scheme: 'none' }

/** A match of another name than the verified one is a mismatch. */
const decideResult = ({ status, comparedName }: PayeeOutcome, name: string): PayeeCheckRow['result'] =>
  status === 'not_possible' || comparedName === undefined || isSameHolder(comparedName, name) ? status : 'no_match'

/** Holder's name as the bank knows it; null if it was not disclosed, or was deleted. */
export const readKnownName = (
  { payeeSeal }: Pick<PayeeContext, 'payeeSeal'>,
  { id, known_name: sealedName }: Pick<PayeeCheckRow, 'id' | 'known_name'>,
): string | null => (sealedName === null ? null : payeeSeal.open(sealedName, id))

export const toPayeeView = (ctx: Pick<PayeeContext, 'payeeSeal'>, check: PayeeCheckRow | 'unknown'): PayeeCheck =>
  check === 'unknown'
    ? { id: null, result: 'unknown', known_name: null }
    : { id: check.id, result: check.result, known_name: readKnownName(ctx, check) }

/** Tells the account holder what the bank says about the name on an account. Refuses `bank_account_needed`. */
export async function tellPayee(
  ctx: PayeeContext,
  db: Db,
  { userId, bankAccountId }: { readonly userId: bigint; readonly bankAccountId: string },
): Promise<PayeeCheck> {
  const account = await usableAccount(ctx, db, { userId, id: bankAccountId })
  const check = await findOrCheckPayee(ctx, db, await readPayeeSubject(ctx, db, { account, userId }))
  if (check !== 'unknown') await markTold(ctx, db, check)
  return toPayeeView(ctx, check)
}

/** Records that the account holder was told the outcome. */
export const markTold = ({ now }: Pick<PayeeContext, 'now'>, db: Db, { id }: Pick<PayeeCheckRow, 'id'>) =>
  db.query('update payee_check set told_at = $2 where id = $1 and told_at is null', [id, now()])
