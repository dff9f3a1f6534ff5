import { type Tables, amountSql, appendOnly, requestColumns } from '../../platform/database/tables.ts'

export const tables: Tables = {
  payment_request: {
    rights: appendOnly,
    fixed: `id, requester_id, payer_id, amount_minor, currency, description, name, allows_parts, expires_at,
      ${requestColumns}`,
    personal: {
      category: 'plans',
      columns: `id, requester_id, payer_id, ${amountSql('amount_minor', 'currency', 'amount')}, currency, description, name,
      allows_parts, status, ${amountSql('paid_minor', 'currency', 'paid')}, created_at, expires_at, closed_at, decline_reason`,
      rows: 'from payment_request where requester_id = $1 or payer_id = $1',
      since: 'created_at',
    },
    facts: {
      rows: 'payment requests',
      keys: 'id',
      columns: 'requester_id, payer_id, amount_minor, currency, allows_parts, created_at, expires_at',
    },
  },
  request_payment: {
    rights: appendOnly,
    fixed:
      'posting_id, request_id, transaction_id, payer_id, payment_id, amount_minor, paid_minor, paid_currency, created_at',
    personal: {
      category: 'plans',
      columns: `p.request_id, p.payer_id, ${amountSql('p.amount_minor', 'r.currency', 'amount')}, r.currency,
      ${amountSql('p.paid_minor', 'p.paid_currency', 'paid')}, p.paid_currency, p.status, p.created_at`,
      rows: `from request_payment p join payment_request r on r.id = p.request_id
      where r.requester_id = $1 or p.payer_id = $1`,
      since: 'p.created_at',
    },
  },
  split: {
    rights: appendOnly,
    personal: {
      category: 'plans',
      columns: `id, ${amountSql('total_minor', 'currency', 'total')}, currency, description, split_by, people,
      ${amountSql('own_minor', 'currency', 'own_part')}, created_at`,
      since: 'created_at',
    },
  },
  split_part: {
    rights: appendOnly,
    personal: {
      category: 'plans',
      columns: 'p.split_id, p.position, p.request_id, p.shares',
      rows: 'from split_part p join split s on s.id = p.split_id where s.user_id = $1',
    },
  },
  guest_payment: {
    rights: 'select, insert, delete',
    fixed: 'payment_id, request_id, amount_minor, email, usd_minor, created_at',
    personal: {
      category: 'plans',
      columns: `g.request_id, ${amountSql('g.amount_minor', 'r.currency', 'amount')}, r.currency, g.created_at`,
      rows: `from guest_payment g join payment_request r on r.id = g.request_id
      where r.requester_id = $1 or (g.email = (select lower(email) from app_user
        where id = $1 and email_proven_at is not null))`,
      since: 'g.created_at',
    },
    // Rows of failed payments are deleted because they hold the guest's email address.
    retention: {
      days: 90,
      clock: 'product',
      isOld: `created_at < $1
         and exists (select from payment where payment.id = guest_payment.payment_id and payment.status = 'failed')`,
    },
    facts: {
      rows: 'payments of guests',
      keys: 'payment_id',
      columns: 'request_id, amount_minor, usd_minor, refusal, created_at',
    },
  },
}
