import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../../../../tools/testing/test-database.ts'
import { hashPassword, isPassword } from './passwords.ts'
import { openTestIdentity, password, person } from '../test-identity.ts'

const tern = await openTestIdentity(await createTestDatabase())

test('a flood of passwords has 200 checked, without slowing later ones', async () => {
  await tern.signUp('patient')
  const { email } = person('patient')
  const logIn = () => tern.post('/api/user/login', { email, password })
  const stored = await hashPassword(password)
  let isFlooded = true
  const flood = Promise.allSettled(
    Array.from({ length: 230 }, async () => {
      while (isFlooded) await isPassword(undefined, 'any')
    }),
  )
  await expect(hashPassword('any')).rejects.toMatchObject({ code: 'rate_limited' })
  // More often than the account may fail: unchecked attempts do not count.
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const turnedAway = await logIn()
    expect([turnedAway.statusCode, turnedAway.json().code]).toEqual([429, 'rate_limited'])
    expect(turnedAway.headers['retry-after']).toBe('5')
  }
  isFlooded = false
  expect((await flood).filter(({ status }) => status === 'rejected')).toHaveLength(30)
  expect(await isPassword(stored, password)).toBe(true)
  expect(await isPassword(null, 'nobody has this password')).toBe(false)
  expect((await logIn()).statusCode).toBe(200)
})
