import type { KycStatus, VerificationForm } from '@tern/contract/kyc'
import type { IdentityDetails, IdentityReason, IdentityResult } from '@tern/providers/kyc/port'
import { isFiatCode } from '@tern/money/currency'
import type { Queryable, Tx } from '../../platform/database/db.ts'
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

/** Stores a form as pending, its numbers sealed. The provider is about to be asked about it. */
export async function insertSubmission(
  tx: Tx,
  seal: Seal,
  { id, userId, provider, form }: Submission,
  at: Date,
): Promise<void> {
  const numbers = numbersOf(form)
  await tx.query(
    `insert into kyc_submission (id, user_id, status, first_name, last_name, date_of_birth, country, nationality, email,
       document_type, issuing_country, currency_preference, street_address, city, state, postal_code, numbers, submitted_at,
       last_polled_at, provider)
     values ($1, $2, 'pending', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17, $18)`,
    [
      id,
      userId,
      form.firstName,
      form.lastName,
      form.dateOfBirth,
      form.country,
      form.nationality,
      form.email,
      form.documentType,
      form.issuingCountry || null,
      form.currencyPreference,
      form.streetAddress,
      form.city,
      form.state,
      form.postalCode,
      seal.seal(JSON.stringify(numbers), id),
      at,
      provider,
    ],
  )
  for (const [kind, number] of Object.entries<string | undefined>(numbers)) {
    if (number === undefined) continue
    const plain = spelled(number)
    const fingerprint = seal.fingerprint([form.country, kind, plain].join('\n'))
    await tx.query(
      'insert into kyc_number (submission_id, kind, fingerprint, last_characters) values ($1, $2, $3, $4)',
      [id, kind, fingerprint, lastCharacters(plain)],
    )
  }
}

interface SubmissionRow {
  id: string
  user_id: bigint
  provider: string
  first_name: string
  last_name: string
  date_of_birth: string
  country: string
  nationality: string
  email: string
  document_type: VerificationForm['documentType']
  issuing_country: string | null
  currency_preference: string
  street_address: string
  city: string
  state: string
  postal_code: string
  numbers: Buffer
}

function submissionFrom(row: SubmissionRow, seal: Seal): Submission {
  const { currency_preference: currencyPreference } = row
  if (!isFiatCode(currencyPreference)) throw new Error(`submission ${row.id} names no base currency`)
  const numbers = JSON.parse(seal.open(row.numbers, row.id)) as Numbers
  const form = {
    email: row.email,
    firstName: row.first_name,
    lastName: row.last_name,
    dateOfBirth: row.date_of_birth,
    country: row.country,
    nationality: row.nationality,
    documentType: row.document_type,
    ...(row.issuing_country === null ? {} : { issuingCountry: row.issuing_country }),
    currencyPreference,
    streetAddress: row.street_address,
    city: row.city,
    state: row.state,
    postalCode: row.postal_code,
    ...numbers,
  }
  return { id: row.id, userId: row.user_id, provider: row.provider, form }
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
  const { rows } = await db.query<SubmissionRow>(
    `update kyc_submission set last_polled_at = $3
      where id = $1 and status in ('pending', 'in_review') and last_polled_at < $2
      returning id, user_id, provider, first_name, last_name, date_of_birth, country, nationality, email, document_type,
        issuing_country, currency_preference, street_address, city, state, postal_code, numbers`,
    [id, polledBefore, at],
  )
  return rows[0] && submissionFrom(rows[0], seal)
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
export const detailsOf = (form: VerificationForm): IdentityDetails => ({
  firstName: form.firstName,
  lastName: form.lastName,
  dateOfBirth: form.dateOfBirth,
  country: form.country,
  nationality: form.nationality,
  idNumber: form.idNumber,
  documentType: form.documentType,
  documentNumber: form.documentNumber,
  ...(form.issuingCountry ? { issuingCountry: form.issuingCountry } : {}),
  streetAddress: form.streetAddress,
  city: form.city,
  state: form.state,
  postalCode: form.postalCode,
})

/** The country in the form that verified the user. */
export async function readResidence(db: Queryable, userId: bigint): Promise<string | undefined> {
  const { rows } = await db.query<{ country: string }>(
    `select country from kyc_submission where user_id = $1 and status = 'verified' order by submitted_at desc limit 1`,
    [userId],
  )
  return rows[0]?.country
}
