import type { VisitSecrets } from '@tern/providers/signin/port'
import type { Db } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import type { IdentityContext } from '../context.ts'
import { hashSecret } from '../secrets.ts'
import { type Client, identifyDevice } from '../sessions/sessions.ts'
import type { ExternalSignInRow } from '../row-types.ts'

export type VisitMode = 'popup' | 'redirect'

export type Visit = VisitSecrets & Pick<ExternalSignInRow, 'provider' | 'mode'> & { readonly from: string | undefined }

const lifetimeMinutes = 15

export async function storeVisit(
  { seals, realNow }: Pick<IdentityContext, 'seals' | 'realNow'>,
  db: Db,
  { provider, mode, from, state, nonce, verifier, client }: Visit & { client: Client },
): Promise<void> {
  const hash = hashSecret(state)
  const at = realNow()
  await db.query(`delete from external_sign_in where expires_at < $1::timestamptz - interval '1 day'`, [at])
  await insertRow(db, 'external_sign_in', {
    ...{ hash, provider, mode, nonce, return_to: from, browser: identifyDevice(client), created_at: at },
    verifier: seals.externalSignIn.seal(verifier, hash.toString('hex')),
    expires_at: new Date(at.getTime() + lifetimeMinutes * 60_000),
  })
}

/** Uses up the visit with this `state`. Undefined if it is unknown, expired, or began in another browser. */
export async function consumeVisit(
  { seals, realNow }: Pick<IdentityContext, 'seals' | 'realNow'>,
  db: Db,
  { state, client }: { state: string; client: Client },
): Promise<Visit | undefined> {
  const hash = hashSecret(state)
  const { rows } = await db.query<Omit<Visit, 'verifier' | 'from'> & { verifier: Buffer; from: string | null }>(
    `delete from external_sign_in where hash = $1 and browser = $2 and expires_at > $3
     returning provider, nonce, verifier, mode, return_to as "from"`,
    [hash, identifyDevice(client), realNow()],
  )
  const [row] = rows
  if (!row) return undefined
  const verifier = seals.externalSignIn.open(row.verifier, hash.toString('hex'))
  return { ...row, from: row.from ?? undefined, state, verifier }
}
