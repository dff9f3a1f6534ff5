import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'

type Columns = Readonly<Record<string, SQLInputValue>>

/** Database of the sandbox. Calls are synchronous, so nothing runs between the statements of a transaction. */
export interface Store {
  run(sql: string, ...values: SQLInputValue[]): void
  /** Returns all rows; the caller declares the type of the selected columns. */
  all<Row>(sql: string, ...values: SQLInputValue[]): Row[]
  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined
  insert(table: string, row: Columns): void
  /** Inserts a row; replaces a row with the same key. */
  replace(table: string, row: Columns): void
  update(table: string, id: string, changes: Columns): void
  /** Returns a stored JSON value by its name; undefined if not stored. */
  setting<Value>(name: string): Value | undefined
  saveSetting(name: string, value: unknown): void
  transact<Result>(execute: () => Result): Result
  close(): void
}

// Migrations, each run once and in order. Later versions only append to this list.
const steps = [
  `create table setting (name text primary key, value text not null) strict;

   create table rate (code text primary key, numerator text not null, denominator text not null) strict;

   create table identity_check (
     reference text primary key, id text not null unique, status text not null, reasons text not null,
     created_at text not null
   ) strict;

   create table checkout_session (
     id text primary key, idempotency_key text not null unique, request_hash text not null,
     amount_minor text not null, currency text not null, reference text not null, description text not null,
     return_url text not null, status text not null default 'open', capture_id text unique,
     created_at text not null, expires_at text not null, ended_at text
   ) strict;
   create index checkout_session_open on checkout_session (expires_at) where status = 'open';

   create table card_attempt (
     number integer primary key, session_id text not null references checkout_session, last_four text not null,
     outcome text not null, created_at text not null
   ) strict;

   create table webhook (
     number integer primary key, id text not null unique, body text not null, attempts integer not null default 0,
     due_at_ms integer not null, last_answer text, delivered integer not null default 0
   ) strict;
   create index webhook_waiting on webhook (due_at_ms) where delivered = 0;

   create table mail (
     number integer primary key, id text not null unique, recipient text not null, subject text not null,
     text text not null, html text not null, created_at text not null, idempotency_key text unique,
     request_hash text not null
   ) strict;
   create index mail_recipient on mail (recipient, number);`,

  `create table person (
     subject text primary key, email text not null, name text not null, is_confirmed integer not null
   ) strict;

   create table oidc_record (
     kind text not null, id text not null, uid text, grant_id text, payload text not null, expires_at integer,
     primary key (kind, id)
   ) strict;
   create index oidc_record_uid on oidc_record (uid) where uid is not null;
   create index oidc_record_grant on oidc_record (grant_id) where grant_id is not null;
   create index oidc_record_expires on oidc_record (expires_at);`,

  `create table book_line (
     number integer primary key, id text not null unique, kind text not null, amount_minor text not null,
     currency text not null, reference text not null, occurred_at text not null
   ) strict;
   create index book_line_occurred on book_line (occurred_at, number);`,

  `create table bank_link (
     id text primary key, idempotency_key text not null unique, request_hash text not null,
     reference text not null, user_reference text not null, holder_name text not null, email text not null,
     country text not null, return_url text not null, status text not null default 'open', account_token text,
     created_at text not null, expires_at text not null, ended_at text
   ) strict;
   create index bank_link_open on bank_link (expires_at) where status = 'open';

   create table bank_account (
     token text primary key, fingerprint text not null, bank text not null, holder_name text not null,
     last4 text not null, currency text not null, country text not null, created_at text not null, unlinked_at text
   ) strict;

   create table bank_debit (
     number integer primary key, id text not null unique, idempotency_key text not null unique,
     request_hash text not null, account_token text not null references bank_account, amount_minor text not null,
     currency text not null, reference text not null, description text not null, status text not null default 'open',
     capture_id text unique, return_id text unique, reason text, created_at text not null, due_at text
   ) strict;
   create index bank_debit_due on bank_debit (due_at) where due_at is not null;

   create table payout (
     number integer primary key, id text not null unique, idempotency_key text not null unique,
     request_hash text not null, account_token text not null references bank_account, amount_minor text not null,
     currency text not null, reference text not null, description text not null, status text not null default 'open',
     paid_id text unique, return_id text unique, reason text, created_at text not null, due_at text
   ) strict;
   create index payout_due on payout (due_at) where due_at is not null;`,

  `create table kept_card (
     token text primary key, fingerprint text not null, last_four text not null, exp_month integer not null,
     exp_year integer not null, created_at text not null, forgotten_at text
   ) strict;

   alter table checkout_session add column save_card integer not null default 0;
   alter table checkout_session add column is_charge integer not null default 0;
   alter table checkout_session add column reason text;
   alter table checkout_session add column last_four text;
   alter table checkout_session add column exp_month integer;
   alter table checkout_session add column exp_year integer;
   alter table checkout_session add column keeps_card integer not null default 0;
   alter table checkout_session add column is_challenged integer not null default 0;
   alter table checkout_session add column card_token text references kept_card;
   alter table checkout_session add column due_at text;
   alter table checkout_session add column due_action text;
   alter table checkout_session add column refund_id text;
   alter table checkout_session add column dispute_id text;
   alter table checkout_session add column won_id text;
   create index checkout_session_due on checkout_session (due_at) where due_at is not null;

   alter table webhook add column dropped integer not null default 0;
   drop index webhook_waiting;
   create index webhook_waiting on webhook (due_at_ms) where delivered = 0 and dropped = 0;`,

  `alter table checkout_session add column captures_later integer not null default 0;`,

  `create table rate_level (
     number integer primary key, code text not null, numerator text not null, denominator text not null,
     from_at text not null
   ) strict;
   insert into rate_level (code, numerator, denominator, from_at) select code, numerator, denominator, '' from rate;
   drop table rate;

   create table market_course (
     number integer primary key, mode text not null, seed integer not null, volatility_percent integer not null,
     from_at text not null
   ) strict;

   create table liquidity_order (
     number integer primary key, id text not null unique, order_id text not null unique, request_hash text not null,
     sell_currency text not null, sell_minor text not null, buy_currency text not null,
     slippage_parts_per_million integer not null, is_refused integer not null, status text not null default 'working',
     bought_minor text, reason text, created_at text not null, due_at text, ended_at text
   ) strict;
   create index liquidity_order_due on liquidity_order (due_at) where due_at is not null;`,

  `alter table identity_check add column course text not null default '{"verdict":"verified"}';
   alter table identity_check add column return_url text not null default '';
   alter table identity_check add column files integer not null default 0;
   alter table identity_check add column due_at_ms integer;
   alter table identity_check add column page_key text;
   create index identity_check_due on identity_check (due_at_ms) where due_at_ms is not null;
   create unique index identity_check_page on identity_check (page_key) where page_key is not null;`,

  `alter table book_line add column undoes text;
   alter table checkout_session add column part_refund_id text;
   alter table checkout_session add column refund_failed_id text;
   alter table checkout_session add column lost_at text;
   alter table checkout_session add column fee_id text;`,

  `create table own_line (
     number integer primary key, id text not null unique, kind text not null, balance text not null,
     amount_minor text not null, currency text not null, occurred_at text not null
   ) strict;
   create index own_line_occurred on own_line (occurred_at, number);`,

  `create table safeguarding_entry (
     number integer primary key, id text not null unique, bank text not null, currency text not null,
     amount_minor text not null, reference text, booked_on text not null, value_on text not null,
     hidden integer not null
   ) strict;
   create index safeguarding_entry_booked on safeguarding_entry (bank, currency, booked_on);
   create index safeguarding_entry_reference on safeguarding_entry (reference) where reference is not null;`,
]

function migrate(database: DatabaseSync): void {
  const row = database.prepare('pragma user_version').get()
  const appliedCount = Number(row?.['user_version'] ?? 0)
  steps.slice(appliedCount).forEach((step, index) => {
    database.exec(`begin immediate; ${step}; pragma user_version = ${appliedCount + index + 1}; commit`)
  })
}

/** Opens the database in `file`; creates and migrates it if necessary. */
export function openStore(file: string): Store {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const database = new DatabaseSync(file)
  database.exec(
    'pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma busy_timeout = 5000',
  )
  migrate(database)

  const statements = new Map<string, StatementSync>()
  const prepare = (sql: string): StatementSync => {
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }

  const write = (verb: 'insert' | 'replace', table: string, row: Columns): void => {
    const names = Object.keys(row)
    const sql = `${verb} into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`
    prepare(sql).run(...Object.values(row))
  }

  return {
    run: (sql, ...values) => void prepare(sql).run(...values),
    all: <Row>(sql: string, ...values: SQLInputValue[]) => prepare(sql).all(...values) as Row[],
    get: <Row>(sql: string, ...values: SQLInputValue[]) => prepare(sql).get(...values) as Row | undefined,
    insert: (table, row) => write('insert', table, row),
    replace: (table, row) => write('replace', table, row),
    update(table, id, changes) {
      const columns = Object.keys(changes).map((name) => `${name} = ?`)
      prepare(`update ${table} set ${columns.join(', ')} where id = ?`).run(...Object.values(changes), id)
    },
    setting<Value>(name: string) {
      const row = prepare('select value from setting where name = ?').get(name)
      return row && (JSON.parse(String(row['value'])) as Value)
    },
    saveSetting: (name, value) => write('replace', 'setting', { name, value: JSON.stringify(value) }),
    transact(execute) {
      database.exec('begin immediate')
      try {
        const result = execute()
        database.exec('commit')
        return result
      } catch (error) {
        database.exec('rollback')
        throw error
      }
    },
    close: () => database.close(),
  }
}
