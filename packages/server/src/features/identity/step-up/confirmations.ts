import { createHash } from 'node:crypto'
import type { SensitiveActionKind, StepUpReason } from '@tern/contract/security'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { newId } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { SubjectName, SubjectText } from '../../../platform/subjects.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { IdentityContext } from '../context.ts'
import type { StepUpConfirmationRow } from '../row-types.ts'

// Step-up confirmations, each bound to one session.

/** Sensitive action and the facts to which its confirmation is bound. */
export interface SensitiveAction {
  readonly action: SensitiveActionKind
  /** Facts shown to the user for confirmation: amounts and names as text, sentences as codes. */
  readonly subject: { readonly [name in SubjectName]?: SubjectText }
  /** Facts that are bound but not shown, such as an idempotency key. */
  readonly hidden?: Readonly<Record<string, string>>
  /** Reason shown with the request for confirmation; not bound. */
  readonly reason?: StepUpReason | undefined
}

export type OpenConfirmation = Pick<StepUpConfirmationRow, 'action' | 'binding'> & {
  readonly subject: readonly (readonly [name: SubjectName, text: SubjectText])[]
  readonly mailedCode: Buffer | null
}

const lifetimeMinutes = 5
const maxFailures = 5
const maxMails = 3
const repeatHours = 24
const retentionDays = 2

const sortFields = (fields: Readonly<Record<string, SubjectText>>) =>
  Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1))

const computeBinding = ({ action, subject, hidden = {} }: SensitiveAction, userId: bigint): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([action, sortFields(subject), sortFields(hidden), String(userId)]))
    .digest()

/**
 * SQL condition: not expired, confirmed, used or failed too often. `$1`: id; `$2`, `$3`: user and session; `$4`: now.
 */
const isOpen = `id = $1 and user_id = $2 and session_id = $3 and expires_at > $4 and confirmed_at is null
  and used_at is null and failures < ${maxFailures}`

const openColumns = 'action, binding, subject, mailed_code as "mailedCode"'

type Ctx = Pick<IdentityContext, 'realNow'>

interface OwnConfirmation {
  readonly caller: Caller
  readonly id: string
}

const confirmationKeys = ({ realNow }: Ctx, { caller: { userId, sessionId }, id }: OwnConfirmation) => [
  id,
  userId,
  sessionId,
  realNow(),
]

export async function addConfirmation(
  { realNow }: Ctx,
  db: Db,
  { caller, act }: { caller: Caller; act: SensitiveAction },
): Promise<{ id: string; expiresAt: Date }> {
  const { userId, sessionId } = caller
  const at = realNow()
  const id = newId(at)
  const expiresAt = new Date(at.getTime() + lifetimeMinutes * 60_000)
  const subject = JSON.stringify(Object.entries(act.subject))
  await db.query(
    `with swept as (delete from step_up_confirmation where expires_at < $7::timestamptz - make_interval(days => $9))
     insert into step_up_confirmation (id, user_id, session_id, action, binding, subject, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [id, userId, sessionId, act.action, computeBinding(act, userId), subject, at, expiresAt, retentionDays],
  )
  return { id, expiresAt }
}

/** Returns an open confirmation. Refuses `step_up_invalid`. */
export async function requireOpenConfirmation(ctx: Ctx, db: Db, step: OwnConfirmation): Promise<OpenConfirmation> {
  const { rows } = await db.query<OpenConfirmation>(
    `select ${openColumns} from step_up_confirmation where ${isOpen}`,
    confirmationKeys(ctx, step),
  )
  return rows[0] ?? refuse('step_up_invalid')
}

/**
 * Counts an attempt before its code is checked, so that parallel guesses cannot exceed five. Refuses `step_up_invalid`.
 */
export async function countAttempt(ctx: Ctx, db: Db, step: OwnConfirmation): Promise<OpenConfirmation> {
  const { rows } = await db.query<OpenConfirmation>(
    `update step_up_confirmation set failures = failures + 1 where ${isOpen} returning ${openColumns}`,
    confirmationKeys(ctx, step),
  )
  return rows[0] ?? refuse('step_up_invalid')
}

export async function revertAttempt(db: Db, id: string): Promise<void> {
  await db.query('update step_up_confirmation set failures = failures - 1 where id = $1 and failures > 0', [id])
}

/** Returns the keyed hashes of the last ten codes mailed for this user's confirmed step-ups, latest first. */
export async function readUsedCodes(db: Db, userId: bigint): Promise<{ id: string; mailedCode: Buffer }[]> {
  const { rows } = await db.query<{ id: string; mailedCode: Buffer }>(
    `select id, mailed_code as "mailedCode" from step_up_confirmation
      where user_id = $1 and confirmed_at is not null and mailed_code is not null order by id desc limit 10`,
    [userId],
  )
  return rows
}

/** Stores the keyed hash of a mailed code, replacing the previous one. Refuses `rate_limited` after three mails. */
export async function storeCode(
  ctx: Ctx,
  tx: Tx,
  { code, ...step }: OwnConfirmation & { code: Buffer },
): Promise<void> {
  const { rowCount } = await tx.query(
    `update step_up_confirmation set mailed_code = $5, mails = mails + 1 where ${isOpen} and mails < $6`,
    [...confirmationKeys(ctx, step), code, maxMails],
  )
  if (rowCount !== 1) refuse('rate_limited')
}

/** Marks a confirmation as given, after a right attempt. Refuses `step_up_invalid`. */
export async function setConfirmed(ctx: Ctx, db: Db, step: OwnConfirmation): Promise<void> {
  const { rowCount } = await db.query(
    `update step_up_confirmation set confirmed_at = $4 where id = $1 and user_id = $2 and session_id = $3
        and expires_at > $4 and confirmed_at is null and used_at is null`,
    confirmationKeys(ctx, step),
  )
  if (rowCount !== 1) refuse('step_up_invalid')
}

/** Expires an unused confirmation. Refuses `step_up_invalid`. */
export async function expireConfirmation(
  tx: Tx,
  { caller: { userId, sessionId }, id, at }: OwnConfirmation & { at: Date },
): Promise<void> {
  const { rowCount } = await tx.query(
    `update step_up_confirmation set expires_at = least(expires_at, $4)
      where id = $1 and user_id = $2 and session_id = $3 and used_at is null`,
    [id, userId, sessionId, at],
  )
  if (rowCount !== 1) refuse('step_up_invalid')
}

/**
 * Uses up this session's confirmation of exactly this action. Returns the time of its first use; undefined if there is
 * no such confirmation.
 */
export async function consumeConfirmation(
  ctx: Ctx,
  db: Db,
  { act, ...step }: OwnConfirmation & { act: SensitiveAction },
): Promise<Date | undefined> {
  const isRepeatable = act.hidden?.idempotencyKey !== undefined
  const { rows } = await db.query<{ used_at: Date }>(
    `update step_up_confirmation set used_at = coalesce(used_at, $4)
      where id = $1 and user_id = $2 and session_id = $3 and binding = $5 and confirmed_at is not null
        and ((used_at is null and expires_at > $4)
          or ($6 and used_at > $4::timestamptz - make_interval(hours => $7)))
      returning used_at`,
    [...confirmationKeys(ctx, step), computeBinding(act, step.caller.userId), isRepeatable, repeatHours],
  )
  return rows[0]?.used_at
}
