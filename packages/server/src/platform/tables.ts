import { retainedKeyPurpose } from './keys/retained-keys.ts'
import { type Tables, amountSql, appendOnly, allPrivileges, undeletable, readOnly } from './database/tables.ts'

/** SQL for the accounts of a person's wallet, by name, so that the index is used. */
const ownAccounts = `from ledger.account where name = any(array(
  select prefix || wallet.id || ':' || currency.code
    from wallet, ledger.currency, unnest(array['wallet:', 'hold:']) as prefix where user_id = $1))`

export const tables: Tables = {
  rate_limit: {
    rights: allPrivileges,
    personal: { category: 'logins', unread: 'counted' },
  },
  database_cluster: {
    rights: readOnly,
    personal: 'none',
  },
  retained_hash_key: {
    rights: appendOnly,
    fixed: 'purpose, key_id, created_at',
    personal: 'none',
    sealed: [
      {
        column: 'key',
        key: "purpose || ' ' || key_id",
        keyType: 'text',
        purpose: retainedKeyPurpose,
        context: "purpose || ' ' || key_id",
        isLast: true,
      },
    ],
  },
  audit_run: {
    rights: 'select, insert, delete',
    personal: 'none',
    retention: { days: 400, clock: 'real', isOld: 'finished_at < $1' },
  },
  demo_seed: {
    rights: undeletable,
    personal: 'none',
  },
  row_seal: {
    rights: readOnly,
    personal: { category: 'money', unread: 'derived' },
  },
  row_acceptance: {
    rights: readOnly,
    personal: 'none',
  },
  'ledger.currency': {
    rights: readOnly,
    personal: 'none',
  },
  'ledger.account': {
    rights: 'select, insert (name, kind, currency, floor)',
    personal: {
      category: 'money',
      file: 'balance',
      columns: `name, currency, ${amountSql('balance', 'currency', 'balance')}, version as entries`,
      rows: ownAccounts,
    },
  },
  'ledger.posting': {
    rights: readOnly,
    personal: { category: 'money', unread: 'derived' },
  },
  'ledger.entry': {
    rights: readOnly,
    personal: {
      category: 'money',
      file: 'ledger_entry',
      columns: `own.name as account, own.currency, e.version as number, e.posting_id,
      ${amountSql('e.amount', 'own.currency', 'amount')}, ${amountSql('e.balance', 'own.currency', 'balance')}, e.created_at`,
      rows: `from (select id, name, currency ${ownAccounts}) own join ledger.entry e on e.account_id = own.id`,
      since: 'e.created_at',
    },
  },
  'ledger.token': {
    rights: readOnly,
    personal: 'none',
  },
  'ledger.permitted_move': {
    rights: readOnly,
    personal: 'none',
  },
  schema_migration: {
    rights: readOnly,
    personal: 'none',
  },
}

/** Definer functions; true if the application may call them directly. */
export const definerFunctions: Readonly<Record<string, boolean>> = {
  'public.seal_row': false,
  'public.sign_rows': true,
  'ledger.lock_accounts': true,
  'ledger.close_accounts': true,
  'ledger.reopen_accounts': true,
  'ledger.open_stripes': true,
  'ledger.refuse': true,
  'ledger.reserve_token': true,
  'ledger.release_token': true,
  'ledger.post': false,
}
