import type { VerificationForm } from '@tern/contract/kyc/verification-form'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import { disputeFilePurpose } from '../../features/disputes/disputes.ts'
import { createFactorTests } from '@tern/testkit/identity/factors'
import { createTestIdentity } from '@tern/testkit/identity/identity'
import { travelRulePurpose } from '../../features/compliance/compliance.ts'
import { documentSealPurpose } from '../../features/kyc/documents/documents.ts'
import { payeeSealPurpose } from '../../features/payments/tables.ts'
import { certificateSealPurpose } from '../../features/statements/tables.ts'
import { createTransparency } from '../../features/transparency/transparency.ts'
import { computeFingerprint, insertSubmission, claimForPoll } from '../../features/kyc/records/submission.ts'
import { transact } from '../../platform/database/db.ts'
import { newId } from '../../platform/ids.ts'
import { createSeal, deriveKeyId, type KeyRing, type Secret, UnknownSecretError } from '../../platform/seal.ts'
import { audit, formatReport } from '../audit/audit.ts'
import { resealAll } from './reseal.ts'
import { sealedColumns } from './sealed-columns.ts'

const [oldSecret, newSecret, thirdSecret] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8), Buffer.alloc(32, 9)]
const bothKeys: KeyRing = [newSecret, oldSecret]
const thirdId = deriveKeyId(thirdSecret).toString('hex')
const database = await createTestDatabase()
const { pool } = database
afterAll(() => database.drop())

const form: VerificationForm = {
  ...{ firstName: 'Ada', lastName: 'Byron', dateOfBirth: '1985-12-10', country: 'United States', nationality: 'US' },
  ...{ email: 'ada@tern.example', documentType: 'passport', issuingCountry: '', currencyPreference: 'USD' },
  ...{ streetAddress: '1 Main Street', city: 'Austin', state: 'TX', postalCode: '73301' },
  ...{ idNumber: '078-05-1120', documentNumber: 'PASS7391846', localName: 'Άντα' },
} as unknown as VerificationForm

// Invalid UTF-8, which a conversion to text would alter.
const pictureBytes = Buffer.from([0xff, 0xd8, 0x80])

// Fills more than two batches.
const waitingMailCount = 450

let people: Awaited<ReturnType<typeof createRecords>>
beforeAll(async () => {
  people = await createRecords()
})

/**
 * Stores sealed values in every sealed column except retained hash keys, under `oldSecret` and in the format of
 * versions without key ids.
 */
async function createRecords() {
  const tern = await createTestIdentity(database, { secret: oldSecret })
  await createTransparency({ secret: oldSecret, publicUrl: 'https://tern.example' }).ensureKey(pool)
  const steps = createFactorTests(tern)
  const ada = await tern.signUp('ada')
  const app = await steps.enrollTotp(ada.token)
  await steps.confirmed('POST', '/api/user/totp', ada.token, app.secret)
  const eve = await tern.signUp('eve')
  const key = await steps.enrollPasskey(eve.token)
  const [submission, hash] = [newId(new Date()), Buffer.alloc(32, 1)]
  const mails = Array.from({ length: waitingMailCount }, () => newId(new Date()))
  const [mail = ''] = mails
  const person = { id: submission, userId: BigInt(ada.id), provider: 'sandbox', form }
  await transact(pool, (tx) =>
    insertSubmission({ seal: createSeal(oldSecret, 'kyc/numbers') }, tx, { ...person, at: new Date(0) }),
  )
  await pool.query('update app_user set email_verified_at = now(), local_name = $2 where id = $1', [
    ada.id,
    createSeal(oldSecret, 'identity/local-name').seal('Άντα', `local name ${ada.id}`),
  ])
  const document = newId(new Date())
  await pool.query(
    `insert into kyc_document (id, user_id, document_type, content_type, size_bytes, content, created_at)
     values ($1, $2, 'passport', 'image/jpeg', 3, $3, now())`,
    [document, ada.id, createSeal(oldSecret, documentSealPurpose).seal(pictureBytes, document)],
  )
  // Inserts the file without its dispute, and the check without its account, which these tests do not need.
  const file = newId(new Date())
  const sealedPicture = createSeal(oldSecret, disputeFilePurpose).seal(pictureBytes, file).toString('hex')
  const sealedName = createSeal(oldSecret, payeeSealPurpose).seal('I. Okafor', file).toString('hex')
  await pool.query(`begin; set local session_replication_role = replica;
    insert into dispute_file (id, dispute_id, content_type, size_bytes, sha256, content, created_at)
      values ('${file}', '${file}', 'image/jpeg', 3, sha256(''), '\\x${sealedPicture}', now());
    insert into payee_check (id, user_id, bank_account_id, provider, scheme, result, subject_hash, known_name, checked_at, valid_until)
      values ('${file}', ${ada.id}, '${file}', 'sandbox', 'none', 'close_match', '\\x00', '\\x${sealedName}', now(), now());
    commit`)
  const mailSeal = createSeal(oldSecret, 'notifications/mail')
  await pool.query(
    `insert into mail (id, template, content, created_at)
     select id, 'log_in', content, now() from unnest($1::uuid[], $2::bytea[]) as written (id, content)`,
    [mails, mails.map((id) => mailSeal.seal('a waiting email', id))],
  )
  await pool.query(
    `insert into external_sign_in (hash, provider, mode, nonce, browser, verifier, created_at, expires_at)
     values ($1, 'google', 'popup', 'n', '\\x00', $2, now(), now() + interval '15 minutes')`,
    [hash, createSeal(oldSecret, 'identity/external-sign-in').seal('verifier', hash.toString('hex'))],
  )
  const retainedId = newId(new Date())
  await pool.query(
    `insert into retained_identity (id, user_id, content, closed_at, due_at) values ($1, $2, $3, now(), now())`,
    [retainedId, ada.id, createSeal(oldSecret, 'privacy/retained-identity').seal('{}', retainedId)],
  )
  const paymentId = newId(new Date())
  await pool.query(
    `insert into travel_rule_record (transaction_id, originator_id, beneficiary_id, kind, content, moved_at, recorded_at)
     values ($1, $2, $3, 'send', $4, now(), now())`,
    [paymentId, ada.id, eve.id, createSeal(oldSecret, travelRulePurpose).seal('{}', paymentId)],
  )
  const certificateId = newId(new Date())
  await pool.query(
    `insert into balance_certificate (id, user_id, code_hash, facts, created_at) values ($1, $2, sha256(''), $3, now())`,
    [certificateId, ada.id, createSeal(oldSecret, certificateSealPurpose).seal('{}', certificateId)],
  )
  for (const { table, column } of sealedColumns) {
    await pool.query(`update ${table} set ${column} = '\\x01'::bytea || substring(${column} from 6)`)
  }
  await tern.close()
  return { ada, app, eve, key, submission, mail, document }
}

/** Opens the identity service with this secret. */
async function openIdentity(secret: Secret) {
  const tern = await createTestIdentity(database, { secret })
  return { tern, steps: createFactorTests(tern) }
}

let minutes = 5
async function expectAllSignIn(secret: Secret, recoveryCode: string): Promise<void> {
  const { tern, steps } = await openIdentity(secret)
  try {
    minutes += 2
    tern.advance(minutes * 60_000)
    const appCodeSignIn = await steps.answerChallenge(await steps.challengeOf('ada'), steps.codeOf(people.app.secret))
    expect(appCodeSignIn.status, JSON.stringify(appCodeSignIn.body)).toBe(200)
    const recoveryCodeSignIn = await steps.answerChallenge(
      await steps.challengeOf('ada'),
      recoveryCode,
      'recovery_code',
    )
    expect(recoveryCodeSignIn.status, JSON.stringify(recoveryCodeSignIn.body)).toBe(200)
    const { ceremony, options } = (await steps.call('POST', '/api/auth/passkey/options')).body
    const body = { ceremony, response: people.key.authenticator.get(options) }
    expect((await steps.call('POST', '/api/auth/passkey', { body })).status).toBe(200)
  } finally {
    await tern.close()
  }
}

const formatAudit = async () => formatReport(await audit(pool), deriveKeyId(newSecret).toString('hex'))

test('knows every column that may hold sealed values', async () => {
  const { rows } = await pool.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public' and data_type = 'bytea'`,
  )
  const hashPattern =
    /\.(hash|request_hash|request_digest|fingerprint|account|target|browser|device|binding|mailed_code|code_hash|successor|signature|enrolment_hash|subject_hash|sha256)$/
  const publicKeys = new Set(['passkey.public_key', 'desk_passkey.public_key'])
  // Hashes and salts of the transparency log and of the trees of liabilities, whose balances are readable here anyway.
  const logPattern = /^(transparency_(?!key\.private_key)|liability_)/
  const encryptedColumns = rows
    .map(({ name }) => name)
    .filter((name) => !hashPattern.test(name) && !publicKeys.has(name) && !logPattern.test(name))
  expect(encryptedColumns.toSorted()).toEqual(sealedColumns.map(({ table, column }) => `${table}.${column}`).toSorted())
  for (const { table, column } of sealedColumns) {
    if (table === 'retained_hash_key') continue
    const { rowCount } = await pool.query(`select from ${table} where ${column} is not null`)
    expect(rowCount, `${table}.${column} was filled`).toBeGreaterThan(0)
  }
})

test('a new secret without the old one does not start; with it, everything works before anything is sealed again', async () => {
  await expect(openIdentity(newSecret)).rejects.toThrow('TERN_SECRET is not the secret this database was set up with')
  await expectAllSignIn(bothKeys, people.app.recoveryCodes?.[0] ?? '')
  expect(await formatAudit()).toMatch(new RegExp(`${waitingMailCount + 14} sealed values under a secret without id`))
  expect(await formatAudit()).toContain(`${waitingMailCount + 14} to seal again: npx tern reseal`)
})

test('resealing skips locked rows, resumes where it stopped, and may run twice concurrently', async () => {
  // A separate connection, independent of the limits of pools.
  const blocker = new pg.Client({ connectionString: database.url })
  await blocker.connect()
  await blocker.query('begin')
  await blocker.query('select from kyc_submission for update')
  expect(await resealAll(pool, bothKeys)).toMatchObject({ left: 2, unreadable: [] })
  expect(await formatAudit()).toMatch(/2 to seal again/)
  await blocker.query('rollback')
  await blocker.end()
  const [firstRun, secondRun] = await Promise.all([resealAll(pool, bothKeys), resealAll(pool, bothKeys)])
  expect(firstRun.resealed + secondRun.resealed).toBe(2)
  expect(await resealAll(pool, bothKeys)).toEqual({ resealed: 0, left: 0, unreadable: [] })
  expect(await formatAudit()).toContain('No row is under an old secret.')
})

test('afterwards the old secret can be removed: every factor, form and waiting email still opens', async () => {
  await expectAllSignIn(newSecret, people.app.recoveryCodes?.[1] ?? '')
  const transparency = createTransparency({ secret: newSecret, publicUrl: 'https://tern.example' })
  expect((await transparency.readPolicy(pool)).log).toMatch(/^tern\.example\/log\+/)
  const seal = createSeal(newSecret, 'kyc/numbers')
  const at = new Date()
  const claimedSubmission = await claimForPoll({ seal }, pool, { id: people.submission, polledBefore: at, at })
  expect(claimedSubmission?.form).toMatchObject({
    idNumber: '078-05-1120',
    documentNumber: 'PASS7391846',
    localName: 'Άντα',
  })
  const { rows } = await pool.query<{ kind: string; fingerprint: Buffer }>(
    'select kind, fingerprint from kyc_number order by kind',
  )
  // Duplicates are recognized under the new secret, in any notation of the number.
  expect(rows).toEqual([
    {
      kind: 'documentNumber',
      fingerprint: computeFingerprint(seal, 'United States', 'documentNumber', 'pass 7391846'),
    },
    { kind: 'idNumber', fingerprint: computeFingerprint(seal, 'United States', 'idNumber', '078051120') },
  ])
  const { rows: mails } = await pool.query<{ content: Buffer }>('select content from mail where id = $1', [people.mail])
  expect(createSeal(newSecret, 'notifications/mail').open(mails[0]!.content, people.mail)).toBe('a waiting email')
  const documentResult = await pool.query<{ content: Buffer }>('select content from kyc_document')
  const decryptedDocument = createSeal(newSecret, documentSealPurpose).openBytes(
    documentResult.rows[0]!.content,
    people.document,
  )
  expect(decryptedDocument.equals(pictureBytes)).toBe(true)
  // Starting with only the old secret fails with an instruction.
  await expect(openIdentity(oldSecret)).rejects.toThrow(UnknownSecretError)
  await expect(openIdentity(oldSecret)).rejects.toThrow('give the one before as TERN_OLD_SECRET')
})

test('interrupted resealing prevents a start without the old secret', async () => {
  await pool.query(
    `create function stop_here() returns trigger language plpgsql as $$ begin raise exception 'stopped'; end $$;
     create trigger stop_here before update on external_sign_in execute function stop_here()`,
  )
  await expect(resealAll(pool, [thirdSecret, newSecret])).rejects.toThrow('stopped')
  await pool.query('drop function stop_here() cascade')
  expect(await formatAudit()).toMatch(new RegExp(`[1-9]\\d* sealed values under an old secret \\(${thirdId}\\)`))
  await expect(openIdentity(thirdSecret)).rejects.toThrow(UnknownSecretError)
})

test('a third secret replaces the second, with the hash keys of the first', async () => {
  expect(await resealAll(pool, [thirdSecret, newSecret])).toMatchObject({ left: 0, unreadable: [] })
  await expectAllSignIn(thirdSecret, people.app.recoveryCodes?.[2] ?? '')
})

test('a value that no configured secret opens is named, and kept', async () => {
  const foreignSeal = createSeal(Buffer.alloc(32, 66), 'kyc/numbers').seal('{}', people.submission)
  await pool.query('update kyc_submission set numbers = $1', [foreignSeal])
  const report = await resealAll(pool, [thirdSecret])
  expect(report).toEqual({ resealed: 0, left: 0, unreadable: [`kyc_submission.numbers ${people.submission}`] })
  const { rows } = await pool.query<{ numbers: Buffer }>('select numbers from kyc_submission')
  expect(rows[0]?.numbers.equals(foreignSeal)).toBe(true)
})
