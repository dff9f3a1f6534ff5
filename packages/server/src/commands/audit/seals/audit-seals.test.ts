import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callTern } from '@tern/testkit/processes/call-tern'
import { findBrokenRules } from '@tern/testkit/books/find-broken-rules'
import { createSoundBooks, type SoundBooks } from '@tern/testkit/books/sound-books'
import { runOnce } from '@tern/testkit/database'
import { readKeyRing } from '../../../platform/runtime/secret.ts'
import { audit, formatReport } from '../audit.ts'
import { deriveSecretId } from '../seal-counts.ts'
import { sealRules } from './rules-seals.ts'
import { connect } from '../../../platform/database/db.ts'
import { resealAll } from '../../reseal/reseal.ts'

// Each test damages a sealed row or its seal. No posting repeats these rows' facts: only the seal reveals the damage.

let books: SoundBooks
beforeAll(async () => {
  books = await createSoundBooks({ withChecks: true })
})
afterAll(() => books.drop())

const buildKeyRing = (text: string, oldText?: string) => {
  const environment = oldText === undefined ? { TERN_SECRET: text } : { TERN_SECRET: text, TERN_OLD_SECRET: oldText }
  return readKeyRing(environment, false, (sentence) => {
    throw new Error(sentence)
  })
}
const sealRule = (rows: string) => `${rows} are as this program wrote them`
const freezeSql = `update app_user set frozen_at = now() where username like 'anna%'`

type DamageCase = readonly [what: string, rows: string, damage: string, sentence?: string | undefined]

const damageCases: readonly DamageCase[] = [
  [
    'an open loss removed',
    'losses and other exceptions',
    `delete from reconciliation_exception where kind = 'loss'`,
    'is gone',
  ],
  [
    'an open loss lowered',
    'losses and other exceptions',
    `update reconciliation_exception set amount_minor = 1 where kind = 'loss' and closed_at is null`,
  ],
  [
    'an open loss closed',
    'losses and other exceptions',
    `update reconciliation_exception set closed_at = now(), resolution = 'recovered' where kind = 'loss' and closed_at is null`,
  ],
  [
    'a settled transfer removed',
    'held transfers',
    `delete from transfer where state = 'settled' and id not in (select transfer_id from compliance_case_transfer)`,
    'is gone',
  ],
  [
    'another decider of a transfer',
    'held transfers',
    `update transfer set decided_by = 'recipient' where state = 'settled'`,
  ],
  ['a hold that lasts a year longer', 'held transfers', moveLaterSql('transfer', 'held_until', `state = 'held'`)],
  ['another decider of a case', 'cases', `update compliance_case set decided_by = 'Zoe' where state <> 'open'`],
  ['a case due a year later', 'cases', moveLaterSql('compliance_case', 'decide_by', `state = 'open'`)],
  ['an objection to a case due a year later', 'objections to cases', moveLaterSql('compliance_objection', 'decide_by')],
  [
    'another decider at the desk',
    'decisions of the desk',
    `update desk_decision set operator_id = gen_random_uuid() where seat = 'first'`,
  ],
  ['another verdict of the desk', 'items of the desk', `update desk_item set verdict = 'settle' where queue = 'holds'`],
  ['a dispute due a year later', 'disputes', moveLaterSql('dispute', 'decide_by')],
  ['a dispute that claims more', 'disputes', 'update dispute set claimed_minor = claimed_minor + 100'],
  [
    'an objection in a dispute due a year later',
    'objections in disputes',
    moveLaterSql('dispute_objection', 'decide_by'),
  ],
  [
    'a movement of a dispute removed',
    'movements of disputes',
    `delete from dispute_posting where kind = 'final'`,
    'is gone',
  ],
  [
    'a ceiling a hundred times as high',
    'schedules',
    'update schedule set ceiling_minor = ceiling_minor * 100, confirmed_ceiling_minor = confirmed_ceiling_minor * 100',
  ],
  [
    'a schedule for another payee',
    'schedules',
    'update schedule set payee_id = (select max(id) from app_user where id not in (user_id, payee_id))',
  ],
  [
    'a sent date of a schedule that waits again',
    'dates of schedules',
    `update schedule_occurrence set state = 'waiting', try_at = now(), transaction_id = null, total_minor = null,
      ceiling_minor = null, closed_at = null where state = 'sent'`,
  ],
  [
    'the trigger of an order',
    'exchange orders',
    `update exchange_order set trigger_numerator = trigger_numerator * 2 where state = 'open'`,
  ],
  [
    'an order that expires a year later',
    'exchange orders',
    moveLaterSql('exchange_order', 'expires_at', `state = 'open'`),
  ],
  ['a protection rule with another share', 'protection rules', 'update protection_rule set share_percent = 90'],
  [
    'a request for another amount',
    'payment requests',
    `update payment_request set amount_minor = amount_minor + 100 where status = 'open'`,
  ],
  [
    'a guest’s payment of another amount',
    'payments of guests',
    'update guest_payment set amount_minor = amount_minor + 1',
  ],
  [
    'an order to a venue over another amount',
    'orders to venues',
    'update treasury_order set sell_minor = sell_minor * 2',
  ],
  ['a limit of a position', 'limits of positions', 'update liquidity_limit set long_minor = long_minor * 100'],
  ['a limit that a person set, removed', 'limits that people set', 'delete from own_limit', 'is gone'],
  ['a hold of street mode confirmed', 'holds of street mode', 'update street_hold set confirmed_at = now()'],
]

const damageTests = damageCases.map(([what, rows, damage, sentence = 'was changed by something else']) => ({
  what,
  rows,
  damage,
  sentence,
}))

function moveLaterSql(table: string, column: string, condition = 'true'): string {
  return `update ${table} set ${column} = ${column} + interval '1 year' where ${condition}`
}

const withoutTriggersSql = `set local session_replication_role = replica;`

describe.each([
  ['with triggers switched off', withoutTriggersSql],
  ['by a plain statement of another program', ''],
])('changes %s', (variant, prefix) => {
  test.each(damageTests)('$what is found', async ({ rows, damage, sentence }) => {
    // While triggers are on, they refuse changes to the history of the desk and of disputes.
    const isGuarded = /desk_decision|delete from dispute_posting/.test(damage) && prefix === ''
    const brokenRules = await findBrokenRules(
      books.url,
      sealRules,
      `${isGuarded ? withoutTriggersSql : prefix} ${damage}`,
    )
    expect(brokenRules, variant).toMatchObject({ [sealRule(rows)]: expect.stringContaining(sentence) as string })
  })
})

test('a row inserted outside this program is found', async () => {
  const damageSql = `insert into own_limit (user_id, direction, period, max_usd_minor)
    select id, 'in', 'day', 100 from app_user where username like 'anna%'`
  expect(await findBrokenRules(books.url, sealRules, damageSql)).toMatchObject({
    [sealRule('limits that people set')]: expect.stringContaining('was made by something else') as string,
  })
})

describe('a freeze', () => {
  const asProgramSql = `set application_name = 'tern'; ${freezeSql}; set application_name = ''`
  const rule = sealRule('freezes of accounts')

  test('set and lifted by this program leaves the books sound', async () => {
    expect(await findBrokenRules(books.url, sealRules, asProgramSql)).toEqual({})
    const unfreezeSql = `${asProgramSql}; set application_name = 'tern'; update app_user set frozen_at = null where frozen_at is not null`
    expect(await findBrokenRules(books.url, sealRules, unfreezeSql)).toEqual({})
  })

  test.each(['', withoutTriggersSql])('cleared outside this program is found (%s)', async (prefix) => {
    const clearedFreezeSql = `${asProgramSql}; ${prefix} update app_user set frozen_at = null where frozen_at is not null`
    expect(await findBrokenRules(books.url, sealRules, clearedFreezeSql)).toMatchObject({
      [rule]: expect.stringContaining('was changed by something else') as string,
    })
  })
})

test('a later change by this program does not hide one made outside it', async () => {
  const damageSql = `update schedule set ceiling_minor = ceiling_minor * 100, confirmed_ceiling_minor = confirmed_ceiling_minor * 100; set application_name = 'tern';
    update schedule set state = 'stopped', next_on = null, next_at = null, warn_at = null, ended_at = now()`
  expect(await findBrokenRules(books.url, sealRules, damageSql)).toMatchObject({
    [sealRule('schedules')]: expect.stringContaining('was changed by something else') as string,
  })
})

describe('signatures of seals', () => {
  const forgeSealSql = (
    extraColumns: string,
  ) => `${withoutTriggersSql} update schedule set ceiling_minor = ceiling_minor * 100, confirmed_ceiling_minor = confirmed_ceiling_minor * 100;
    set local time zone 'UTC';
    update row_seal s set ${extraColumns} hash = row_hash('schedule', to_jsonb(t), '{id}', array['user_id', 'payee_id', 'wallet_id',
      'source_currency', 'target_currency', 'side', 'amount_minor', 'recurrence', 'anchor_on', 'time_zone', 'ceiling_minor',
      'has_rate_guard', 'wait_days', 'confirmed_at', 'confirmed_recurrence', 'confirmed_ceiling_minor', 'confirmed_from', 'state',
      'next_on'])
      from schedule t where s.relation = 'schedule' and s.row_key = t.id::text`
  const forgedFindings = { [sealRule('schedules')]: expect.stringContaining('has a forged seal') as string }

  test('are made with the installation’s secret', async () => {
    expect(await findBrokenRules(books.url, sealRules, 'select', buildKeyRing(books.secret))).toEqual({})
  })

  test('cannot be forged without the secret', async () => {
    expect(await findBrokenRules(books.url, sealRules, forgeSealSql(''), buildKeyRing(books.secret))).toMatchObject(
      forgedFindings,
    )
  })

  test('may be missing only after an upgrade', async () => {
    const forgeUnsignedSql = (at: string) => forgeSealSql(`key_id = null, signature = null, sealed_at = ${at},`)
    expect(await findBrokenRules(books.url, sealRules, forgeUnsignedSql(`now() + interval '2 days'`))).toMatchObject(
      forgedFindings,
    )
    expect(await findBrokenRules(books.url, sealRules, forgeUnsignedSql('now()'))).toEqual({})
  })

  test('are renewed under a new secret, without the forged ones', async () => {
    const [oldSecret, newSecret] = [books.secret, 'Tz5-w0rn-lamp-under-9-grey-stairs']
    await books.runOnCopy(async (url) => {
      const pool = connect(url, 2)
      await pool.query(`update row_seal set signature = sha256(signature) where relation = 'schedule'`)
      const { left, unreadable } = await resealAll(pool, buildKeyRing(newSecret, oldSecret))
      expect({ left, unreadable }).toEqual({ left: 0, unreadable: [expect.stringMatching(/^row_seal schedule /)] })
      const report = await audit(pool, buildKeyRing(newSecret))
      const names = report.checks.filter(({ ok }) => !ok).map(({ name }) => name)
      const text = formatReport(report, deriveSecretId(buildKeyRing(newSecret)))
      await pool.end()
      expect(text).toMatch(/\d+ rows sealed under the secret in use/)
      expect(text).toContain(`1 rows sealed under secret (${deriveSecretId(buildKeyRing(oldSecret))})`)
      expect(names).toEqual([])
    })
  })
})

describe('acceptance by the owner of the schema', () => {
  test('makes books with a manual change sound again, and records the operator', async () => {
    await books.runOnCopy(async (url) => {
      const [changedRow, removedRow] = await runOnce(
        url,
        `select id::text from schedule union all select id::text from exchange_order limit 2`,
      )
      await runOnce(
        url,
        `${withoutTriggersSql.replace('local ', '')} update schedule set ceiling_minor = ceiling_minor * 100, confirmed_ceiling_minor = confirmed_ceiling_minor * 100;
        delete from exchange_order where id = '${String(removedRow?.id)}'`,
      )
      const environment = { DATABASE_URL: url, TERN_SECRET: books.secret, SANDBOX_SECRET: books.secret }
      const acceptRow = async (row: string, reason: string) =>
        (await callTern(environment, 'reseal', '--accept', row, '--because', reason, '--by', 'Ada')).code
      expect(await acceptRow(`schedule ${String(changedRow?.id)}`, 'A typo.')).toBe(0)
      expect(await acceptRow(`exchange_order ${String(removedRow?.id)}`, 'A copy.')).toBe(0)
      expect(await acceptRow(`exchange_order ${String(removedRow?.id)}`, 'A copy.')).toBe(1)
      expect(await acceptRow('wallet 1', 'No such table.')).toBe(1)
      expect(await acceptRow('schedule', 'No key.')).toBe(1)
      expect(await acceptRow(`schedule ${String(changedRow?.id)}`, ' ')).toBe(2)
      const pool = connect(url, 1)
      const report = await audit(pool, buildKeyRing(books.secret))
      await pool.end()
      const sealNames = new Set(sealRules.map(({ name }) => name))
      expect(report.checks.filter(({ name, ok }) => sealNames.has(name) && !ok)).toEqual([])
      expect(formatReport(report)).toContain(
        `schedule ${String(changedRow?.id)} was changed outside this program; accepted by Ada: A typo.`,
      )
    })
  })
})
