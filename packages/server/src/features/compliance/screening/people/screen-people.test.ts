import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { openTestDatabase } from '@tern/testkit/open-test-database'
import { publishedFile } from '@tern/testkit/compliance/lists/published-lists'
import { connect, transact } from '../../../../platform/database/db.ts'
import { createFormSeal } from '../../../kyc/kyc.ts'
import { createCompliance } from '../../compliance.ts'
import type { ListFile } from '../lists/read-files.ts'
import { readOpenMatches } from './matches.ts'

const now = () => new Date('2026-11-20T09:00:00Z')
const errors: object[] = []

const database = await openTestDatabase()
/** Pool of the application role. */
const pool = connect(database.applicationUrl, 20)
afterAll(() => pool.end())
beforeEach(async () => {
  await database.pool.query(
    `truncate compliance_case, compliance_case_transfer, compliance_question, compliance_review, compliance_objection,
       screening_match, screening_name, screening_entry, screening_list, screening_epoch, screening_person, screening_counterparty;
     delete from kyc_submission; delete from app_user`,
  )
  errors.length = 0
})

const formSeal = createFormSeal(randomBytes(32))
const createTestCompliance = (screeningPool = pool) =>
  createCompliance({
    pool: screeningPool,
    now,
    log: { error: (details) => errors.push(details) },
    areListsRequired: false,
    formSeal,
  })
const buildListFiles = (change = (text: string) => text): ListFile[] => {
  const file = publishedFile('uk.csv')
  return [{ name: file.name, bytes: new TextEncoder().encode(change(new TextDecoder().decode(file.bytes))) }]
}

let nextId = 1_000_000_001n
/** Creates a person with an identity form, and with a name in their own script if given. */
async function createPerson(firstName: string, lastName: string, localName?: string): Promise<bigint> {
  const id = nextId++
  const formId = randomUUID()
  const sealedName = localName === undefined ? null : formSeal.seal(localName, `local name ${formId}`)
  await pool.query(
    `insert into app_user (id, email, username, name, created_at) values ($1::bigint, $1 || '@example.com', 'p' || $1, $2, now())`,
    [id, firstName],
  )
  await pool.query(
    `insert into kyc_submission (id, user_id, status, first_name, last_name, date_of_birth, country, nationality, email,
         document_type, currency_preference, street_address, city, state, postal_code, numbers, submitted_at, last_polled_at, provider,
         local_name)
       values ($1, $2, 'verified', $3, $4, '1961-03-14', 'Germany', 'Germany', '', 'passport', 'EUR', '', '', '', '', '', now(), now(), 'test', $5)`,
    [formId, id, firstName, lastName, sealedName],
  )
  return id
}

const loadStatus = async (userId: bigint) =>
  (await pool.query<{ status: string }>('select status from screening_match where user_id = $1', [userId])).rows.map(
    ({ status }) => status,
  )

test('people with a form are screened after an import, with evidence for and against', async () => {
  const listedPerson = await createPerson('Arkady', 'Zherebtsovskiy')
  const otherPerson = await createPerson('Maria', 'Silva')
  expect(await createTestCompliance().screenDue()).toBe(0)
  await createTestCompliance().importLists(buildListFiles())
  expect(await createTestCompliance().screenDue()).toBe(2)
  expect(await createTestCompliance().screenDue()).toBe(0)
  expect(await loadStatus(otherPerson)).toEqual([])
  expect(await readOpenMatches(pool, listedPerson)).toMatchObject([
    { source: 'uk', reference: 'TST0001', listVersion: 1, status: 'open' },
  ])
  const { rows } = await pool.query('select birth_date_evidence, country_evidence from screening_match')
  expect(rows).toEqual([{ birth_date_evidence: 'same', country_evidence: 'differs' }])
})

test('the name in its own script is screened beside the one in Latin letters', async () => {
  const { importLists, screenDue } = createTestCompliance()
  await importLists(buildListFiles())
  const listedPerson = await createPerson('Anton', 'Ruban', 'Аркадий Жеребцовский')
  await screenDue()
  expect(await loadStatus(listedPerson)).toEqual(['open'])
})

test('a cleared match stays cleared until the entry or the name changes', async () => {
  const { importLists, screenDue } = createTestCompliance()
  /** Clears a match, as the decision of a case does. */
  const clearMatch = async (matchId: string): Promise<boolean> => {
    const { rowCount } = await pool.query(
      `update screening_match set status = 'cleared', closed_at = $2, cleared_by = 'ida' where id = $1 and status = 'open'`,
      [matchId, now()],
    )
    return rowCount === 1
  }
  await importLists(buildListFiles())
  const listedPerson = await createPerson('Arkadiy', 'Zherebtsovsky')
  await screenDue()
  const [match] = await readOpenMatches(pool, listedPerson)
  expect(await clearMatch(match?.id ?? '')).toBe(true)
  expect(await clearMatch(match?.id ?? '')).toBe(false)

  await importLists(
    buildListFiles((text) => text.replace('"north"', '"east"').replace('QUARTZHOLLOW STAR', 'QUARTZHOLLOW SUN')),
  )
  expect(await screenDue()).toBe(1)
  expect(await loadStatus(listedPerson)).toEqual(['cleared'])

  await importLists(buildListFiles((text) => text.replace('(2) Cyprus', '(2) Malta')))
  await screenDue()
  expect(await loadStatus(listedPerson)).toEqual(['open'])

  await clearMatch((await readOpenMatches(pool, listedPerson))[0]?.id ?? '')
  await pool.query(`update kyc_submission set first_name = 'Arkady' where user_id = $1`, [listedPerson])
  expect(await screenDue()).toBe(1)
  expect(await loadStatus(listedPerson)).toEqual(['open'])
})

test('a match ends when the entry vanishes or the name no longer fits, and can open again', async () => {
  const { importLists, screenDue } = createTestCompliance()
  await importLists(buildListFiles())
  const listedPerson = await createPerson('Tamsin', 'Oyelaran-Voss')
  await screenDue()
  expect(await loadStatus(listedPerson)).toEqual(['open'])
  const shorterLists = buildListFiles((text) =>
    text
      .split('\n')
      .filter((line) => !line.includes('TST0003'))
      .join('\n'),
  )
  await importLists(shorterLists, true)
  await screenDue()
  expect(await loadStatus(listedPerson)).toEqual(['ended'])
  await importLists(buildListFiles())
  await screenDue()
  expect(await loadStatus(listedPerson)).toEqual(['open'])
})

test('a newer matcher screens all people', async () => {
  const { importLists, screenDue } = createTestCompliance()
  await importLists(buildListFiles())
  const listedPerson = await createPerson('Tamsin', 'Oyelaran-Voss')
  await screenDue()
  await database.pool.query(
    `alter table screening_epoch drop constraint screening_epoch_matcher_version_check;
     update screening_epoch set matcher_version = 0; delete from screening_match`,
  )
  expect(await screenDue()).toBe(1)
  expect(await loadStatus(listedPerson)).toEqual(['open'])
  expect(await screenDue()).toBe(0)
})

test('two concurrent workers screen each person once', async () => {
  const people: bigint[] = []
  for (let index = 0; index < 40; index += 1) people.push(await createPerson('Arkadiy', 'Zherebtsovsky'))
  await createTestCompliance().importLists(buildListFiles())
  const counts = await Promise.all(
    [createTestCompliance(), createTestCompliance(), createTestCompliance()].map(({ screenDue }) => screenDue()),
  )
  // Workers skip locked rows, so one of them may end early.
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(40)
  expect(counts.filter((count) => count > 0).length).toBeGreaterThan(1)
  const { rows } = await pool.query<{ user_id: bigint }>('select user_id from screening_match order by user_id')
  expect(rows.map((row) => row.user_id)).toEqual(people)
  expect(errors).toEqual([])
})

test('a person can be screened within another transaction', async () => {
  const { importLists, stopsVerification } = createTestCompliance()
  await importLists(buildListFiles())
  const listedPerson = await createPerson('Arkadiy', 'Zherebtsovsky')
  await transact(pool, (tx) => stopsVerification(tx, listedPerson))
  expect(await readOpenMatches(pool, listedPerson)).toHaveLength(1)
  expect(await createTestCompliance().screenDue()).toBe(0)
})

const loadCases = async (userId: bigint) =>
  (
    await pool.query<{ kind: string; stops: string; state: string }>(
      'select kind, stops, state from compliance_case where user_id = $1 order by opened_at',
      [userId],
    )
  ).rows

/** Creates the files of an OFAC list with these entries. */
const buildOfacFiles = (...rows: readonly (readonly [name: string, kind: string])[]): ListFile[] => {
  const lines = rows.map(
    ([name, kind], index) => `${index + 1},"${name}","${kind}","TEST",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- `,
  )
  const bytes = (text: string) => new TextEncoder().encode(`${text}\r\n\u001A`)
  return [
    { name: 'sdn.csv', bytes: bytes(lines.join('\r\n')) },
    { name: 'alt.csv', bytes: bytes('1,1,"aka","KARVE, Zed",-0- ') },
  ]
}

test('a person without the listed family name is a possible match, and is never compared with a ship', async () => {
  const { importLists, screenDue } = createTestCompliance()
  await importLists(buildOfacFiles(['PAO, Yu Liang', 'individual'], ['MARA', 'vessel'], ['YU LIANG TRADING', '-0- ']))
  const [liang, pao, maria] = [
    await createPerson('Yu', 'Liang'),
    await createPerson('Yu Liang', 'Pao'),
    await createPerson('Mara', 'Sá'),
  ]
  await screenDue()
  expect((await loadCases(liang)).map(({ stops }) => stops)).toEqual(['nothing'])
  expect((await loadCases(pao)).map(({ stops }) => stops)).toEqual(['person'])
  expect(await loadCases(maria)).toEqual([])
})

test('a name that cannot be compared opens one case that stops nothing, until it changes', async () => {
  const { importLists, screenDue } = createTestCompliance()
  await importLists(buildListFiles())
  const invisiblePerson = await createPerson('\u200b', '\u2060')
  const burmesePerson = await createPerson('ဆန်း', 'အောင်')
  const unreadablePerson = await createPerson('鬱鬱', '鬱')
  const readablePerson = await createPerson('太郎', '山田')
  await pool.query("update kyc_submission set nationality = 'Japan' where user_id = any($1)", [
    [unreadablePerson, readablePerson],
  ])
  await pool.query("update app_user set name = '' where id = any($1)", [
    [invisiblePerson, burmesePerson, unreadablePerson, readablePerson],
  ])
  await screenDue()
  const openCases = [{ kind: 'name_match', stops: 'nothing', state: 'open' }]
  for (const id of [invisiblePerson, burmesePerson, unreadablePerson]) expect(await loadCases(id)).toEqual(openCases)
  expect(await loadCases(readablePerson)).toEqual([])

  await importLists(buildListFiles((text) => text.replace('QUARTZHOLLOW STAR', 'QUARTZHOLLOW SUN')))
  await screenDue()
  expect(await loadCases(invisiblePerson)).toEqual(openCases)
  await pool.query("update compliance_case set state = 'cleared', decided_at = now(), decided_by = 'ida'")
  await importLists(buildListFiles())
  await screenDue()
  expect((await loadCases(invisiblePerson)).map(({ state }) => state)).toEqual(['cleared'])
  await pool.query("update kyc_submission set first_name = '\u200c' where user_id = $1", [invisiblePerson])
  await screenDue()
  expect((await loadCases(invisiblePerson)).map(({ state }) => state)).toEqual(['cleared', 'open'])
})

test('a counterparty may be a company, and a name that cannot be compared opens a case', async () => {
  const { importLists, counterparties } = createTestCompliance()
  await importLists(buildOfacFiles(['PAO, Yu Liang', 'individual'], ['MARA', 'vessel'], ['ODDENSEN CO., LTD.', '-0- ']))
  const payer = await createPerson('Maria', 'Silva')
  const loadStanding = (name: string) =>
    transact(pool, (tx) => counterparties.check(tx, { id: randomUUID(), kind: 'guest', userId: payer, name }))
  expect(await loadStanding('Yu Liang')).toBe('clear')
  expect(await loadStanding('Maria Sá')).toBe('clear')
  expect(await loadStanding('Mara')).toBe('clear')
  expect(await loadStanding('Yu Liang Pao')).toBe('open')
  expect(await loadStanding('Oddensen Co. Ltd')).toBe('open')
  const casesBefore = (await loadCases(payer)).length
  expect(await loadStanding('\u200b')).toBe('clear')
  expect((await loadCases(payer)).slice(casesBefore)).toEqual([
    { kind: 'counterparty_name', stops: 'nothing', state: 'open' },
  ])
})

test('screening people and counterparties needs one database connection', async () => {
  const singlePool = connect(database.applicationUrl, 1)
  const { importLists, screenDue, counterparties } = createTestCompliance(singlePool)
  const listedPerson = await createPerson('Anton', 'Ruban', 'Аркадий Жеребцовский')
  const payer = await createPerson('Maria', 'Silva')
  const guest = { id: randomUUID(), kind: 'guest', userId: payer, name: 'Tamsin Oyelaran-Voss' } as const
  await transact(singlePool, (tx) => counterparties.check(tx, guest))
  await importLists(buildListFiles())
  expect(await screenDue()).toBe(3)
  expect(await loadStatus(listedPerson)).toEqual(['open'])
  expect(await transact(singlePool, (tx) => counterparties.areStopped(tx, guest.id))).toBe(true)
  await singlePool.end()
})
