import type { IdentityResult } from '@tern/providers/verify/port'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { validForm, startTestKyc, type TestKyc } from '@tern/testkit/kyc/kyc'
import { generateNationalId } from '@tern/testkit/national-ids'
import { createKyc, type Kyc } from './kyc.ts'

let world: TestKyc
let kyc: Kyc
let areListsTooOld = true
let answer: 'verified' | 'in_review' | 'rejected'

beforeAll(async () => {
  world = await startTestKyc()
  const lookUpCheck = (checkId: string): Promise<IdentityResult> =>
    Promise.resolve({ status: answer, checkId, reasons: [], isHosted: false })
  kyc = createKyc(buildOptions(lookUpCheck))
})
afterAll(() => world.close())
beforeEach(() => {
  areListsTooOld = true
  answer = 'verified'
})

const buildOptions = (lookup: (checkId: string) => Promise<IdentityResult>) => ({
  ...world.optionsWith({
    minPauseMs: 0,
    create: ({ reference }) => lookup(`ck_${reference}`),
    lookup,
    openPage: () => Promise.resolve({ status: 'ended' as const }),
    redact: () => Promise.resolve({ status: 'redacted' as const }),
    verifyEvent() {
      throw new Error('no events')
    },
  }),
  lists: { areTooOld: () => Promise.resolve(areListsTooOld) },
})

async function submitPerson(name: string): Promise<{ id: bigint; isVerified: () => Promise<boolean> }> {
  const person = await world.signUp(name)
  const id = BigInt(person.user.id)
  await kyc.submit({
    userId: id,
    form: { ...validForm, email: `${name}@tern.example`, idNumber: generateNationalId(validForm.country) },
  })
  return { id, isVerified: () => world.isVerified(person) }
}
/** Polls like the worker, at a time after the last poll. */
const resume = () => kyc.resumePending(new Date(world.now().getTime() + 1000))

test('while lists are stale no one is verified, and applicants see the reason; verification resumes by itself', async () => {
  const { id, isVerified } = await submitPerson('waits')
  await resume()
  expect(await kyc.status(id)).toEqual({
    status: 'pending',
    reasons: [{ field: 'check', code: 'lists_not_current' }],
    nextStep: null,
  })
  expect(await isVerified()).toBe(false)
  areListsTooOld = false
  expect(await resume()).toBe(1)
  expect(await kyc.status(id)).toEqual({ status: 'verified', reasons: [], nextStep: null })
  expect(await isVerified()).toBe(true)
})

test('a negative identity answer does not wait for lists', async () => {
  answer = 'rejected'
  const { id } = await submitPerson('rejected')
  expect((await kyc.status(id)).status).toBe('rejected')
})

test('operators cannot verify anyone while lists are stale, and the review stays open', async () => {
  answer = 'in_review'
  const { id, isVerified } = await submitPerson('reviewed')
  const { reviews } = createKyc(buildOptions(() => Promise.reject(new Error('never asked'))))
  const { id: submission } = (await reviews.list(world.database.pool)).find(({ userId }) => userId === id)!
  await expect(reviews.decide({ id: submission, verdict: 'verify' })).rejects.toMatchObject({
    code: 'desk_not_carried_out',
  })
  expect(await isVerified()).toBe(false)
  areListsTooOld = false
  await reviews.decide({ id: submission, verdict: 'verify' })
  expect(await isVerified()).toBe(true)
})
