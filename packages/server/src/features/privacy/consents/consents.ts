import { type LegalDocument, legalDocuments } from '@tern/contract/site/legal-documents'
import type { Consent, ConsentDocument } from '@tern/contract/privacy/privacy'
import type { MailChoice } from '@tern/contract/notifications/mail-choices'
import type pg from 'pg'
import type { UserAndTime } from '../../identity/identity.ts'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { newId } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { ConsentRow } from '../row-types.ts'

const mailChoiceByDocument = { mail_payments: 'payments', mail_requests: 'requests' } as const satisfies Partial<
  Record<ConsentDocument, MailChoice>
>
const legalPages = Object.keys(legalDocuments) as LegalDocument[]

interface GivenConsent {
  readonly userId: bigint
  readonly document: ConsentDocument
  readonly version: number | null
  readonly how: 'sign_up' | 'settings'
  readonly at: Date
}

/** Records a consent, and ends an earlier one to another version of the document. Repeating it changes nothing. */
async function recordConsent(tx: Tx, { userId, document, version, how, at }: GivenConsent): Promise<void> {
  await tx.query(
    `update consent set withdrawn_at = $4
      where user_id = $1 and document = $2 and withdrawn_at is null and version is distinct from $3`,
    [userId, document, version, at],
  )
  await tx.query(
    `insert into consent (id, user_id, document, version, given_how, given_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (user_id, document) where withdrawn_at is null do nothing`,
    [newId(at), userId, document, version, how, at],
  )
}

/** Records the consents given by signing up, to the current versions of the legal pages. */
export async function recordSignUpConsents(tx: Tx, { userId, at }: UserAndTime): Promise<void> {
  for (const document of legalPages) {
    await recordConsent(tx, { userId, document, version: legalDocuments[document].version, how: 'sign_up', at })
  }
}

/** Records mail choices as consents, in the transaction that stores the choices. */
export async function recordMailChoices(
  tx: Tx,
  { userId, choices, at }: UserAndTime & { readonly choices: Readonly<Record<MailChoice, boolean>> },
): Promise<void> {
  for (const [document, choice] of Object.entries(mailChoiceByDocument) as [
    keyof typeof mailChoiceByDocument,
    MailChoice,
  ][]) {
    if (choices[choice]) await recordConsent(tx, { userId, document, version: null, how: 'settings', at })
    else await withdraw(tx, { userId, document, at })
  }
}

async function withdraw(
  tx: Tx,
  { userId, document, at }: Pick<GivenConsent, 'userId' | 'document' | 'at'>,
): Promise<void> {
  const { rowCount } = await tx.query(
    'update consent set withdrawn_at = $3 where user_id = $1 and document = $2 and withdrawn_at is null',
    [userId, document, at],
  )
  if (rowCount !== 0) return
  // Mails are on by default: the consent given at sign-up is stored only when it is withdrawn.
  await tx.query(
    `insert into consent (id, user_id, document, given_how, given_at, withdrawn_at)
     select $1, id, $3, 'sign_up', least(created_at, $4), $4 from app_user
      where id = $2 and not exists (select from consent where user_id = $2 and document = $3)`,
    [newId(at), userId, document, at],
  )
}

type ConsentFields = Pick<ConsentRow, 'document' | 'version' | 'given_at' | 'withdrawn_at'>

/** Latest consent to each document. Consent to mails also holds, without a stored row, while they are `chosen`. */
export async function readConsents(
  db: Db,
  { userId, chosen }: { userId: bigint; chosen: Readonly<Record<MailChoice, boolean>> },
): Promise<Consent[]> {
  const { rows } = await db.query<ConsentFields>(
    `select distinct on (document) document, version, given_at, withdrawn_at from consent where user_id = $1
      order by document, (withdrawn_at is null) desc, given_at desc`,
    [userId],
  )
  const latest = new Map(rows.map((row) => [row.document, row]))
  const pageConsents = legalPages.map((document) => toView(document, latest.get(document)))
  const mailConsents = (Object.entries(mailChoiceByDocument) as [keyof typeof mailChoiceByDocument, MailChoice][]).map(
    ([document, choice]): Consent => {
      const view = toView(document, latest.get(document))
      return chosen[choice] ? Object.assign(view, { given: view.given ?? { version: null, at: null } }) : view
    },
  )
  return [...pageConsents, ...mailConsents]
}

function toView(document: ConsentDocument, row: ConsentFields | undefined): Consent {
  const isPage = document === 'terms' || document === 'privacy'
  const isConsentGiven = row !== undefined && row.withdrawn_at === null
  return {
    document,
    given: isConsentGiven ? { version: row.version, at: row.given_at.toISOString() } : null,
    withdrawn_at: row?.withdrawn_at?.toISOString() ?? null,
    current_version: isPage ? legalDocuments[document].version : null,
    can_withdraw: !isPage,
  }
}

/** Records consent to the version that was shown. Refuses `document_changed` if another version is current by now. */
export async function giveConsent(
  pool: pg.Pool,
  { userId, document, version, at }: UserAndTime & { document: LegalDocument; version: number },
): Promise<Consent> {
  if (version !== legalDocuments[document].version) refuse('document_changed')
  await transact(pool, (tx) => recordConsent(tx, { userId, document, version, how: 'settings', at }))
  const consents = await readConsents(pool, { userId, chosen: { payments: false, requests: false } })
  return consents.find((consent) => consent.document === document) ?? refuse('not_found')
}
