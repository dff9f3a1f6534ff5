import { createHash } from 'node:crypto'
import type { Db } from '../../../platform/database/db.ts'
import type { StoredTransaction } from '../../wallets/wallets.ts'
import { readShownWarnings } from './shown-warnings.ts'

// Evidence about a disputed transaction, collected once when the dispute is opened.

const minuteMs = 60_000

/**
 * Returns the recorded facts of a transaction: codes, amounts in minor units, ids, times and the account holder's
 * sessions. Other people appear by user number only.
 */
export async function collectEvidenceFacts(db: Db, row: StoredTransaction): Promise<Record<string, unknown>> {
  const { user_id: userId, id, created_at: at, payment_id: outsideId } = row
  const timeRange = [new Date(at.getTime() - 15 * minuteMs), new Date(at.getTime() + minuteMs)]
  const readAll = async (text: string, values: readonly unknown[]) => {
    const result = await db.query<{ fact: unknown }>(`select to_jsonb(f) as fact from (${text}) f`, [...values])
    return result.rows.map(({ fact }) => fact)
  }
  const [transaction] = await readAll(
    `select id, kind, status, created_at, recipient_id::text, source_amount::text, source_currency, target_amount::text,
         target_currency, fee_amount::text, fee_currency, payment_source, quote_id, posting_id
       from transaction where user_id = $1 and id = $2`,
    [userId, id],
  )
  return {
    transaction,
    decisions: await readAll(
      `select decided_at, kind, rule, passed, usd_minor::text from risk_decision
        where user_id = $1 and decided_at between $2 and $3 order by decided_at`,
      [userId, ...timeRange],
    ),
    confirmations: await readAll(
      `select action, session_id, confirmed_at, used_at from step_up_confirmation
        where user_id = $1 and used_at between $2 and $3 order by used_at`,
      [userId, ...timeRange],
    ),
    sessions: await readAll(
      `select id, created_at, last_used_at, user_agent, address_prefix as network, country, sign_in_method from session
        where user_id = $1 and created_at <= $2 and coalesce(revoked_at, 'infinity') >= $2 order by created_at`,
      [userId, at],
    ),
    warnings: await readShownWarnings(db, row),
    outside: outsideId === null ? [] : await externalFacts(readAll, outsideId),
    ledger: await readAll(
      `select p.id as posting_id, p.kind, a.kind as account, a.currency, e.amount::text, e.balance::text, e.version, e.created_at
         from ledger.account a join ledger.entry e on e.account_id = a.id join ledger.posting p on p.id = e.posting_id
        where p.reference = $1 and a.name in (
          select prefix || w.id || ':' || $3 from wallet w, unnest(array['wallet:', 'hold:']) as prefix where w.user_id = $2)
        order by e.created_at, p.id, e.leg`,
      [id, userId, row.kind === 'DEPOSIT' ? row.target_currency : row.source_currency],
    ),
  }
}

/** Returns the provider's references, then its money movements. */
const externalFacts = async (readAll: (text: string, values: readonly unknown[]) => Promise<unknown[]>, id: string) => [
  ...(await readAll(
    `select id, 'payment' as what, status, method, provider, session_id as reference, capture_id, reason from payment where id = $1
     union all
     select id, 'payout', status, 'bank', provider, provider_payout_id, null, reason from payout where id = $1`,
    [id],
  )),
  ...(await readAll(
    `select id, 'movement' as what, kind, amount_minor::text, currency, provider, occurred_at from settlement_line
      where reference = $1 order by occurred_at`,
    [id],
  )),
]

/**
 * Returns the SHA-256 hash of a dispute's id, kind, statement and frozen facts. `factsText` is the facts as PostgreSQL
 * prints them, so that the hash can be recomputed outside the product.
 */
export const hashEvidence = (dispute: { id: string; kind: string; statement: string; factsText: string }): Buffer =>
  createHash('sha256').update([dispute.id, dispute.kind, dispute.statement, dispute.factsText].join('\n')).digest()
