import type { KycStatus, VerificationForm } from '@tern/contract/kyc'
import type { IdentityDetails, IdentityReason, IdentityResult } from '@tern/providers/kyc/port'
import { isFiatCode } from '@tern/money/currency'
import type { Queryable, Tx } from '../../platform/database/db.ts'
import { lockName } from '../../platform/database/locks.ts'
import { insertRow } from '../../platform/database/rows.ts'
import type { Seal } from '../../platform/seal.ts'

/** A form with decrypted numbers: for the provider only, never for logs or answers. */
export interface Submission {
  readonly id: string
  readonly userId: bigint
  /** Which is asked about it, as long as it takes. */
  readonly provider: string
  readonly form: VerificationForm
}

type Numbers = Pick<VerificationForm, 'idNumber' | 'documentNumber' | 'panCard' | 'medicareNumber'>

/** The columns that keep the rest of the form, by its fields. */
const formColumns = [
  ['first_name', 'firstName'],
  ['last_name', 'lastName'],
  ['date_of_birth', 'dateOfBirth'],
  ['country', 'country'],
  ['nationality', 'nationality'],
  ['email', 'email'],
  ['document_type', 'documentType'],
  ['issuing_country', 'issuingCountry'],
  ['currency_preference', 'currencyPreference'],
  ['street_address', 'streetAddress'],
  ['city', 'city'],
  ['state', 'state'],
  ['postal_code', 'postalCode'],
] as const satisfies readonly (readonly [column: string, field: keyof VerificationForm])[]
const formMembers = formColumns.map(([column, field]) => `'${field}', ${column}`).join(', ')

const numbersOf = ({ idNumber, documentNumber, panCard, medicareNumber }: VerificationForm): Numbers => ({
  idNumber,
  documentNumber,
  ...(panCard ? { panCard } : {}),
  ...(medicareNumber ? { medicareNumber } : {}),
})

/** Removes the form's numbers from a provider's text, for logging. */
export const withoutNumbers = (text: string, form: VerificationForm): string =>
  Object.values<string | undefined>(numbersOf(form)).reduce<string>(
    (rest, number) => (number ? rest.replaceAll(number, '…') : rest),
    text,
  )

/** Normalizes a number for comparison, ignoring dashes, spaces and wide letters. */
const spelled = (number: string) =>
  number
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

// Four characters would be most of a short number.
// not money: a count of characters
const lastCharacters = (number: string) => number.slice(number.length - Math.min(4, Math.floor(number.length / 2)))

const comparable = (country: string, kind: string, number: string) => [country, kind, spelled(number)].join('\n')

/** The keyed hash of one number, to compare it with those of other forms. */
export const fingerprintOf = (seal: Seal, country: string, kind: string, number: string): Buffer =>
  seal.fingerprint(comparable(country, kind, number))

/**
 * Whether somebody else has the national number of a form: is verified by it, or gave it in an earlier form that is not
 * rejected. Until the transaction ends, nobody else is verified by that number.
 */
export async function isNumberTaken(tx: Tx, seal: Seal, { id, userId, form }: Submission): Promise<boolean> {
  // Under every secret of the ring: processes may start with another one first.
  const fingerprints = seal.fingerprints(comparable(form.country, 'idNumber', form.idNumber))
  for (const fingerprint of fingerprints.toSorted((one, other) => one.compare(other))) {
    await lockName(tx, `kyc number ${fingerprint.toString('hex')}`)
  }
  const { rowCount } = await tx.query(
    `select from kyc_number
       join kyc_submission other on other.id = submission_id
       join kyc_submission own on own.id = $2
      where fingerprint = any ($1) and kind = 'idNumber' and other.user_id <> $3
        and (other.status = 'verified'
             or other.status in ('pending', 'in_review', 'needs_information')
                and (other.submitted_at, other.id) < (own.submitted_at, own.id))
      limit 1`,
    [fingerprints, id, userId],
  )
  return rowCount === 1
}

/** Stores a form as pending, its numbers sealed. The provider is about to be asked about it. */
export async function insertSubmission(
  tx: Tx,
  seal: Seal,
  { id, userId, provider, form }: Submission,
  at: Date,
): Promise<void> {
  const numbers = numbersOf(form)
  await insertRow(tx, 'kyc_submission', {
    ...{ id, user_id: userId, status: 'pending', provider, submitted_at: at, last_polled_at: at },
    ...Object.fromEntries(formColumns.map(([column, field]) => [column, form[field]])),
    issuing_country: form.issuingCountry || null,
    numbers: seal.seal(JSON.stringify(numbers), id),
  })
  for (const [kind, number] of Object.entries<string | undefined>(numbers)) {
    if (number === undefined) continue
    const plain = spelled(number)
    const fingerprint = fingerprintOf(seal, form.country, kind, number)
    await tx.query(
      'insert into kyc_number (submission_id, kind, fingerprint, last_characters) values ($1, $2, $3, $4)',
      [id, kind, fingerprint, lastCharacters(plain)],
    )
  }
}

/** The numbers of all forms of a user, decrypted: for nobody but themselves. */
export async function readNumbers(
  db: Queryable,
  seal: Seal,
  userId: bigint,
): Promise<{ submission_id: string; kind: string; number: string }[]> {
  const { rows } = await db.query<{ id: string; numbers: Buffer }>(
    'select id, numbers from kyc_submission where user_id = $1 order by submitted_at, id',
    [userId],
  )
  return rows.flatMap(({ id, numbers }) =>
    Object.entries(JSON.parse(seal.open(numbers, id)) as Record<string, string>).map(([kind, number]) => ({
      submission_id: id,
      kind,
      number,
    })),
  )
}

/** Whether a form of the user was ever verified. */
export async function readWasVerified(db: Queryable, userId: bigint): Promise<boolean> {
  const { rowCount } = await db.query(`select from kyc_submission where user_id = $1 and status = 'verified'`, [userId])
  return rowCount !== 0
}

/** A form as it was, with its numbers. */
export type FormerForm = Pick<VerificationForm, 'firstName' | 'lastName'> & {
  readonly status: string
  readonly numbers: Readonly<Record<string, string>>
}

/** Deletes all forms of a user and gives what they said, numbers decrypted: for whoever has to keep it. */
export async function takeForms(tx: Tx, seal: Seal, userId: bigint): Promise<FormerForm[]> {
  const { rows } = await tx.query<{ id: string; form: FormerForm; numbers: Buffer }>(
    `select id, numbers, json_strip_nulls(json_build_object(${formMembers}, 'status', status, 'provider', provider,
            'providerCheckId', provider_check_id, 'submittedAt', submitted_at, 'decidedAt', decided_at)) as form
       from kyc_submission where user_id = $1 order by submitted_at, id for update`,
    [userId],
  )
  await tx.query('delete from kyc_number where submission_id = any($1)', [rows.map(({ id }) => id)])
  await tx.query('delete from kyc_submission where user_id = $1', [userId])
  return rows.map(({ id, form, numbers }) =>
    Object.assign(form, { numbers: JSON.parse(seal.open(numbers, id)) as Record<string, string> }),
  )
}

/** Undecided submissions last polled before `polledBefore`, oldest first. */
export async function readRunning(db: Queryable, polledBefore: Date, most: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id from kyc_submission where status in ('pending', 'in_review') and last_polled_at < $1 order by last_polled_at limit $2`,
    [polledBefore, most],
  )
  return rows.map(({ id }) => id)
}

/**
 * Marks a running submission as polled at `at`, then decrypts it. Undefined when decided or polled since
 * `polledBefore`.
 */
export async function takeToAsk(
  db: Queryable,
  seal: Seal,
  { id, polledBefore, at }: { id: string; polledBefore: Date; at: Date },
): Promise<Submission | undefined> {
  const { rows } = await db.query<Omit<Submission, 'form'> & { form: VerificationForm; numbers: Buffer }>(
    `update kyc_submission set last_polled_at = $3
      where id = $1 and status in ('pending', 'in_review') and last_polled_at < $2
      returning id, user_id as "userId", provider, numbers, json_strip_nulls(json_build_object(${formMembers})) as form`,
    [id, polledBefore, at],
  )
  const [row] = rows
  if (!row) return undefined
  const { numbers, form, ...submission } = row
  if (!isFiatCode(form.currencyPreference)) throw new Error(`submission ${id} names no base currency`)
  return { ...submission, form: { ...form, ...(JSON.parse(seal.open(numbers, id)) as Numbers) } }
}

/** Records a verdict. False when already final, or still in review. */
export async function recordVerdict(
  tx: Tx,
  submissionId: string,
  { status, checkId, reasons }: Exclude<IdentityResult, { status: 'unknown' }>,
  at: Date,
): Promise<boolean> {
  const recorded = await tx.query(
    `update kyc_submission set status = $2, provider_check_id = $3, reasons = $4, decided_at = $5
      where id = $1 and status in ('pending', 'in_review') and status <> $2`,
    [submissionId, status, checkId, JSON.stringify(reasons), at],
  )
  return recorded.rowCount === 1
}

/** A user's verification status, and what the latest form lacks. */
export async function readState(
  db: Queryable,
  userId: bigint,
): Promise<{ status: KycStatus; reasons: IdentityReason[] } | undefined> {
  const { rows } = await db.query<{ kyc_status: KycStatus; reasons: IdentityReason[] | null }>(
    `select kyc_status, (select reasons from kyc_submission where user_id = app_user.id
                          order by submitted_at desc, id desc limit 1) as reasons
       from app_user where id = $1`,
    [userId],
  )
  return rows[0] && { status: rows[0].kyc_status, reasons: rows[0].reasons ?? [] }
}

/** The details sent to the provider. */
export const detailsOf = (form: VerificationForm): IdentityDetails => {
  const { firstName, lastName, dateOfBirth, country, nationality, idNumber, documentType, documentNumber } = form
  const { issuingCountry, streetAddress, city, state, postalCode } = form
  return {
    ...{ firstName, lastName, dateOfBirth, country, nationality, idNumber, documentType, documentNumber },
    ...(issuingCountry ? { issuingCountry } : {}),
    ...{ streetAddress, city, state, postalCode },
  }
}

/** The country in the form that verified the user. */
export async function readResidence(db: Queryable, userId: bigint): Promise<string | undefined> {
  const { rows } = await db.query<{ country: string }>(
    `select country from kyc_submission where user_id = $1 and status = 'verified' order by submitted_at desc limit 1`,
    [userId],
  )
  return rows[0]?.country
}

/** The form that verified the user, decrypted. */
export async function readVerifiedForm(
  db: Queryable,
  seal: Seal,
  userId: bigint,
): Promise<VerificationForm | undefined> {
  const { rows } = await db.query<{ id: string; form: VerificationForm; numbers: Buffer }>(
    `select id, numbers, json_strip_nulls(json_build_object(${formMembers})) as form from kyc_submission
      where user_id = $1 and status = 'verified' order by submitted_at desc limit 1`,
    [userId],
  )
  return rows[0] && { ...rows[0].form, ...(JSON.parse(seal.open(rows[0].numbers, rows[0].id)) as Numbers) }
}
