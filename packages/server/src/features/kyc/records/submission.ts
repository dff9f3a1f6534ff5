import type { KycStatus } from '@tern/contract/kyc'
import type { VerificationForm } from '@tern/contract/kyc/verification-form'
import type { IdentityDetails, IdentityReason } from '@tern/providers/verify/port'
import { isFiatCode } from '@tern/money/currency'
import type { UserAndTime } from '../../identity/identity.ts'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import type { Seal } from '../../../platform/seal.ts'
import type { KycContext } from '../context.ts'
import { requestRedactions } from './redactions.ts'
import type { KycSubmissionRow } from '../row-types.ts'

/** Form with decrypted numbers, for the provider only. Must not be logged or sent in replies. */
export interface Submission {
  readonly id: string
  readonly userId: bigint
  readonly provider: string
  /** Id of the check at the provider; null until the form was sent. */
  readonly checkId: string | null
  readonly form: VerificationForm
}

type Ctx = Pick<KycContext, 'seal'>

type IdentityNumbers = Pick<VerificationForm, 'idNumber' | 'documentNumber' | 'panCard' | 'medicareNumber'>

/** Columns of the form's fields that are not encrypted. */
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
const formMembersSql = formColumns.map(([column, field]) => `'${field}', ${column}`).join(', ')

const extractNumbers = ({ idNumber, documentNumber, panCard, medicareNumber }: VerificationForm): IdentityNumbers => ({
  idNumber,
  documentNumber,
  ...(panCard ? { panCard } : {}),
  ...(medicareNumber ? { medicareNumber } : {}),
})

/** Encryption context of a sealed name. `tables.ts` has the same in SQL. */
const localNameContext = (submissionId: string): string => `local name ${submissionId}`

type SealedColumns = Pick<KycSubmissionRow, 'id' | 'numbers'> & { readonly localName: Buffer | null }

/** Decrypts a form's name in its original script. */
export const openLocalName = (seal: Seal, { id, localName }: Pick<SealedColumns, 'id' | 'localName'>) =>
  localName === null ? undefined : seal.open(localName, localNameContext(id))

/** Decrypts the sealed fields of a form. */
function openSealed(seal: Seal, row: SealedColumns): IdentityNumbers & Pick<VerificationForm, 'localName'> {
  const numbers = JSON.parse(seal.open(row.numbers, row.id)) as IdentityNumbers
  const localName = openLocalName(seal, row)
  return localName === undefined ? numbers : { ...numbers, localName }
}

/** Normalizes a number for comparison: upper-case letters and digits only, full-width characters as ASCII. */
const normalizeNumber = (number: string) =>
  number
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

/** Removes the form's numbers from a provider's text, for logging, whatever their case and separators. */
export const withoutNumbers = (text: string, form: VerificationForm): string =>
  Object.values<string | undefined>(extractNumbers(form))
    .map((number) => normalizeNumber(number ?? ''))
    .filter((number) => number !== '')
    .reduce(
      (rest, number) => rest.replaceAll(new RegExp(Array.from(number).join(String.raw`[^\p{L}\p{N}]*`), 'giu'), '…'),
      text.normalize('NFKC'),
    )

// At most half of the characters, because four would reveal most of a short number.
// not money: a count of characters
const getLastCharacters = (number: string) => number.slice(number.length - Math.min(4, Math.floor(number.length / 2)))

/** Text of a number, from which its keyed hash is computed. */
export const fingerprintText = (country: string, kind: string, number: string) =>
  [country, kind, normalizeNumber(number)].join('\n')

/** Keyed hash of a number, for comparison with other forms. */
export const computeFingerprint = (seal: Seal, country: string, kind: string, number: string): Buffer =>
  seal.fingerprint(fingerprintText(country, kind, number))

/** Stores a pending form with its numbers sealed, and their keyed hashes. */
export async function insertSubmission(
  { seal }: Ctx,
  tx: Tx,
  { id, userId, provider, form, at }: Omit<Submission, 'checkId'> & { at: Date },
): Promise<void> {
  const numbers = extractNumbers(form)
  await insertRow(tx, 'kyc_submission', {
    ...{ id, user_id: userId, status: 'pending', provider, submitted_at: at, last_polled_at: at },
    ...Object.fromEntries(formColumns.map(([column, field]) => [column, form[field]])),
    issuing_country: form.issuingCountry || null,
    numbers: seal.seal(JSON.stringify(numbers), id),
    local_name: form.localName ? seal.seal(form.localName, localNameContext(id)) : null,
  })
  for (const [kind, number] of Object.entries<string | undefined>(numbers)) {
    if (number === undefined) continue
    const plain = normalizeNumber(number)
    const fingerprint = computeFingerprint(seal, form.country, kind, number)
    await tx.query(
      'insert into kyc_number (submission_id, kind, fingerprint, last_characters) values ($1, $2, $3, $4)',
      [id, kind, fingerprint, getLastCharacters(plain)],
    )
  }
}

/** Returns the decrypted numbers of all forms of a user. Only that user may see them. */
export async function readNumbers(
  { seal }: Ctx,
  db: Db,
  userId: bigint,
): Promise<{ submission_id: string; kind: string; number: string }[]> {
  const { rows } = await db.query<Pick<KycSubmissionRow, 'id' | 'numbers'>>(
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

/** Returns the names in their original script of all forms of a user, decrypted. */
export async function readLocalNames(
  { seal }: Ctx,
  db: Db,
  userId: bigint,
): Promise<{ submission_id: string; local_name: string }[]> {
  const { rows } = await db.query<{ id: string; localName: Buffer }>(
    `select id, local_name as "localName" from kyc_submission where user_id = $1 and local_name is not null
      order by submitted_at, id`,
    [userId],
  )
  return rows.map((row) => ({ submission_id: row.id, local_name: openLocalName(seal, row) ?? '' }))
}

/** Returns the name in its original script of a user's newest form, decrypted for screening. */
export async function readNewestLocalName({ seal }: Ctx, db: Db, userId: bigint): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string; localName: Buffer | null }>(
    `select id, local_name as "localName" from kyc_submission where user_id = $1 and status <> 'superseded'
      order by submitted_at desc, id desc limit 1`,
    [userId],
  )
  return rows[0] && openLocalName(seal, rows[0])
}

/** True if the user has a verified form, even if the verification was revoked later. */
export async function hasBeenVerified(db: Db, userId: bigint): Promise<boolean> {
  const { rowCount } = await db.query(`select from kyc_submission where user_id = $1 and status = 'verified'`, [userId])
  return rowCount !== 0
}

/** Contents of a deleted form, with decrypted numbers. */
export type FormerForm = Pick<VerificationForm, 'firstName' | 'lastName' | 'localName'> & {
  readonly status: string
  readonly numbers: Readonly<Record<string, string>>
}

/** Deletes all forms of a user. Returns their contents with decrypted numbers, for legal retention. */
export async function deleteForms({ seal }: Ctx, tx: Tx, { userId, at }: UserAndTime): Promise<FormerForm[]> {
  const { rows } = await tx.query<SealedColumns & { form: FormerForm }>(
    `select id, numbers, local_name as "localName", json_strip_nulls(json_build_object(${formMembersSql}, 'status', status, 'provider', provider,
            'providerCheckId', provider_check_id, 'submittedAt', submitted_at, 'decidedAt', decided_at)) as form
       from kyc_submission where user_id = $1 order by submitted_at, id for update`,
    [userId],
  )
  await requestRedactions(tx, { userId, at })
  await tx.query('delete from kyc_number where submission_id = any($1)', [rows.map(({ id }) => id)])
  await tx.query('delete from kyc_submission where user_id = $1', [userId])
  return rows.map((row) => {
    const { localName, ...numbers } = openSealed(seal, row)
    return Object.assign(row.form, localName === undefined ? { numbers } : { numbers, localName })
  })
}

// A form is first sent to the provider once the email is confirmed, because the address may belong to another person.
const isSubmittable = `(provider_check_id is not null
  or exists (select from app_user where app_user.id = kyc_submission.user_id and email_verified_at is not null))`

// An unfinished provider page can be opened again until the user submits a newer form.
const isResumable = `status = 'needs_information' and is_hosted and decided_by = 'provider'
  and not exists (select from kyc_submission later where later.user_id = kyc_submission.user_id
                    and (later.submitted_at, later.id) > (kyc_submission.submitted_at, kyc_submission.id))`

const isUndecided = `(status in ('pending', 'in_review') or ${isResumable})`

/**
 * Returns ids of pending and in-review submissions last polled before `polledBefore`, longest unpolled first. Omits
 * forms that may not be sent before their user confirms the email.
 */
export async function listRunningIds(
  db: Db,
  { polledBefore, max }: { polledBefore: Date; max: number },
): Promise<string[]> {
  const { rows } = await db.query<Pick<KycSubmissionRow, 'id'>>(
    `select id from kyc_submission
      where status in ('pending', 'in_review') and last_polled_at < $1 and ${isSubmittable}
      order by last_polled_at limit $2`,
    [polledBefore, max],
  )
  return rows.map(({ id }) => id)
}

/** Returns the user's submission that a status request may poll. */
export async function findAwaitedForm(db: Db, userId: bigint): Promise<{ id: string; provider: string } | undefined> {
  const { rows } = await db.query<Pick<KycSubmissionRow, 'id' | 'provider'>>(
    `select id, provider from kyc_submission
      where user_id = $1 and (status = 'pending' or ${isResumable}) and ${isSubmittable}`,
    [userId],
  )
  return rows[0]
}

type StoredSubmission = Submission & SealedColumns

const submissionColumns = `id, user_id as "userId", provider, provider_check_id as "checkId", numbers, local_name as "localName",
  json_strip_nulls(json_build_object(${formMembersSql})) as form`

function decryptSubmission(seal: Seal, row: StoredSubmission | undefined): Submission | undefined {
  if (!row) return undefined
  const { numbers: _numbers, localName: _localName, form, ...submission } = row
  if (!isFiatCode(form.currencyPreference)) throw new Error(`submission ${row.id} names no base currency`)
  return { ...submission, form: { ...form, ...openSealed(seal, row) } }
}

/**
 * Marks an undecided submission as polled at `at` and returns it decrypted. Undefined if it is decided, was polled
 * since `polledBefore`, or may not be sent before the user confirms their email.
 */
export async function claimForPoll(
  { seal }: Ctx,
  db: Db,
  { id, polledBefore, at }: { id: string; polledBefore: Date; at: Date },
): Promise<Submission | undefined> {
  const { rows } = await db.query<StoredSubmission>(
    `update kyc_submission set last_polled_at = $3
      where id = $1 and last_polled_at < $2 and ${isUndecided} and ${isSubmittable} returning ${submissionColumns}`,
    [id, polledBefore, at],
  )
  return decryptSubmission(seal, rows[0])
}

/** Returns the undecided submission with our id `id` at a provider, decrypted. */
export async function readForPoll(
  { seal }: Ctx,
  db: Db,
  { provider, id }: { provider: string; id: string },
): Promise<Submission | undefined> {
  const { rows } = await db.query<StoredSubmission>(
    `select ${submissionColumns} from kyc_submission where id::text = $1 and provider = $2 and ${isUndecided}`,
    [id, provider],
  )
  return decryptSubmission(seal, rows[0])
}

/** State of a submission as reported by its provider or decided by an operator. */
export interface SubmissionResult {
  readonly status: 'pending' | 'verified' | 'in_review' | 'needs_information' | 'rejected'
  readonly checkId: string | null
  readonly reasons: readonly IdentityReason[]
  readonly isHosted: boolean
}

/**
 * Records the state of a submission whose user is locked. Returns false if the status is unchanged or the submission is
 * already decided. A report of `pending` does not end a review.
 */
export async function recordResult(
  tx: Tx,
  { id, result, by, at }: { id: string; result: SubmissionResult; by: 'provider' | 'operator'; at: Date },
): Promise<boolean> {
  const { status, checkId, reasons, isHosted } = result
  const { rows } = await tx.query<Pick<KycSubmissionRow, 'status'>>(
    `select status from kyc_submission where id = $1 and ${isUndecided} for update`,
    [id],
  )
  const previousStatus = rows[0]?.status
  if (previousStatus === undefined || (previousStatus === 'in_review' && status === 'pending')) return false
  await tx.query(
    `update kyc_submission set status = $2, provider_check_id = $3, reasons = $4, is_hosted = $5, decided_by = $6,
            decided_at = case when status = $2 then decided_at else $7 end where id = $1`,
    [id, status, checkId, JSON.stringify(reasons), isHosted, by, status === 'pending' ? null : at],
  )
  return previousStatus !== status
}

/** User action that the verification waits for. */
export type NextStep = 'confirm_email' | 'identity_check'

/** Returns a user's verification status, the problems of the newest form, and the next step. */
export async function readState(
  db: Db,
  userId: bigint,
): Promise<{ status: KycStatus; reasons: IdentityReason[]; nextStep: NextStep | null } | undefined> {
  const { rows } = await db.query<{ status: KycStatus; reasons: IdentityReason[] | null; nextStep: NextStep | null }>(
    `select kyc_status as status, reasons,
            case when form.status = 'pending' and form.provider_check_id is null and email_verified_at is null
                   then 'confirm_email'
                 when form.is_hosted and form.status = kyc_status and kyc_status in ('pending', 'needs_information')
                   then 'identity_check' end as "nextStep"
       from app_user
       left join lateral (select * from kyc_submission where user_id = app_user.id
                           order by submitted_at desc, id desc limit 1) form on true
      where app_user.id = $1`,
    [userId],
  )
  return rows[0] && { ...rows[0], reasons: rows[0].reasons ?? [] }
}

/** Finds the check whose provider page the user can open. */
export async function findHostedCheck(
  db: Db,
  userId: bigint,
): Promise<{ provider: string; checkId: string } | undefined> {
  const { rows } = await db.query<{ provider: string; checkId: string }>(
    `select provider, provider_check_id as "checkId" from kyc_submission
      where user_id = $1 and is_hosted and provider_check_id is not null and (status = 'pending' or ${isResumable})`,
    [userId],
  )
  return rows[0]
}

export const toIdentityDetails = (form: VerificationForm): IdentityDetails => {
  const { firstName, lastName, dateOfBirth, country, nationality, idNumber, documentType, documentNumber } = form
  const { issuingCountry, streetAddress, city, state, postalCode } = form
  return {
    ...{ firstName, lastName, dateOfBirth, country, nationality, idNumber, documentType, documentNumber },
    ...(issuingCountry ? { issuingCountry } : {}),
    ...{ streetAddress, city, state, postalCode },
  }
}

/** Returns the country in the user's newest verified form. */
export async function readResidence(db: Db, userId: bigint): Promise<string | undefined> {
  const { rows } = await db.query<Pick<KycSubmissionRow, 'country'>>(
    `select country from kyc_submission where user_id = $1 and status = 'verified' order by submitted_at desc limit 1`,
    [userId],
  )
  return rows[0]?.country
}

export async function readVerifiedForm({ seal }: Ctx, db: Db, userId: bigint): Promise<VerificationForm | undefined> {
  const { rows } = await db.query<SealedColumns & { form: VerificationForm }>(
    `select id, numbers, local_name as "localName", json_strip_nulls(json_build_object(${formMembersSql})) as form from kyc_submission
      where user_id = $1 and status = 'verified' order by submitted_at desc limit 1`,
    [userId],
  )
  return rows[0] && { ...rows[0].form, ...openSealed(seal, rows[0]) }
}
