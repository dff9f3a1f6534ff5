// Grants the application's role exactly the rights it needs.

import type pg from 'pg'
import { ConfigError } from '../../platform/runtime/settings.ts'
import { definerFunctions, tables } from '../../features/list.ts'
import { allPrivileges, type Table } from '../../platform/database/tables.ts'

const queueSchema = 'graphile_worker'

/** Returns a table's entry in `tables`, where tables of the schema `public` have no schema name. */
const findTable = (name: string): Table | undefined => tables[name.replace(/^public\./, '')]

/**
 * Grants `role` exactly the application's rights and revokes all others; run by the owner, idempotent. Throws
 * ConfigError if the role does not exist or would have more rights: as a superuser, as a member of the owner's role, by
 * CREATEROLE or BYPASSRLS, or through another role or PUBLIC.
 */
export async function grantRights(client: pg.Client, role: string): Promise<void> {
  await assertOrdinaryRole(client, role)
  const name = client.escapeIdentifier(role)
  await client.query('begin')
  for (const schema of ['public', 'ledger', queueSchema]) {
    await client.query(`revoke create on schema ${schema} from public`)
    await client.query(`revoke all on all tables in schema ${schema} from ${name}`)
    await client.query(`grant usage on schema ${schema} to ${name}`)
  }
  await grantTables(client, name)
  await grantFunctions(client, name)
  await grantQueue(client, name)
  await assertNoOtherRights(client, role)
  await client.query('commit')
}

async function assertOrdinaryRole(client: pg.Client, role: string): Promise<void> {
  const { rows } = await client.query<{ too_much: boolean }>(
    `select rolsuper or rolcreaterole or rolbypassrls or pg_has_role(oid, current_user, 'member') as too_much
       from pg_roles where rolname = $1`,
    [role],
  )
  const [roleRow] = rows
  if (!roleRow) {
    throw new ConfigError(`APPLICATION_ROLE names "${role}", which is no role of this database; create it first.`)
  }
  if (roleRow.too_much) {
    throw new ConfigError(
      `APPLICATION_ROLE names "${role}", which owns the schema or has the rights to give itself any; it must be an ordinary role.`,
    )
  }
}

async function grantTables(client: pg.Client, name: string): Promise<void> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select n.nspname || '.' || c.relname as name, array_agg(a.attname::text) as columns
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
            join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relkind in ('r', 'p') and n.nspname in ('public', 'ledger') group by 1`,
  )
  for (const table of rows) {
    const listedTable = findTable(table.name)
    if (listedTable === undefined) continue
    const { rights, fixed } = listedTable
    const columns = table.columns.filter((column) => !fixed?.split(/,\s+/).includes(column))
    const update = fixed ? `, update (${columns.map((column) => client.escapeIdentifier(column)).join(', ')})` : ''
    await client.query(`grant ${rights}${update} on ${table.name} to ${name}`)
  }
}

async function grantFunctions(client: pg.Client, name: string): Promise<void> {
  const { rows } = await client.query<{ name: string; signature: string }>(
    `select n.nspname || '.' || p.proname as name, p.oid::regprocedure::text as signature
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where p.prosecdef and n.nspname in ('public', 'ledger')`,
  )
  for (const { name: definer, signature } of rows) {
    await client.query(`revoke all on function ${signature} from public, ${name}`)
    if (definerFunctions[definer] === true) await client.query(`grant execute on function ${signature} to ${name}`)
  }
}

/** Grants the job queue's tables, and adds policies where row-level security admits only their owner. */
async function grantQueue(client: pg.Client, name: string): Promise<void> {
  await client.query(`grant ${allPrivileges} on all tables in schema ${queueSchema} to ${name}`)
  await client.query(`revoke insert, update, delete on ${queueSchema}.migrations from ${name}`)
  await client.query(`grant usage on all sequences in schema ${queueSchema} to ${name}`)
  const { rows } = await client.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
      where relnamespace = $1::regnamespace and relrowsecurity
        and not exists (select from pg_policy where polrelid = pg_class.oid)`,
    [queueSchema],
  )
  for (const table of rows) {
    await client.query(`create policy whoever_has_rights on ${table.name} using (true) with check (true)`)
  }
}

/** Throws ConfigError if the role may change a table in a way that its feature does not list. */
export async function assertNoOtherRights(client: pg.ClientBase, role: string): Promise<void> {
  const { rows } = await client.query<{ name: string; privilege: string }>(
    `select n.nspname || '.' || c.relname as name, privilege
       from pg_class c join pg_namespace n on n.oid = c.relnamespace,
            unnest('{insert,update,delete,truncate,references,trigger}'::text[]) as privilege
      where c.relkind in ('r', 'p') and n.nspname in ('public', 'ledger') and has_table_privilege($1, c.oid, privilege)`,
    [role],
  )
  for (const { name, privilege } of rows) {
    const rights = findTable(name)?.rights ?? ''
    if (rights.split(', ').includes(privilege)) continue
    throw new ConfigError(
      `The role "${role}" may ${privilege} on ${name} by another role or by PUBLIC; take that right away first.`,
    )
  }
}

/** Returns the first table that the role should be able to read and cannot, if any. */
export async function findMissingRight(client: pg.ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname || '.' || c.relname = any($1::text[]) and not has_table_privilege(c.oid, 'select')
      order by 1 limit 1`,
    [Object.keys(tables).map((name) => (name.includes('.') ? name : `public.${name}`))],
  )
  return rows[0]?.name
}
