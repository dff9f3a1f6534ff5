// Rights of the database's roles: app and worker may not own the schema, nor do more than the features list.

import { fault, ok, type SetupFinding, warning } from '@tern/providers/setup'
import { onlyRow } from '../../platform/database/db.ts'
import { ConfigError } from '../../platform/runtime/settings.ts'
import { assertNoOtherRights } from '../migrate/grants.ts'
import type { Check, DoctorContext } from './check.ts'

interface RoleFacts {
  readonly name: string
  readonly owner: string | null
  readonly owns: boolean
  readonly ownerIsSuperuser: boolean
  /** Attributes that no role of app and worker needs. */
  readonly attributes: readonly string[]
}

const factsSql = `
  select r.rolname as name, o.rolname as owner, coalesce(pg_has_role(r.oid, o.oid, 'member'), false) as owns,
      coalesce(o.rolsuper, false) as "ownerIsSuperuser",
      array_remove(array[case when r.rolsuper then 'superuser' end, case when r.rolcreaterole then 'createrole' end,
        case when r.rolcreatedb then 'createdb' end, case when r.rolreplication then 'replication' end,
        case when r.rolbypassrls then 'bypassrls' end], null) as attributes
    from pg_roles r
         left join pg_class c on c.oid = to_regclass('public.schema_migration')
         left join pg_roles o on o.oid = c.relowner
   where r.rolname = current_user`

const twoRoles = 'Create a second role, and migrate with MIGRATION_DATABASE_URL and APPLICATION_ROLE.'

export async function checkApplicationRole({
  db,
  config,
}: Pick<DoctorContext, 'db' | 'config'>): Promise<readonly SetupFinding[]> {
  const { rows } = await db.query<RoleFacts>(factsSql)
  const { name, owner, owns, attributes } = onlyRow(rows)
  const blame = config.mode === 'production' ? fault : warning
  if (attributes.includes('superuser')) return [blame(`${name} is a superuser.`, twoRoles)]
  if (owner !== null && owns) return [blame(`${name} owns the schema, or may become its owner ${owner}.`, twoRoles)]
  if (attributes.length > 0) {
    const todo = `Run \`alter role ${name} no${attributes.join(' no')}\`.`
    return [fault(`${name} has ${attributes.join(', ')}.`, todo)]
  }
  const client = await db.connect()
  try {
    await assertNoOtherRights(client, name)
    return [
      ok(`${name} owns nothing and has only the rights of the application; ${owner ?? 'no role'} owns the schema.`),
    ]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [fault(error.message, 'Take that right away, then run `npx tern migrate` with APPLICATION_ROLE.')]
  } finally {
    client.release()
  }
}

async function checkOwnerRole({ db, ownerDb }: DoctorContext): Promise<readonly SetupFinding[]> {
  const { rows } = await db.query<RoleFacts>(factsSql)
  const { name, owner, ownerIsSuperuser } = onlyRow(rows)
  const findings: SetupFinding[] = []
  if (ownerIsSuperuser) {
    const todo = 'Give the schema to an ordinary role: a superuser is not needed to migrate.'
    findings.push(warning(`The owner of the schema, ${owner}, is a superuser.`, todo))
  }
  if (ownerDb) {
    const { rows: own } = await ownerDb.query<{ user: string }>('select current_user as user')
    const { user } = onlyRow(own)
    if (owner !== null && user !== owner) {
      const found = `MIGRATION_DATABASE_URL logs in as ${user}, but ${owner} owns the schema.`
      findings.push(fault(found, 'Set MIGRATION_DATABASE_URL to the role that owns the schema.'))
    }
  }
  return findings.length > 0 ? findings : [ok(`${owner ?? 'No role'} owns the schema; app and worker use ${name}.`)]
}

export const roleChecks: readonly Check[] = [
  {
    name: 'database.application_role',
    tried: 'Compares the rights of the role in DATABASE_URL with those the application needs.',
    run: checkApplicationRole,
  },
  { name: 'database.owner_role', tried: 'Looks at the role that owns the schema.', run: checkOwnerRole },
]
