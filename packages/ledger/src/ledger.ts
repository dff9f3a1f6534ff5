import assert from 'node:assert'
import type pg from 'pg'
import { accountKinds, type Account } from './chart.ts'
import { batchExpression, assertMovement, encodeBatch, type Movement, type Outcome, toOutcome } from './movement.ts'

/** Pool, connection or transaction. */
export type Db = Pick<pg.ClientBase, 'query'>

export type LedgerProblem =
  /** Malformed batch, due to a bug in the caller. */
  | 'malformed_movement'
  | 'history_is_kept'
  /** Attempt to bypass the posting function. */
  | 'only_the_posting_function_writes'
  /** Movement into an account of a deleted user. */
  | 'account_closed'
  /** Another transaction changed the same rows first; the movement may be resent. */
  | 'conflict'
  /** The database was not reached in time. The outcome may be unknown; the movement may be resent. */
  | 'unavailable'

/** Failure of the ledger; refusals are outcomes instead. */
export class LedgerError extends Error {
  readonly problem: LedgerProblem
  constructor(problem: LedgerProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'LedgerError'
    this.problem = problem
  }
}

const problems: Readonly<Record<string, LedgerProblem>> = {
  TL001: 'malformed_movement',
  TL002: 'history_is_kept',
  TL003: 'only_the_posting_function_writes',
  '40001': 'conflict',
  '40P01': 'conflict',
  '23505': 'conflict',
}

/** Returns the SQLSTATE of a database error, otherwise undefined. */
export function readSqlState(error: unknown): string | undefined {
  const code = error instanceof Error && 'severity' in error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

const isOfClosedAccount = (error: unknown): boolean =>
  error instanceof Error && 'constraint' in error && error.constraint === 'account_closed_is_empty'

/** Converts a database error to a LedgerError; other errors pass unchanged. */
export function toLedgerError(error: unknown): unknown {
  const problem = isOfClosedAccount(error) ? 'account_closed' : problems[readSqlState(error) ?? '']
  return problem === undefined ? error : new LedgerError(problem, (error as Error).message, { cause: error })
}

/** Opens missing accounts and returns all ids in the requested order. May run concurrently. */
export async function openAccounts(tx: Db, accounts: readonly Account[]): Promise<bigint[]> {
  await tx.query(
    `insert into ledger.account (name, kind, currency, floor)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::numeric[]) as given(name, kind, currency, floor)
      where not exists (select from ledger.account where account.name = given.name)
      order by name on conflict (name) do nothing`,
    [
      accounts.map((account) => account.name),
      accounts.map((account) => account.kind),
      accounts.map((account) => account.currency),
      accounts.map((account) => accountKinds[account.kind].floor?.toString() ?? null),
    ],
  )
  const { rows } = await tx.query<{ id: bigint | string; name: string; kind: string; currency: string }>(
    'select id, name, kind, currency from ledger.account where name = any($1)',
    [accounts.map((account) => account.name)],
  )
  const found = new Map(rows.map((row) => [row.name, row]))
  return accounts.map(({ name, kind, currency }) => {
    const row = found.get(name)
    assert(row?.kind === kind && row.currency === currency, `account ${name} is not a ${kind} account in ${currency}`)
    return BigInt(row.id)
  })
}

/** Returns the ids of open and closed accounts by name, omitting accounts never opened. */
export async function findAccountIds(db: Db, names: readonly string[]): Promise<Map<string, bigint>> {
  const { rows } = await db.query<{ id: bigint | string; name: string }>({
    name: 'account_ids',
    text: 'select id, name from ledger.account where name = any($1)',
    values: [names],
  })
  return new Map(rows.map(({ id, name }) => [name, BigInt(id)]))
}

export interface Balance {
  readonly id: bigint
  readonly currency: string
  /** In minor units of `currency`. */
  readonly balance: bigint
  /** Number of entries. */
  readonly version: bigint
}

/** Returns balances by account name, omitting accounts never opened. */
export async function loadBalances(db: Db, names: readonly string[]): Promise<Map<string, Balance>> {
  const { rows } = await db.query<{ id: string; name: string; currency: string; balance: string; version: string }>(
    'select id, name, currency, balance, version from ledger.account where name = any($1)',
    [names],
  )
  return new Map(
    rows.map((row) => [
      row.name,
      {
        id: BigInt(row.id),
        currency: row.currency,
        balance: BigInt(row.balance),
        version: BigInt(row.version),
      },
    ]),
  )
}

/**
 * Posts one movement in the caller's transaction; should come last, because its accounts stay locked. Before several
 * movements, call `lockAccounts`. Throws LedgerError `conflict` if the transaction should be retried.
 */
export async function postWithin(tx: Db, movement: Movement): Promise<Outcome> {
  assertMovement(movement)
  try {
    const { rows } = await tx.query<{ statuses: string[] }>({
      name: 'ledger_post',
      text: `select ledger.post(${batchExpression}) as statuses`,
      values: encodeBatch([movement]),
    })
    return toOutcome(rows[0]?.statuses[0] ?? 'missing')
  } catch (error) {
    throw toLedgerError(error)
  }
}

export type Decision =
  | { readonly status: 'posted' | 'key_reused' }
  | { readonly status: 'refused'; readonly code: string; readonly details: unknown }

/** Request refused before its movement was built. */
export interface RefusedMovement {
  /** Id its movement would have had. */
  readonly id: string
  readonly requestHash: Buffer
  readonly kind: string
  readonly at: Date
  readonly code: string
  /** JSON for repeating the answer. */
  readonly details: object
}

/**
 * Stores a refusal under the id, so that the id never posts. Returns the decision for the id, which another process may
 * have made first.
 */
export async function refuseMovement(db: Db, refused: RefusedMovement): Promise<Decision> {
  const { id, requestHash, kind, at, code, details } = refused
  const { rows } = await db.query<{ decision: string; decided_details: unknown }>(
    'select decision, decided_details from ledger.refuse($1, $2, $3, $4, $5, $6)',
    [id, requestHash, kind, at, code, JSON.stringify(details)],
  )
  const [row] = rows
  assert(row, 'ledger.refuse decides about every id')
  const { decision, decided_details: decided } = row
  if (decision === 'posted' || decision === 'key_reused') return { status: decision }
  return { status: 'refused', code: decision, details: decided }
}

/** Reserves a single-use token for `holder`. False if it is used, or reserved by another holder. */
export async function reserveToken(tx: Db, token: string, holder: string): Promise<boolean> {
  const { rows } = await tx.query<{ reserved: boolean }>('select ledger.reserve_token($1, $2) as reserved', [
    token,
    holder,
  ])
  return rows[0]?.reserved === true
}

/** Frees a token that `holder` reserved and did not use. */
export async function releaseToken(tx: Db, token: string, holder: string): Promise<void> {
  await tx.query('select ledger.release_token($1, $2)', [token, holder])
}

/**
 * Closes wallet and hold accounts in the caller's transaction, until `reopenAccounts`. If any is not empty, closes none
 * and returns its id.
 */
export async function closeAccounts(tx: Db, accounts: readonly bigint[]): Promise<bigint | undefined> {
  const { rows } = await tx.query<{ full: bigint | string | null }>(
    'select ledger.close_accounts($1::bigint[]) as full',
    [accounts.map(String)],
  )
  const full = rows[0]?.full ?? null
  return full === null ? undefined : BigInt(full)
}

/** Reopens closed accounts in the caller's transaction. */
export async function reopenAccounts(tx: Db, accounts: readonly bigint[]): Promise<void> {
  await tx.query('select ledger.reopen_accounts($1::bigint[])', [accounts.map(String)])
}

/**
 * Locks accounts in posting order and returns their balances in minor units. A transaction that moves money twice, or
 * reads a balance first, must lock all its accounts here.
 */
export async function lockAccounts(tx: Db, accounts: readonly bigint[]): Promise<Map<bigint, bigint>> {
  const { rows } = await tx.query<{ id: bigint | string; balance: bigint | string }>(
    'select id, balance from ledger.lock_accounts($1::bigint[])',
    [[...new Set(accounts)].map(String)],
  )
  return new Map(rows.map(({ id, balance }) => [BigInt(id), BigInt(balance)]))
}
