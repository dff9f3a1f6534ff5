import { expect, test, vi } from 'vitest'
import { useRealPasswordCost } from '../../../../../../tools/cheap-passwords.ts'
import { createTestDatabase } from '@tern/testkit/database'

// Reloads the modules, because an earlier test file of this worker may have cached a decoy hash of lower cost.
vi.resetModules()
useRealPasswordCost()
const { hashPassword, isPassword } = await import('./passwords.ts')
const { openTestIdentity, password, buildRegistration, timeRatio } = await import('@tern/testkit/identity/identity')

const database = await createTestDatabase()
const tern = await openTestIdentity(database)

test('a password is stored as Argon2id with 19 MiB and two passes', async () => {
  expect(await hashPassword(password, 'home')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  await tern.signUp('costly')
  const { rows } = await database.pool.query(`select password_hash from app_user where username = 'costly'`)
  expect(rows[0].password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

test('a flood from one network delays only itself, and gets a retry time', async () => {
  await tern.signUp('patient')
  const { email } = buildRegistration('patient')
  // Each call comes from a new address unless one is given.
  const logIn = (remoteAddress?: string) =>
    remoteAddress === undefined
      ? tern.post('/api/user/login', { email, password })
      : tern.http.inject({ method: 'POST', url: '/api/user/login', remoteAddress, payload: { email, password } })
  const storedHash = await hashPassword(password, 'home')
  let isFlooded = true
  const floodHashes = Promise.allSettled(
    Array.from({ length: 30 }, async () => {
      while (isFlooded) await isPassword(undefined, 'any', '192.0.2.1')
    }),
  )
  await expect(hashPassword('any', '192.0.2.1')).rejects.toMatchObject({ code: 'rate_limited' })
  // More attempts than an account may fail; attempts refused before the check do not count as failures.
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const rejectedLogin = await logIn('192.0.2.1')
    expect([rejectedLogin.statusCode, rejectedLogin.json().code]).toEqual([429, 'rate_limited'])
    expect(rejectedLogin.headers['retry-after']).toBe('3')
    expect(rejectedLogin.json()).toMatchObject({
      reason: 'logins_of_network',
      detail: 'Many logins from your network are being checked right now. Please try again in a few seconds.',
    })
  }
  expect((await logIn()).statusCode, 'from elsewhere').toBe(200)
  isFlooded = false
  expect((await floodHashes).filter(({ status }) => status === 'rejected').length).toBeGreaterThanOrEqual(15)
  expect(await isPassword(storedHash, password, 'home')).toBe(true)
  expect(await isPassword(null, 'nobody has this password', 'home')).toBe(false)
  expect((await logIn('192.0.2.1')).statusCode).toBe(200)
})

test('a login takes as long for an unknown email as for a wrong password', async () => {
  await tern.signUp('carl')
  const guessPassword = async (name: string) => {
    await database.pool.query('delete from login_attempt')
    await tern.post('/api/user/login', { email: `${name}@tern.example`, password: 'not this one' })
  }
  const ratio = await timeRatio(
    (i) => guessPassword(`nobody-${i}`),
    () => guessPassword('carl'),
    { rounds: 15, suspiciousRatio: 2 },
  )
  expect(ratio).toBeGreaterThan(0.5)
  expect(ratio).toBeLessThan(2)
})
