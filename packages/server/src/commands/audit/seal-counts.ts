import fs from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { readKeyRing } from '../../platform/runtime/secret.ts'
import { type KeyRing, deriveKeyId } from '../../platform/seal.ts'
import { sealedColumns } from '../reseal/sealed-columns.ts'

export interface SealKeyUsage {
  /** Id of the secret in hexadecimal; null for values sealed by versions without ids, and for unsigned rows. */
  readonly keyId: string | null
  readonly values: bigint
}

/** Counts sealed values by the id of their secret, without decrypting any. */
export async function countSealed(client: pg.ClientBase): Promise<SealKeyUsage[]> {
  const columnQueries = sealedColumns.map(
    ({ table, column }) => `select ${column} as sealed from ${table} where ${column} is not null`,
  )
  const { rows } = await client.query<SealKeyUsage>(
    `select case when get_byte(sealed, 0) = 2 then encode(substring(sealed from 2 for 4), 'hex') end as "keyId",
            count(*) as values
       from (${columnQueries.join(' union all ')}) as value group by 1 order by 2 desc, 1`,
  )
  return rows
}

/** Counts sealed rows by the id of the secret that signed their seals; null for rows left unsigned by an upgrade. */
export async function countRowSeals(client: pg.ClientBase): Promise<SealKeyUsage[]> {
  const { rows } = await client.query<SealKeyUsage>(
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

export async function readAcceptedRows(client: pg.ClientBase): Promise<AcceptedRow[]> {
  const { rows } = await client.query<AcceptedRow>(
    `select relation || ' ' || row_key as row, accepted_by as by, because from row_acceptance order by accepted_at desc`,
  )
  return rows
}

/** Returns the secrets in the environment or its data folder; undefined if neither has one. */
export function readRing(environment: Readonly<Record<string, string | undefined>>): KeyRing | undefined {
  const file = path.join(environment.DATA_DIR || '.data', 'secrets.json')
  const isStoredLocally = !environment.TERN_SECRET && environment.TERN_MODE !== 'production' && fs.existsSync(file)
  const sealEnvironment = isStoredLocally
    ? (JSON.parse(fs.readFileSync(file, 'utf8')) as typeof environment)
    : environment
  if (!sealEnvironment.TERN_SECRET) return undefined
  return readKeyRing(sealEnvironment, false, (sentence) => {
    throw new Error(sentence)
  })
}

/** Returns the id of the current secret, as in stored values, in hexadecimal. */
export const deriveSecretId = ([current]: KeyRing): string => deriveKeyId(current).toString('hex')

/** Formats how many values are sealed under the current secret and under others. */
export function sealedLines(keyUsages: readonly SealKeyUsage[], currentKey: string | undefined): string[] {
  const describeKey = ({ keyId }: SealKeyUsage) => {
    if (keyId === null) return 'a secret without id, as earlier versions sealed'
    if (currentKey === undefined) return `secret ${keyId}`
    return keyId === currentKey ? `the secret in use (${keyId})` : `an old secret (${keyId})`
  }
  const lines = keyUsages.map((keyUsage) => `${keyUsage.values} sealed values under ${describeKey(keyUsage)}`)
  const old = keyUsages.filter(({ keyId }) => keyId !== currentKey).reduce((sum, { values }) => sum + values, 0n)
  if (currentKey === undefined) return lines
  return [...lines, old === 0n ? 'No row is under an old secret.' : `${old} to seal again: npx tern reseal`]
}

export const acceptedLines = (accepted: readonly AcceptedRow[]): string[] =>
  accepted.map(({ row, by, because }) => `${row} was changed outside this program; accepted by ${by}: ${because}`)

/** Formats how many rows each secret has signed, and whether this audit could check the signatures. */
export function rowSealLines(seals: readonly SealKeyUsage[], currentKey: string | undefined): string[] {
  const lines = seals.map(({ keyId, values }) => {
    if (keyId === null) return `${values} rows sealed without a secret during an upgrade: npx tern reseal signs them`
    return `${values} rows sealed under ${keyId === currentKey ? 'the secret in use' : 'secret'} (${keyId})`
  })
  return currentKey === undefined ? [...lines, 'Signatures of seals were not checked: no secret is set here.'] : lines
}
