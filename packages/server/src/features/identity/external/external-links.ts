import type pg from 'pg'
import { transact } from '../../../platform/database/db.ts'
import { confirmed } from '../../../platform/subjects.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { Alerts } from '../sign-in/sign-in-alerts.ts'
import { addIdentity, type ExternalProvider, takeOfferedLink } from './external-accounts.ts'
import type { StepUp } from '../step-up/step-up.ts'
import { bumpCredentialsVersion } from '../sessions/verified-credentials.ts'
import type { Client } from '../sessions/sessions.ts'

/** Connects and disconnects identities at providers. */
export interface ExternalLinks {
  /**
   * Connects the identity behind `link`. Refuses `link_invalid`, and `fresh_sign_in_required` for a session older than
   * the link.
   */
  linkExternalSignIn(caller: Caller, link: string, client: Client): Promise<void>
  /** Refuses `not_found`, `step_up_required`. */
  unlinkExternalSignIn(
    caller: Caller,
    provider: ExternalProvider,
    confirmation: string | undefined,
    client: Client,
  ): Promise<void>
}

export interface ExternalLinkParts {
  readonly pool: pg.Pool
  readonly alerts: Alerts
  readonly stepUp: Pick<StepUp, 'require'>
  readonly realNow: () => Date
}

export function createExternalLinks({ pool, alerts, stepUp, realNow }: ExternalLinkParts): ExternalLinks {
  return {
    async linkExternalSignIn(caller, link, client) {
      const at = realNow()
      await transact(pool, async (tx) => {
        const identity = await takeOfferedLink(tx, link, caller, at)
        if (!(await addIdentity(tx, caller.userId, identity, at))) refuse('link_invalid')
        await alerts.alertChange(tx, { ...caller, change: 'external_linked', client, at })
      })
    },
    async unlinkExternalSignIn(caller, provider, confirmation, client) {
      const { userId } = caller
      const found = await pool.query('select from external_identity where user_id = $1 and provider = $2', [
        userId,
        provider,
      ])
      if (!found.rowCount) refuse('not_found')
      const subject = { change: confirmed(`disconnect_${provider}`) }
      await stepUp.require(caller, { action: 'change_factors', subject }, confirmation)
      await transact(pool, async (tx) => {
        await tx.query('delete from external_identity where user_id = $1 and provider = $2', [userId, provider])
        await bumpCredentialsVersion(tx, userId)
        await alerts.alertChange(tx, { ...caller, change: 'external_unlinked', client, at: realNow() })
      })
    },
  }
}
