import type { VisitSecrets } from '@tern/providers/signin/port'
import type pg from 'pg'
import type { Seal } from '../../../platform/seal.ts'
import type { ExternalProvider } from './external-accounts.ts'
import { hashOfSecret } from '../secrets.ts'
import { type Client, deviceOf } from '../sessions/sessions.ts'

export type VisitMode = 'popup' | 'redirect'

export interface Visit extends VisitSecrets {
  readonly provider: ExternalProvider
  readonly mode: VisitMode
  readonly from: string | undefined
}

export interface Visits {
  remember(visit: Visit, client: Client): Promise<void>
  /** Spends the visit of `state`, once, in the browser that left. */
  take(state: string, client: Client): Promise<Visit | undefined>
}

const lifetimeMinutes = 15

export function createVisits({ pool, seal, realNow }: { pool: pg.Pool; seal: Seal; realNow: () => Date }): Visits {
  return {
    async remember({ provider, mode, from, state, nonce, verifier }, client) {
      const hash = hashOfSecret(state)
      const at = realNow()
      await pool.query(
        `with swept as (delete from external_sign_in where expires_at < $8::timestamptz - interval '1 day')
         insert into external_sign_in
           (hash, provider, browser, nonce, verifier, mode, return_to, created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [
          hash,
          provider,
          deviceOf(client),
          nonce,
          seal.seal(verifier, hash.toString('hex')),
          mode,
          from ?? null,
          at,
          new Date(at.getTime() + lifetimeMinutes * 60_000),
        ],
      )
    },
    async take(state, client) {
      const hash = hashOfSecret(state)
      const { rows } = await pool.query<{
        provider: ExternalProvider
        nonce: string
        verifier: Buffer
        mode: VisitMode
        return_to: string | null
      }>(
        `delete from external_sign_in where hash = $1 and browser = $2 and expires_at > $3
         returning provider, nonce, verifier, mode, return_to`,
        [hash, deviceOf(client), realNow()],
      )
      const row = rows[0]
      if (!row) return undefined
      const { provider, nonce, mode, return_to: from } = row
      const verifier = seal.open(row.verifier, hash.toString('hex'))
      return { provider, nonce, mode, from: from ?? undefined, state, verifier }
    },
  }
}
