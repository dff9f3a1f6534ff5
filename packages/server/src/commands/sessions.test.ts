import { currentUser } from '@tern/contract/identity'
import { beforeEach, expect, test } from 'vitest'
import { settleCall } from '@tern/testkit/banking'
import { openTestApp } from '@tern/testkit/open-test-app'
import { callTern, ternEnvironment } from '@tern/testkit/processes/call-tern'
import type { TestPerson } from '@tern/testkit/app'

const world = await openTestApp()
let alice: TestPerson
let bruno: TestPerson
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
})

const query = async (sql: string, ...values: unknown[]) => (await world.database.pool.query(sql, values)).rows
const tern = (...parameters: string[]) =>
  callTern({ ...ternEnvironment(world), DATABASE_URL: world.database.applicationUrl }, 'sessions', ...parameters)
const readCode = async (person: TestPerson) => {
  const outcome = await settleCall(person.call(currentUser, {}))
  return 'code' in outcome ? outcome.code : 'open'
}
const countMails = async ({ id }: TestPerson) =>
  (await query(`select from mail where user_id = $1 and template = 'sessions_ended'`, id)).length
const readLine = async () =>
  (await query('select act, subject, actor, operator_id, reason from desk_log order by number desc limit 1'))[0]

test("one user's sessions end at once, with a reason in the desk's log and a mail to the user", async () => {
  expect([await readCode(alice), await readCode(bruno)]).toEqual(['open', 'open'])
  const { code, text } = await tern('--end', alice.email, '--because', 'Stolen phone', '--by', 'Ines')
  expect([code, text.trim()]).toEqual([0, `1 sessions of user ${alice.id} ended.`])
  await expect.poll(() => readCode(alice)).toBe('unauthenticated')
  expect(await readCode(bruno)).toBe('open')
  expect([await countMails(alice), await countMails(bruno)]).toEqual([1, 0])
  expect(await readLine()).toEqual({
    ...{ act: 'sessions_ended', subject: String(alice.id), actor: 'Ines', operator_id: null, reason: 'Stolen phone' },
  })
  expect(await query('select revoked_reason from session where user_id = $1', alice.id)).toEqual([
    { revoked_reason: 'ended_by_operator' },
  ])
  await tern('--end', String(alice.id), '--because', 'Again')
  expect(await countMails(alice), 'without a session nothing ends').toBe(1)
})

test('all sessions of all users end with one command', async () => {
  const { code, text } = await tern('--end-all', '--because', 'Leaked key')
  expect([code, text]).toEqual([0, expect.stringMatching(/^\d+ sessions of \d+ users ended\.\s*$/)])
  await expect
    .poll(async () => [await readCode(alice), await readCode(bruno)])
    .toEqual(['unauthenticated', 'unauthenticated'])
  expect([await countMails(alice), await countMails(bruno)]).toEqual([1, 1])
  expect(await readLine()).toMatchObject({ act: 'sessions_ended', subject: 'everyone', reason: 'Leaked key' })
  expect(await query('select from session where revoked_at is null')).toEqual([])
})

test('an unknown user, a missing reason and contradictory parameters end nothing', async () => {
  expect((await tern('--end', 'nobody@tern.example', '--because', 'x')).code).toBe(1)
  for (const parameters of [
    ['--end', alice.email],
    ['--end-all'],
    ['--end', alice.email, '--end-all', '--because', 'x'],
    ['--because', 'x'],
  ]) {
    expect((await tern(...parameters)).code, parameters.join(' ')).toBe(2)
  }
  expect(await readCode(alice)).toBe('open')
})
