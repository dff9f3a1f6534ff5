import { expect, test, vi } from 'vitest'
import { useRealPasswordCost } from '../../../../../../tools/cheap-passwords.ts'
import { createTestDatabase } from '../../../../../../tools/testing/test-database.ts'

// Another file of this worker may have imported these modules and hashed the decoy cheaply.
vi.resetModules()
useRealPasswordCost()
const { hashPassword, isPassword } = await import('./passwords.ts')
const { openTestIdentity, password, person, timeRatio } = await import('../test-identity.ts')

const database = await createTestDatabase()
const tern = await openTestIdentity(database)

test('a password is stored as Argon2id with 19 MiB and two passes', async () => {
  expect(await hashPassword(password)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  await tern.signUp('costly')
  const { rows } = await database.pool.query(`select password_hash from app_user where username = 'costly'`)
  expect(rows[0].password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

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

test('a login takes as long for an unknown email as for a wrong password', async () => {
  await tern.signUp('carl')
  const guess = async (name: string) => {
    await database.pool.query('delete from login_attempt')
    await tern.post('/api/user/login', { email: `${name}@tern.example`, password: 'not this one' })
  }
  const ratio = await timeRatio(
    (i) => guess(`nobody-${i}`),
    () => guess('carl'),
    { rounds: 15, suspicious: 2 },
  )
  expect(ratio).toBeGreaterThan(0.5)
  expect(ratio).toBeLessThan(2)
})
