import {
  type Tables,
  amountSql,
  appendOnly,
  allPrivileges,
  undeletable,
  readOnly,
} from '../../platform/database/tables.ts'

export const tables: Tables = {
  wallet: {
    rights: appendOnly,
    fixed: 'id, user_id, created_at',
    personal: { category: 'money', columns: 'id, name, base_currency, created_at', since: 'created_at' },
  },
  transaction: {
    rights: readOnly,
    personal: {
      category: 'money',
      columns: `t.id, t.kind, t.status, t.created_at, t.description,
      ${amountSql('t.source_amount', 't.source_currency', 'source_amount')}, t.source_currency,
      ${amountSql('t.target_amount', 't.target_currency', 'target_amount')}, t.target_currency,
      ${amountSql('t.fee_amount', 't.fee_currency', 'fee')}, t.fee_currency,
      (t.rate_numerator / nullif(t.rate_denominator, 0))::text as rate,
      t.payment_source, t.passed_by_room, t.sender_id, t.recipient_id, other.username as other_username`,
      rows: `from transaction t left join app_user other
        on other.id = case t.kind when 'RECEIVE' then t.sender_id when 'SEND' then t.recipient_id end
      where t.user_id = $1`,
      since: 't.created_at',
    },
  },
  transaction_index_position: {
    rights: allPrivileges,
    personal: 'none',
  },
  transaction_index_person: {
    rights: allPrivileges,
    personal: { category: 'money', unread: 'derived' },
  },
  transaction_facet: {
    rights: allPrivileges,
    personal: { category: 'money', unread: 'derived' },
  },
  transaction_search: {
    rights: allPrivileges,
    personal: { category: 'money', unread: 'derived' },
  },
  transaction_word: {
    rights: allPrivileges,
    personal: { category: 'money', unread: 'derived' },
  },
  transaction_renamed: {
    rights: allPrivileges,
    personal: { category: 'money', unread: 'derived' },
  },
  balance_day: {
    rights: allPrivileges,
    personal: { category: 'money', unread: 'derived' },
  },
  told_position: {
    rights: undeletable,
    personal: 'none',
  },
  maturity_policy: {
    rights: readOnly,
    personal: 'none',
  },
  restricted_money: {
    rights: readOnly,
    personal: {
      category: 'money',
      columns: `reason, ${amountSql('minor', 'currency', 'amount')}, currency, origin,
      nullif(matures_at, 'infinity') as matures_at, created_at`,
      since: 'created_at',
    },
    // The function never deletes a lot that is still restricted.
    retention: { days: 30, clock: 'product', statement: 'select from forget_matured_money($1, $2)' },
  },
}

/** `security definer` functions; true if the application may call them directly. */
export const definerFunctions: Readonly<Record<string, boolean>> = {
  'public.move_money': true,
  'public.create_pending_transactions': true,
  'public.fail_pending_transaction': true,
  'public.price_pending_transaction': true,
  'public.forget_matured_money': true,
  'public.restrict_card_money': true,
  'public.wait_for_movements': true,
}
