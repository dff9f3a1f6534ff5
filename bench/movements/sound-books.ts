import type pg from 'pg'
import { audit } from '../../packages/server/src/commands/audit/audit.ts'

/** Records deposits without a payment as captures of a fictional provider, and adds missing wallets. */
export async function noteFunding(pool: pg.Pool): Promise<void> {
  await pool.query(`insert into wallet (id, user_id, name, base_currency, created_at)
    select wallet_id, user_id, 'Bench', min(target_currency), min(created_at) from transaction where kind = 'DEPOSIT' group by 1, 2
    on conflict do nothing`)
  await pool.query(`insert into settlement_line (provider, id, kind, amount_minor, currency, reference, posting_id, occurred_at)
    select 'bench', posting_id::text, 'capture', source_amount, source_currency, payment_id, posting_id, created_at
      from transaction where kind = 'DEPOSIT' and payment_id not in (select id from payment)`)
  await pool.query(`insert into payment (id, user_id, purpose, method, status, amount_minor, currency, provider, capture_id,
      idempotency_key, request_hash, transaction_id, created_at, updated_at, last_polled_at)
    select payment_id, user_id, 'deposit', 'card', 'completed', source_amount, source_currency, 'bench', posting_id::text,
        gen_random_uuid(), '', id, created_at, created_at, created_at
      from transaction where kind = 'DEPOSIT' and payment_id not in (select id from payment)`)
}

/** Throws unless every audit rule holds. */
export async function requireSoundBooks(pool: pg.Pool): Promise<void> {
  const { checks } = await audit(pool)
  const broken = checks.filter(({ ok }) => !ok)
  if (broken.length > 0) throw new Error(`the books do not add up: ${JSON.stringify(broken)}`)
}
