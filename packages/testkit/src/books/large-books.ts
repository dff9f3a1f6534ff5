// Large books made by SQL: each person pays in once, and pays another one in every round. Valid under every rule.

import type pg from 'pg'

/** Size of the books. A round is a send of 1.00 USD with a fee of a cent by each person: four entries. */
export interface LargeBooks {
  readonly people: number
  readonly rounds: number
}

export const countSends = ({ people, rounds }: LargeBooks): number => people * rounds

/** Runs statements with the rights of the tables' owner, without triggers: the posting function writes one batch at a time. */
async function runUnguarded(pool: pg.Pool, statements: readonly string[]): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(`set local session_replication_role = replica; set local work_mem = '256MB'`)
    for (const statement of statements) await client.query(statement)
    await client.query('commit')
  } finally {
    client.release()
  }
}

const depositMinor = 10_000_000
const idSql = (kind: string, number: string) => `md5('${kind}' || (${number})::text)::uuid`

/** Creates people with a wallet and a card deposit each. */
export async function createPayers(pool: pg.Pool, { people }: Pick<LargeBooks, 'people'>): Promise<void> {
  const at = `now() - interval '300 days' + n * interval '1 millisecond'`
  const each = `from generate_series(1, ${people}) as n`
  await runUnguarded(pool, [
    `insert into wallet (id, user_id, name, base_currency, created_at)
      select ${idSql('wallet', 'n')}, n, 'Wallet', 'USD', ${at} ${each}`,
    `insert into ledger.account (name, kind, currency, floor, balance, version)
      select 'wallet:' || ${idSql('wallet', 'n')} || ':USD', 'wallet', 'USD', 0, ${depositMinor}, 1 ${each}`,
    `insert into ledger.account (name, kind, currency, balance, version) values
      ('card:USD', 'card_settlement', 'USD', ${-depositMinor * people}, ${people}), ('fee:USD', 'fee', 'USD', 0, 0)
      on conflict (name) do update set balance = excluded.balance, version = excluded.version`,
    `create table payer as select n as user_id, ${idSql('wallet', 'n')} as wallet_id, a.id as account_id
      ${each} join ledger.account a on a.name = 'wallet:' || ${idSql('wallet', 'n')} || ':USD'`,
    'create unique index on payer (user_id)',
    'analyze payer',
    `insert into ledger.posting (id, request_hash, kind, reference, created_at)
      select ${idSql('deposit', 'n')}, '', 'deposit', ${idSql('paid', 'n')}, ${at} ${each}`,
    `insert into ledger.entry (account_id, version, posting_id, leg, amount, balance, created_at)
      select account_id, 1, ${idSql('deposit', 'n')}, 0, ${depositMinor}, ${depositMinor}, ${at}
        ${each} join payer on user_id = n
      union all
      select (select id from ledger.account where name = 'card:USD'), n, ${idSql('deposit', 'n')}, 0, ${-depositMinor},
          n * ${-depositMinor}::bigint, ${at} ${each}`,
    `insert into payment (id, user_id, purpose, status, amount_minor, currency, provider, capture_id, idempotency_key,
        request_hash, transaction_id, created_at, updated_at, last_polled_at, method, is_listed)
      select ${idSql('payment', 'n')}, n, 'deposit', 'completed', ${depositMinor}, 'USD', 'sandbox', 'line ' || n,
          ${idSql('key', 'n')}, '', ${idSql('paid', 'n')}, ${at}, ${at}, ${at}, 'card', true ${each}`,
    `insert into settlement_line (provider, id, kind, amount_minor, currency, reference, posting_id, occurred_at)
      select 'sandbox', 'line ' || n, 'capture', ${depositMinor}, 'USD', ${idSql('payment', 'n')}, ${idSql('deposit', 'n')},
          ${at} ${each}`,
    `insert into transaction (user_id, id, posting_id, kind, status, created_at, recipient_id, wallet_id, to_wallet_id,
        description, source_amount, source_currency, target_amount, target_currency, fee_amount, fee_currency,
        payment_source, payment_id)
      select n, ${idSql('paid', 'n')}, ${idSql('deposit', 'n')}, 'DEPOSIT', 'COMPLETED', ${at}, n, wallet_id, wallet_id,
          'card_deposit', ${depositMinor}, 'USD', ${depositMinor}, 'USD', 0, 'USD', 'card', ${idSql('payment', 'n')}
        ${each} join payer on user_id = n`,
  ])
}

/** Adds rounds of sends after `before` rounds, spread evenly from a time in SQL up to now. */
export async function addRounds(
  pool: pg.Pool,
  { people, rounds, before, from }: LargeBooks & { readonly before: number; readonly from: string },
): Promise<void> {
  const count = people * rounds
  for (let round = 0; round < rounds; round += 1) {
    const first = (before + round) * people
    await runUnguarded(pool, [
      `create temp table sent on commit drop as
        select number, ${idSql('posting', 'number')} as posting_id, ${idSql('send', 'number')} as id, giver.user_id as giver_id,
            giver.wallet_id as giver_wallet, giver.account_id as giver_account, taker.user_id as taker_id,
            taker.wallet_id as taker_wallet, taker.account_id as taker_account,
            ${from} + (now() - ${from}) * ((${round} * ${people} + n)::float8 / ${count + 1}) as at
          from (select n, ${first}::bigint + n as number from generate_series(1, ${people}) as n) numbered
          join payer giver on giver.user_id = n
          join payer taker on taker.user_id = (n + ${(before + round) % (people - 1)}) % ${people} + 1`,
      `insert into ledger.posting (id, request_hash, kind, reference, created_at)
        select posting_id, '', 'transfer', id, at from sent order by number`,
      ...listEntryStatements(before + round),
      `insert into transaction (user_id, id, posting_id, kind, status, created_at, sender_id, recipient_id, wallet_id,
          from_wallet_id, to_wallet_id, description, source_amount, source_currency, target_amount, target_currency,
          fee_amount, fee_currency, payment_source)
        select user_id, id, posting_id, kind, 'COMPLETED', at, giver_id, taker_id, wallet_id, giver_wallet, taker_wallet,
            'Rent', 100, 'USD', 100, 'USD', 1, 'USD', source
          from sent, lateral (values (giver_id, 'SEND', giver_wallet, 'wallet'), (taker_id, 'RECEIVE', taker_wallet, null))
            as party(user_id, kind, wallet_id, source)
         order by number`,
      `update ledger.account set balance = balance - 1, version = version + 3 where kind = 'wallet'`,
      `update ledger.account set balance = balance + ${people}, version = version + ${people} where name = 'fee:USD'`,
    ])
  }
}

/** A person's entries of a round are numbered as if they had paid first. */
function listEntryStatements(round: number): string[] {
  const balance = depositMinor - round
  const version = 1 + 3 * round
  const feeSql = `(select id from ledger.account where name = 'fee:USD')`
  return [
    `insert into ledger.entry (account_id, version, posting_id, leg, amount, balance, created_at)
      select e.account_id, e.version, posting_id, e.leg, e.amount, e.balance, at from sent, lateral (values
          (giver_account, ${version + 1}::bigint, 0, -100, ${balance - 100}::bigint),
          (taker_account, ${version + 3}, 0, 100, ${balance - 1}),
          (giver_account, ${version + 2}, 1, -1, ${balance - 101}),
          (${feeSql}, number, 1, 1, number)
        ) as e(account_id, version, leg, amount, balance) order by number`,
  ]
}

/**
 * Puts all postings into the log at once, with commitments that no one can open: the product logs 1,600 a second.
 */
export async function fillLog(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ size: number }>('select count(*)::int as size from ledger.posting')
  const size = rows[0]?.size ?? 0
  const levels = [size]
  for (let count = size; count >= 256;) {
    count = Math.floor(count / 256)
    levels.push(count)
  }
  await runUnguarded(pool, [
    `insert into transparency_leaf (leaf_index, posting_id, ledger_salt, data)
      select row_number() over (order by created_at, id) - 1, id, sha256(uuid_send(id)), '\\x01'::bytea || sha256('\\x00'::bytea || uuid_send(id))
        from ledger.posting`,
    ...levels.map((count, level) => {
      const hashesSql =
        level === 0
          ? `select leaf_index as place, sha256('\\x00'::bytea || data) as hash from transparency_leaf`
          : `select tile_index as place, transparency_row_root(hashes) as hash from transparency_tile where level = ${level - 1}`
      const full = Math.floor(count / 256)
      return `create temp table hash on commit drop as ${hashesSql};
        insert into transparency_tile (level, tile_index, hashes)
          select ${level}, place / 256, string_agg(hash, '' order by place) from hash where place < ${full * 256} group by 2;
        insert into transparency_edge (level, tile_index, hashes)
          select ${level}, ${full}, coalesce(string_agg(hash, '' order by place), '') from hash where place >= ${full * 256};
        drop table hash`
    }),
    `update transparency_position set size = ${size}, is_queued = true, position = pg_current_xact_id(),
        cluster = (select system_identifier from pg_control_system())`,
  ])
}
