// Users' access to the data held about them, through the API.

import { randomUUID } from 'node:crypto'
import { setMailChoices } from '@tern/contract/notifications/mail-choices'
import {
  agreeToDocument,
  askForCorrection,
  dataAccesses,
  exportData,
  privacyOverview,
} from '@tern/contract/privacy/privacy'
import { legalDocuments } from '@tern/contract/site/legal-documents'
import { sendMoney } from '@tern/contract/transfers'
import { strFromU8, unzipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { callTern, ternEnvironment } from '@tern/testkit/processes/call-tern'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { confirm, loadMails, settleCall, readRequirement } from '@tern/testkit/banking'
import { transact } from '../../platform/database/db.ts'
import { recordDataAccess } from './privacy.ts'

const world = await openTestApp()
const alice = await world.enroll('alice', 'United States', { localName: 'Ἀλίκη' })
const bob = await world.enroll('bob', 'United States')
await world.fund(alice, 10_000)
await alice.call(sendMoney, {
  body: { recipient_id: bob.id, amount: '12.34', source_currency: 'USD', description: '=HYPERLINK("http://x")' },
  idempotencyKey: randomUUID(),
})

const buildExportPath = (format: string) => `/user/privacy/export?format=${format}`

/** Confirms and downloads an export; returns the archive's files by name, as text, and the headers. */
async function download(person: TestPerson, format: 'json' | 'csv') {
  const requirement = readRequirement(await settleCall(person.call(exportData, { query: { format } })))
  expect(requirement).toMatchObject({ action: 'export_data' })
  await confirm(world, person, requirement)
  const answer = await fetch(`${world.url}/api${buildExportPath(format)}`, {
    headers: { authorization: `Bearer ${person.token}`, 'step-up': requirement.id },
  })
  expect(answer.status).toBe(200)
  const files = unzipSync(new Uint8Array(await answer.arrayBuffer()))
  const texts = Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, strFromU8(bytes)]))
  return { files, texts, headers: answer.headers }
}

const parseRows = (texts: Record<string, string>, name: string) =>
  JSON.parse(texts[`${name}.json`] ?? 'missing') as Record<string, unknown>[]

test('the overview counts held data, with basis and retention', async () => {
  const { held } = await alice.call(privacyOverview, {})
  const entriesByCategory = Object.fromEntries(held.map((entry) => [entry.category, entry]))
  expect(entriesByCategory.account).toMatchObject({
    basis: 'contract',
    retention: 'until_account_ends',
    correct: 'profile',
  })
  expect(entriesByCategory.identity).toMatchObject({ basis: 'law', entries: 4, correct: 'request' })
  expect(entriesByCategory.people).toMatchObject({ entries: 0, since: null })
  const { rows } = await world.database.pool.query<{ since: Date }>(
    `select min(created_at) as since from (select created_at from session where user_id = $1
       union all select created_at from mailed_link where user_id = $1) as begun`,
    [alice.id],
  )
  expect(entriesByCategory.logins?.since).toBe(rows[0]?.since.toISOString())
})

describe('an export', () => {
  test('needs a confirmation of exactly this, and the session', async () => {
    expect(await world.raw('GET', buildExportPath('json'))).toMatchObject({ status: 401 })
    const requirement = readRequirement(await settleCall(alice.call(exportData, { query: { format: 'json' } })))
    const refusedExport = await settleCall(
      alice.call(exportData, { query: { format: 'json' }, confirmation: requirement.id }),
    )
    readRequirement(refusedExport)
  })

  test('contains everything: own numbers in full, amounts that add up, and no one else’s data', async () => {
    const { texts, headers } = await download(alice, 'json')
    expect(headers.get('content-type')).toBe('application/zip')
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="tern-data-[\d-]+-json\.zip"$/)
    expect(parseRows(texts, 'account/app_user')).toMatchObject([
      { id: String(alice.id), email: alice.email, username: alice.username, has_password: true },
    ])
    expect(parseRows(texts, 'identity/full_number')).toMatchObject([
      { kind: 'idNumber', number: alice.idNumber },
      { kind: 'documentNumber', number: 'P1234567' },
    ])
    expect(parseRows(texts, 'identity/local_name')).toMatchObject([{ local_name: 'Ἀλίκη' }])
    expect(parseRows(texts, 'identity/kyc_submission')).toMatchObject([
      { last_name: 'Tester', date_of_birth: '1990-02-03' },
    ])
    const sentRow = parseRows(texts, 'money/transaction').find(({ kind }) => kind === 'SEND')
    expect(sentRow).toMatchObject({
      source_amount: '12.34',
      fee: '0.06',
      source_currency: 'USD',
      other_username: bob.username,
      // Null, because the decision about this send is in `limits/risk_decision`.
      passed_by_room: null,
    })
    expect(parseRows(texts, 'money/balance')).toContainEqual(
      expect.objectContaining({ currency: 'USD', balance: '87.60' }),
    )
    const entries = parseRows(texts, 'money/ledger_entry').filter(({ account }) => String(account).endsWith(':USD'))
    expect(entries.map(({ amount }) => amount)).toEqual(['100.00', '-12.34', '-0.06'])
    expect(parseRows(texts, 'privacy/consent')).toMatchObject([{ document: 'terms' }, { document: 'privacy' }])
    const exportText = Object.values(texts).join('\n')
    expect(exportText).not.toContain(bob.email)
    expect(exportText).toContain(bob.username)
  })

  test('contains no secret that logs in or pays', async () => {
    const exportText = Object.values((await download(alice, 'json')).texts).join('\n')
    const { pool } = world.database
    const secrets = await pool.query<{ secret: string }>(
      `select password_hash as secret from app_user
       union all select encode(hash, 'hex') from refresh_token
       union all select encode(hash, 'hex') from mailed_link
       union all select encode(signature, 'hex') from quote
       union all select encode(numbers, 'hex') from kyc_submission
       union all select session_id from payment where session_id is not null
       union all select encode(binding, 'hex') from step_up_confirmation`,
    )
    expect(secrets.rows.length).toBeGreaterThan(8)
    for (const { secret } of secrets.rows) {
      expect(exportText).not.toContain(secret)
      if (/^[\da-f]+$/.test(secret)) expect(exportText).not.toContain(Buffer.from(secret, 'hex').toString('base64'))
    }
  })

  test('as CSV has the same content, without cells that spreadsheets take for formulas', async () => {
    const { files, texts } = await download(alice, 'csv')
    const csvFiles = Object.values(files)
    expect(csvFiles.every((bytes) => Buffer.from(bytes.subarray(0, 3)).toString('hex') === 'efbbbf')).toBe(true)
    const [headerLine, ...lines] = (texts['money/transaction.csv'] ?? '').trimEnd().split('\r\n')
    expect(headerLine?.split(',')).toContain('source_amount')
    expect(lines).toHaveLength(2)
    expect(lines.join('\n')).toContain(`"'=HYPERLINK(""http://x"")"`)
    expect(texts['people/favorite.csv']).toBe('favorite_id,username,created_at\r\n')
  })

  test('is mailed to its owner, listed as an access, and limited to five a day', async () => {
    const { accesses } = await alice.call(dataAccesses, {})
    expect(accesses).toHaveLength(3)
    expect(accesses[0]).toMatchObject({ role: 'you', operator: null, purpose: 'export', what: ['everything'] })
    await expect.poll(() => loadMails(world, alice, 'Your data was downloaded')).toHaveLength(3)
    await download(alice, 'csv')
    await download(alice, 'csv')
    const requirement = readRequirement(await settleCall(alice.call(exportData, { query: { format: 'csv' } })))
    await confirm(world, alice, requirement)
    const sixthReply = await settleCall(
      alice.call(exportData, { query: { format: 'csv' }, confirmation: requirement.id }),
    )
    expect(sixthReply).toMatchObject({ code: 'rate_limited' })
  })
})

describe('accesses to the data', () => {
  test('are listed by pages, newest first, for their subject only', async () => {
    const carol = await world.enroll('carol', null)
    expect(await carol.call(dataAccesses, {})).toEqual({ accesses: [], has_more: false })
    await transact(world.database.pool, async (tx) => {
      for (let minute = 0; minute < 55; minute += 1) {
        const at = new Date(Date.UTC(2026, 0, 1, 0, Math.floor(minute / 2)))
        const accessInput = {
          userId: BigInt(carol.id),
          role: 'reviewer',
          operator: 'Reviewer 7',
          purpose: 'support',
          at,
        } as const
        await recordDataAccess(tx, { ...accessInput, what: ['name', 'payments'] })
      }
    })
    const first = await carol.call(dataAccesses, {})
    const olderPage = await carol.call(dataAccesses, { query: { before: first.accesses.at(-1)?.id } })
    expect([first.accesses.length, first.has_more, olderPage.accesses.length, olderPage.has_more]).toEqual([
      50,
      true,
      5,
      false,
    ])
    const allAccesses = [...first.accesses, ...olderPage.accesses]
    expect(new Set(allAccesses.map(({ id }) => id)).size).toBe(55)
    expect(allAccesses.map(({ at }) => at)).toEqual(
      allAccesses
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    )
    const otherPage = await bob.call(dataAccesses, { query: { before: first.accesses.at(-1)?.id } })
    expect(otherPage.accesses).toEqual([])
  })
})

describe('consents', () => {
  const loadConsents = async (person: TestPerson) =>
    Object.fromEntries((await person.call(privacyOverview, {})).consents.map((consent) => [consent.document, consent]))

  test('are given at sign-up, with the current versions', async () => {
    const consents = await loadConsents(bob)
    expect(consents.terms).toMatchObject({ given: { version: legalDocuments.terms.version }, can_withdraw: false })
    expect(consents.privacy).toMatchObject({ given: { version: legalDocuments.privacy.version }, withdrawn_at: null })
    expect(consents.mail_payments).toMatchObject({ given: { version: null, at: null }, can_withdraw: true })
  })

  test('to mails follow the settings, with times', async () => {
    await bob.call(setMailChoices, { body: { payments: false, requests: true } })
    const consentsAfter = await loadConsents(bob)
    expect(consentsAfter.mail_payments).toMatchObject({ given: null, withdrawn_at: expect.any(String) })
    expect(consentsAfter.mail_requests).toMatchObject({ given: { at: expect.any(String) } })
    await bob.call(setMailChoices, { body: { payments: true, requests: true } })
    expect((await loadConsents(bob)).mail_payments).toMatchObject({ given: { at: expect.any(String) } })
  })

  test('to a new version replace the earlier one, and only the current one can be agreed to', async () => {
    await world.database.pool.query(`update consent set version = 7 where user_id = $1 and document = 'terms'`, [
      bob.id,
    ])
    expect(await settleCall(bob.call(agreeToDocument, { body: { document: 'terms', version: 7 } }))).toMatchObject({
      code: 'document_changed',
    })
    const { version } = legalDocuments.terms
    const agreeToTerms = () => bob.call(agreeToDocument, { body: { document: 'terms', version } })
    const [firstConsent, secondConsent] = await Promise.all([agreeToTerms(), agreeToTerms()])
    expect(firstConsent).toEqual(secondConsent)
    expect(firstConsent).toMatchObject({ document: 'terms', given: { version } })
    const { rows } = await world.database.pool.query(
      `select version, withdrawn_at is null as in_force from consent where user_id = $1 and document = 'terms' order by given_at`,
      [bob.id],
    )
    expect(rows).toEqual([
      { version: 7, in_force: false },
      { version, in_force: true },
    ])
  })
})

describe('a correction', () => {
  test('can be requested once per field, is due within 30 days, and its outcome is notified', async () => {
    const body = { field: 'address', right_value: '2 Side Street', note: 'I moved.' } as const
    const correction = await alice.call(askForCorrection, { body })
    expect(correction).toMatchObject({ ...body, state: 'open', decided_at: null, answer: null })
    expect(Date.parse(correction.due_at) - Date.parse(correction.created_at)).toBe(30 * 86_400_000)
    expect(await settleCall(alice.call(askForCorrection, { body }))).toMatchObject({ code: 'correction_open' })
    const { corrections } = world.app.product.privacy
    const openCorrection = (await corrections.open()).find(({ id }) => id === correction.id)
    expect(openCorrection).toMatchObject({ userId: BigInt(alice.id) })
    await corrections.decide({
      id: correction.id,
      state: 'corrected',
      by: 'dana',
      answer: 'Your address is up to date.',
    })
    const { corrections: ownCorrections } = await alice.call(privacyOverview, {})
    expect(ownCorrections).toMatchObject([
      { id: correction.id, state: 'corrected', answer: 'Your address is up to date.' },
    ])
    expect((await bob.call(privacyOverview, {})).corrections).toEqual([])
    const { rows } = await world.database.pool.query('select params from notification where subject_id = $1', [
      correction.id,
    ])
    expect(rows).toEqual([{ params: { field: 'address', state: 'corrected' } }])
  })

  test('is listed, decided and answered by the command, whose access the user sees', async () => {
    const command = async (...parameters: string[]) => {
      const { code, text } = await callTern(ternEnvironment(world), 'privacy', ...parameters)
      return [code, text] as const
    }
    expect(await command()).toEqual([0, 'No correction is open.'])
    const correction = await bob.call(askForCorrection, { body: { field: 'legal_name', right_value: 'Robert Tester' } })
    const [code, listOutput] = await command('--by', 'dana')
    expect([code, listOutput]).toEqual([
      0,
      expect.stringContaining(`${correction.id}  user ${bob.id}  legal name should be`),
    ])
    for (const invalidParameters of [
      ['--correct', correction.id],
      ['--retained', '12'],
      ['--correct', 'a', '--decline', 'b'],
    ])
      expect((await command(...invalidParameters))[0]).toBe(2)
    expect(await command('--retained', String(bob.id))).toEqual([2, 'not_found'])
    expect(await command('--decline', correction.id, '--because', 'Your document says Bob.', '--by', 'dana')).toEqual([
      0,
      `${correction.id} is declined.`,
    ])
    expect((await bob.call(privacyOverview, {})).corrections[0]).toMatchObject({
      state: 'declined',
      answer: 'Your document says Bob.',
    })
    const { accesses } = await bob.call(dataAccesses, {})
    expect(accesses).toMatchObject([{ role: 'operator', purpose: 'correction', what: ['corrections'] }])
    expect(accesses[0]?.operator).toMatch(/^Operator [\dA-F]{8}$/)
  })
})
