import fs from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { readKeyRing } from '../../platform/runtime/secret.ts'
import { type KeyRing, keyIdOf } from '../../platform/seal.ts'
import { sealedColumns } from '../reseal/sealed-columns.ts'

/** How many stored values one secret seals. */
export interface SealedUnder {
  /** The secret's id in hexadecimal digits; null for values of before ids were stored. */
  readonly keyId: string | null
  readonly values: bigint
}

/** Counts sealed values by the id of their secret, without opening any. */
export async function countSealed(client: pg.ClientBase): Promise<SealedUnder[]> {
  const each = sealedColumns.map(
    ({ table, column }) => `select ${column} as sealed from ${table} where ${column} is not null`,
  )
  const { rows } = await client.query<SealedUnder>(
    `select case when get_byte(sealed, 0) = 2 then encode(substring(sealed from 2 for 4), 'hex') end as "keyId",
            count(*) as values
       from (${each.join(' union all ')}) as value group by 1 order by 2 desc, 1`,
  )
  return rows
}

/** Counts sealed rows by the id of the secret that signed their seals; null for those that an upgrade left unsigned. */
export async function countRowSeals(client: pg.ClientBase): Promise<SealedUnder[]> {
  const { rows } = await client.query<SealedUnder>(
    'select key_id as "keyId", count(*) as values from row_seal group by 1 order by 2 desc, 1',
  )
  return rows
}

/** A row changed outside this program and accepted by an operator. */
export interface AcceptedRow {
  readonly row: string
  readonly by: string
  readonly because: string
}

/** Accepted rows, newest first. */
export async function readAcceptedRows(client: pg.ClientBase): Promise<AcceptedRow[]> {
  const { rows } = await client.query<AcceptedRow>(
    `select relation || ' ' || row_key as row, accepted_by as by, because from row_acceptance order by accepted_at desc`,
  )
  return rows
}

/** Secrets of the environment or its data folder; undefined where neither has a usable one. */
export function readRing(environment: Readonly<Record<string, string | undefined>>): KeyRing | undefined {
  const file = path.join(environment.DATA_DIR || '.data', 'secrets.json')
  const isNoted = !environment.TERN_SECRET && environment.TERN_MODE !== 'production' && fs.existsSync(file)
  const noted = isNoted ? (JSON.parse(fs.readFileSync(file, 'utf8')) as typeof environment) : environment
  if (!noted.TERN_SECRET) return undefined
  return readKeyRing(noted, false, (sentence) => {
    throw new Error(sentence)
  })
}

/** The id by which stored values name a secret, in hexadecimal digits. */
export const idOfSecret = ([current]: KeyRing): string => keyIdOf(current).toString('hex')

/** Lines for a terminal: what is under the secret in use, and what is not. */
export function sealedLines(sealed: readonly SealedUnder[], currentKey: string | undefined): string[] {
  const nameOf = ({ keyId }: SealedUnder) => {
    if (keyId === null) return 'a secret without id, as earlier versions sealed'
    if (currentKey === undefined) return `secret ${keyId}`
    return keyId === currentKey ? `the secret in use (${keyId})` : `an old secret (${keyId})`
  }
  const lines = sealed.map((each) => `${each.values} sealed values under ${nameOf(each)}`)
  const old = sealed.filter(({ keyId }) => keyId !== currentKey).reduce((sum, { values }) => sum + values, 0n)
  if (currentKey === undefined) return lines
  return [...lines, old === 0n ? 'No row is under an old secret.' : `${old} to seal again: npx tern reseal`]
}

/** Lines for a terminal: rows accepted as they were changed by hand. */
export const acceptedLines = (accepted: readonly AcceptedRow[]): string[] =>
  accepted.map(({ row, by, because }) => `${row} was changed outside this program; accepted by ${by}: ${because}`)

/** Lines for a terminal: by which secrets the seals of rows are signed, and whether this audit could check them. */
export function rowSealLines(seals: readonly SealedUnder[], currentKey: string | undefined): string[] {
  const lines = seals.map(({ keyId, values }) => {
    if (keyId === null) return `${values} rows sealed without a secret during an upgrade: npx tern reseal signs them`
    return `${values} rows sealed under ${keyId === currentKey ? 'the secret in use' : 'secret'} (${keyId})`
  })
  return currentKey === undefined ? [...lines, 'Signatures of seals were not checked: no secret is set here.'] : lines
}
