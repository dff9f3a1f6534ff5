// A migration marked compatible only adds: programs of the previous version keep reading and writing every table.

import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runOnce, withDatabase } from '@tern/testkit/database'
import { temporaryFolder } from '@tern/testkit/temporary-folder'
import { migrate } from './migrate.ts'
import { listMigrations, migrationsFolder } from './schema-files.ts'

const serverUrl = process.env.TEST_DATABASE_URL ?? ''
let url: string
let client: pg.Client
let folder: string
beforeEach(async () => {
  const name = `${process.env.TEST_DATABASE_TEMPLATE}_${randomBytes(4).toString('hex')}`
  await runOnce(serverUrl, `create database ${name}`)
  url = withDatabase(serverUrl, name)
  client = new pg.Client({ connectionString: url })
  await client.connect()
  folder = fs.mkdtempSync(path.join(temporaryFolder(), 'tern-compatible-'))
})
afterEach(async () => {
  await client.end()
  fs.rmSync(folder, { recursive: true })
  await runOnce(serverUrl, `drop database ${new URL(url).pathname.slice(1)} with (force)`)
})

interface Column {
  readonly relation: string
  readonly name: string
  readonly type: string
  readonly nullable: boolean
  /** An insert that does not name it fails. */
  readonly required: boolean
}

/** Rule for the rows of a table: a check, key, reference, unique index or trigger. */
interface Rule {
  readonly relation: string
  readonly name: string
  readonly kind: 'check' | 'unique' | 'reference' | 'trigger'
  readonly columns: readonly string[]
  readonly definition: string
}

interface Schema {
  readonly columns: readonly Column[]
  readonly rules: readonly Rule[]
  /** Functions with their results, and permitted moves. */
  readonly offers: readonly string[]
}

const ownSchemas = `(select oid from pg_namespace where nspname in ('public', 'ledger'))`

async function readSchema(): Promise<Schema> {
  const { rows: columns } = await client.query<Column>(
    `select c.oid::regclass::text as relation, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
            not a.attnotnull as nullable, a.attnotnull and not a.atthasdef and a.attidentity = '' as required
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace in ${ownSchemas} and c.relkind in ('r', 'p', 'v')`,
  )
  const namesOf = (relation: string, numbers: string) =>
    `array(select attname::text from pg_attribute where attrelid = ${relation} and attnum = any (${numbers}))`
  const { rows: rules } = await client.query<Rule>(
    `select conrelid::regclass::text as relation, conname as name, pg_get_constraintdef(oid) as definition,
            case contype when 'c' then 'check' else 'reference' end as kind, ${namesOf('conrelid', 'conkey')} as columns
       from pg_constraint where connamespace in ${ownSchemas} and contype in ('c', 'f')
     union all
     select i.indrelid::regclass::text, i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid), 'unique',
            ${namesOf('i.indrelid', 'i.indkey')}
       from pg_index i join pg_class c on c.oid = i.indrelid where c.relnamespace in ${ownSchemas} and i.indisunique
     union all
     select t.tgrelid::regclass::text, t.tgname, pg_get_triggerdef(t.oid), 'trigger', ${namesOf('t.tgrelid', 't.tgattr')}
       from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where c.relnamespace in ${ownSchemas} and not t.tgisinternal`,
  )
  const { rows: offers } = await client.query<{ text: string }>(
    `select oid::regprocedure || ' returns ' || coalesce(pg_get_function_result(oid), 'nothing') as text
       from pg_proc where pronamespace in ${ownSchemas}
     union all
     select 'permitted move ' || m::text from ledger.permitted_move m`,
  )
  return { columns, rules, offers: offers.map(({ text }) => text) }
}

/** Returns a sentence for each change by which a program of the schema `before` could fail on the schema `after`. */
function findBreaks(before: Schema, after: Schema): string[] {
  const label = ({ relation, name }: { relation: string; name: string }) => `${relation}.${name}`
  const relations = new Set(before.columns.map(({ relation }) => relation))
  const oldColumns = new Map(before.columns.map((column) => [label(column), column]))
  const newColumns = new Map(after.columns.map((column) => [label(column), column]))
  const oldRules = new Map(before.rules.map((rule) => [label(rule), rule]))
  const definitions = new Set(before.rules.map(({ relation, definition }) => `${relation} ${definition}`))
  const breaks: string[] = []
  for (const [name, { type }] of oldColumns) {
    const found = newColumns.get(name)
    if (found === undefined) breaks.push(`${name} is gone`)
    else if (found.type !== type) breaks.push(`${name} was ${type} and is ${found.type}`)
  }
  for (const column of after.columns.filter(({ relation, required }) => relations.has(relation) && required)) {
    if (oldColumns.get(label(column))?.required !== true) breaks.push(`${label(column)} is required`)
  }
  for (const rule of after.rules.filter(({ relation }) => relations.has(relation))) {
    const isNew = !definitions.has(`${rule.relation} ${rule.definition}`)
    const isNewColumn = (name: string) => !oldColumns.has(`${rule.relation}.${name}`)
    // A null in one column of a reference or a unique index suffices.
    const concernsNew =
      rule.kind === 'check'
        ? rule.columns.length > 0 && rule.columns.every(isNewColumn)
        : rule.columns.some((name) => isNewColumn(name) && newColumns.get(`${rule.relation}.${name}`)?.nullable)
    if (isNew && !concernsNew && !admitsMore(oldRules.get(label(rule)), rule))
      breaks.push(`${label(rule)} is a new ${rule.kind}`)
  }
  const kept = new Set(after.rules.map(({ relation, definition }) => `${relation} ${definition}`))
  // An insert may name it as the target of its conflicts.
  for (const rule of before.rules.filter(({ kind }) => kind === 'unique')) {
    if (!kept.has(`${rule.relation} ${rule.definition}`)) breaks.push(`${label(rule)} is gone`)
  }
  const offered = new Set(after.offers)
  return [...breaks, ...before.offers.filter((offer) => !offered.has(offer)).map((offer) => `${offer} is gone`)]
}

/** Returns whether a check of the form `in (…)` admits at least what it did before. */
function admitsMore(before: Rule | undefined, { definition }: Rule): boolean {
  const readValues = (text: string) => new Set([...text.matchAll(/'([^']*)'::text/g)].map(([, value]) => value))
  const asList = (text: string) => text.replaceAll(/= ('[^']*'::text)/g, '= ANY (ARRAY[$1])')
  const shape = (text: string) => asList(text).replaceAll(/'[^']*'::text(?:, )?/g, '')
  if (before === undefined || !asList(definition).includes('= ANY')) return false
  if (shape(before.definition) !== shape(definition)) return false
  return [...readValues(before.definition)].every((value) => readValues(definition).has(value))
}

test('compatible migrations since 0.1.0 break no program of the version before', async () => {
  const migrations = await listMigrations(migrationsFolder)
  const firstBreaking = migrations.findIndex(({ isCompatible }) => !isCompatible)
  const compatible = migrations.slice(0, firstBreaking === -1 ? migrations.length : firstBreaking)
  await migrate(url, { folder })
  const before = await readSchema()
  for (const { name } of compatible) fs.copyFileSync(path.join(migrationsFolder, name), path.join(folder, name))
  expect(await migrate(url, { folder })).toHaveLength(compatible.length)
  expect(findBreaks(before, await readSchema())).toEqual([])
})

test('changes that break the program of the version before are named', async () => {
  await migrate(url, { folder })
  const before = await readSchema()
  const statements: [string, string][] = [
    ['alter table payout add column memo text not null', 'payout.memo is required'],
    ['alter table payout drop column reason', 'payout.reason is gone'],
    [
      'alter table mail alter column template type varchar(200)',
      'mail.template was text and is character varying(200)',
    ],
    ['alter table mail alter column user_id set not null', 'mail.user_id is required'],
    ['alter table mail add constraint short check (length(template) < 90)', 'mail.short is a new check'],
    ['create unique index mail_once on mail (user_id, template)', 'mail.mail_once is a new unique'],
    [
      'alter table notification drop constraint notification_user_id_code_dedupe_key',
      'notification.notification_user_id_code_dedupe_key is gone',
    ],
    [`delete from ledger.permitted_move where code = 'refund'`, 'permitted move'],
    [
      `alter table bank_link drop constraint bank_link_failed_because_check,
         add constraint bank_link_failed_because_check check (failed_because in ('other'))`,
      'bank_link.bank_link_failed_because_check is a new check',
    ],
    ['create trigger seen after insert on mail for each row execute function seal_row()', 'mail.seen is a new trigger'],
    ['drop function fail_pending_transaction', 'fail_pending_transaction'],
  ]
  for (const [statement, sentence] of statements) {
    await client.query('begin')
    await client.query(statement)
    const breaks = findBreaks(before, await readSchema())
    await client.query('rollback')
    expect(breaks, statement).toContainEqual(expect.stringContaining(sentence))
  }
})
