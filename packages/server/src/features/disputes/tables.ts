import { disputeFilePurpose } from './answers.ts'
import { type Tables, amountSql, appendOnly, readOnly } from '../../platform/database/tables.ts'

export const tables: Tables = {
  dispute_policy: {
    rights: readOnly,
    personal: 'none',
  },
  dispute_credit_policy: {
    rights: readOnly,
    personal: 'none',
  },
  dispute: {
    rights: appendOnly,
    fixed: `id, user_id, transaction_id, kind, claimed_minor, currency, facts, hash, policy_country, policy_version,
      opened_at, claimed_fee_minor, is_new_account`,
    personal: {
      category: 'money',
      columns: `id, transaction_id, kind, state, outcome, statement, ${amountSql('claimed_minor', 'currency', 'claimed')},
      ${amountSql('claimed_fee_minor', 'currency', 'claimed_fee')}, currency, facts, opened_at, decide_by, credit_by, escalated_at, need, need_by, decided_at`,
      since: 'opened_at',
    },
    erasure: ["update dispute set statement = '' where user_id = $1"],
    facts: {
      rows: 'disputes',
      keys: 'id',
      columns: `user_id, transaction_id, kind, state, claimed_minor, claimed_fee_minor, currency, opened_at, decide_by, credit_by, need, need_by, outcome,
    decided_at, suspected_at`,
    },
  },
  dispute_event: {
    rights: appendOnly,
    fixed: 'id, dispute_id, code, at',
    personal: {
      category: 'money',
      columns: 'e.dispute_id, e.code, e.text, e.at',
      rows: 'from dispute_event e join dispute d on d.id = e.dispute_id where d.user_id = $1',
      since: 'e.at',
    },
    erasure: [
      // Decisions and postings are accounting records and stay; explanations and files are erased.
      `update dispute_event set text = null where text is not null
      and dispute_id in (select id from dispute where user_id = $1)`,
    ],
  },
  dispute_file: {
    rights: 'select, insert, delete',
    fixed: 'id, dispute_id, content_type, size_bytes, sha256, created_at',
    personal: {
      category: 'money',
      columns: 'f.id, f.dispute_id, f.content_type, f.size_bytes, f.created_at',
      rows: 'from dispute_file f join dispute d on d.id = f.dispute_id where d.user_id = $1',
      since: 'f.created_at',
    },
    // Kept for five years, in case a court requests them.
    retention: {
      days: 1827,
      clock: 'product',
      isOld: `created_at < $1 and exists (select from dispute where dispute.id = dispute_id and decided_at is not null)`,
    },
    erasure: ['update dispute_file set content = null where dispute_id in (select id from dispute where user_id = $1)'],
    sealed: [{ column: 'content', key: 'id', keyType: 'uuid', purpose: disputeFilePurpose, context: 'id::text' }],
  },
  dispute_posting: {
    rights: appendOnly,
    personal: {
      category: 'money',
      columns: `p.dispute_id, p.kind, p.transaction_id, ${amountSql('p.amount_minor', 'p.currency', 'amount')},
      ${amountSql('p.fee_minor', 'p.currency', 'fee')}, p.currency, p.at`,
      rows: 'from dispute_posting p join dispute d on d.id = p.dispute_id where d.user_id = $1',
      since: 'p.at',
    },
    facts: {
      rows: 'movements of disputes',
      keys: 'posting_id,dispute_id',
      columns: 'kind, transaction_id, amount_minor, fee_minor, currency, at',
    },
  },
  dispute_objection: {
    rights: appendOnly,
    fixed: 'id, dispute_id, made_at',
    personal: {
      category: 'money',
      columns: 'o.dispute_id, o.text, o.state, o.made_at, o.decide_by, o.decided_at',
      rows: 'from dispute_objection o join dispute d on d.id = o.dispute_id where d.user_id = $1',
      since: 'o.made_at',
    },
    erasure: [`update dispute_objection set text = '' where dispute_id in (select id from dispute where user_id = $1)`],
    facts: { rows: 'objections in disputes', keys: 'id', columns: 'dispute_id, state, made_at, decide_by, decided_at' },
  },
  dispute_review: {
    rights: appendOnly,
    fixed: 'id, dispute_id, cause, opened_at',
    personal: 'none',
  },
}

/** Security definer functions; true if the application role may call them directly. */
export const definerFunctions: Readonly<Record<string, boolean>> = {
  'public.dispute_given': true,
  'public.lock_disputed_transaction': false,
  'public.require_given_once': false,
}
