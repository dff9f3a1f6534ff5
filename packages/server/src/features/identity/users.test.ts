import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../../tools/test-database.ts'
import { transact } from '../../db.ts'
import { createTestIdentity, person } from './test-identity.ts'

let database: TestDatabase
let tern: Awaited<ReturnType<typeof createTestIdentity>>

beforeAll(async () => {
  database = await createTestDatabase()
  tern = await createTestIdentity(database)
})

afterAll(async () => {
  await tern.close()
  await database.drop()
})

const verify = (id: number, firstName: string, lastName: string) =>
  transact(database.pool, async (tx) => {
    await tern.identity.setLegalName(tx, BigInt(id), { firstName, lastName })
    await tern.identity.setKycStatus(tx, BigInt(id), 'verified')
  })

describe('finding people', () => {
  let token: string
  let ownId: number
  const search = async (query: string, exact?: string) => {
    const reply = await tern.http.inject({
      method: 'GET',
      url: '/api/user/search',
      query: { query, ...(exact ? { exact } : {}) },
      headers: { authorization: `Bearer ${token}` },
    })
    expect(reply.statusCode, reply.body).toBe(200)
    return reply.json<{ id: number; username: string; email?: string }[]>()
  }
  const names = async (query: string, exact?: string) => (await search(query, exact)).map(({ username }) => username)

  beforeAll(async () => {
    const me = await tern.signUp('searcher', { name: 'Zoë Searcher' })
    token = me.token
    ownId = me.id
    const petra = await tern.signUp('petra_k', { name: 'Somebody Else' })
    await verify(petra.id, 'José', 'Peña')
    await tern.signUp('petraxk')
    await tern.signUp('percent')
    for (let i = 0; i < 10; i += 1) await tern.signUp(`many${i}`)
  })

  test('by the beginning of a username, or of a name without regard to accents', async () => {
    expect(await names('PETR')).toEqual(['petra_k', 'petraxk'])
    expect(await names('jose p')).toEqual(['petra_k'])
    expect(await names('JOSÉ')).toEqual(['petra_k'])
    expect(await names('etra')).toEqual([])
    expect((await search('petra_k'))[0]).toMatchObject({ name: 'José Peña', base_currency: 'EUR' })
  })

  test('a name nobody has verified is neither found nor shown; verification puts the legal one in its place', async () => {
    const { id } = await tern.signUp('impostor', { name: 'Maria Famous' })
    const shown = async () => (await tern.get(`/api/user/profile/${id}`, token)).json().name
    const known = async () => (await tern.identity.usersById([BigInt(id)])).get(BigInt(id))?.name
    expect(await names('maria fam')).toEqual([])
    expect(await search('impostor')).toMatchObject([{ id, name: null }])
    expect(await search('impostor@tern.example')).toMatchObject([{ id, name: null }])
    expect([await shown(), await known()]).toEqual([null, null])
    await verify(id, 'Hans', 'Schmidt')
    expect(await names('maria fam')).toEqual([])
    expect(await names('hans schm')).toEqual(['impostor'])
    expect(await search('impostor')).toMatchObject([{ id, name: 'Hans Schmidt' }])
    expect([await shown(), await known()]).toEqual(['Hans Schmidt', 'Hans Schmidt'])
  })

  test.each(['\u202E', '\u202A', '\u2066', '\u2069', '\u200E', '\u200F', '\u061C', '\u200B', '\u2060', 'x\uFEFFx'])(
    'nobody is called by the deceptive %j',
    async (deceptive) => {
      const reply = await tern.post('/api/user/register', { ...person('shifty'), name: `Ann${deceptive}Lee` })
      expect(reply.statusCode).toBe(422)
      expect(reply.json().errors).toEqual([
        { field: 'name', message: 'Invisible characters that change how text reads are not allowed' },
      ])
    },
  )

  test('joiners, which some scripts need, are part of a name', async () => {
    const { token: own } = await tern.signUp('joined', { name: 'क्‍ष نمی‌خواهم' })
    expect((await tern.get('/api/user/user', own)).json().name).toBe('क्‍ष نمی‌خواهم')
  })

  test('shows the searcher too, so that the page can say why not', async () => {
    expect((await search('searcher'))[0]?.id).toBe(ownId)
  })

  test('takes % and _ literally', async () => {
    expect(await names('petra_')).toEqual(['petra_k'])
    expect(await names('%%')).toEqual([])
    expect(await names('__')).toEqual([])
    expect(await names('pe%')).toEqual([])
    expect(await names(String.raw`pe\\`)).toEqual([])
  })

  test('tells an email only to whoever typed it whole', async () => {
    expect((await search('petra_k')).every((user) => user.email === undefined)).toBe(true)
    expect(await search('petra_k@tern')).toEqual([])
    expect(await search('Petra_K@Tern.example')).toMatchObject([{ username: 'petra_k', email: 'petra_k@tern.example' }])
    expect(await search('petra_k@tern.example', 'true')).toMatchObject([{ email: 'petra_k@tern.example' }])
  })

  test('exactly, when asked', async () => {
    expect(await names('petra', 'true')).toEqual([])
    expect(await names('PETRAXK', 'true')).toEqual(['petraxk'])
    expect(await names('José Peña', 'true')).toEqual([])
  })

  test('at most eight', async () => {
    expect(await search('many')).toHaveLength(8)
  })

  test.each(['', 'a', ' a ', undefined, 'x'.repeat(255)])('not by %j', async (query) => {
    const reply = await tern.get(
      `/api/user/search${query === undefined ? '' : `?query=${encodeURIComponent(query)}`}`,
      token,
    )
    expect(reply.statusCode).toBe(422)
    expect(reply.json().errors[0].field).toBe('query')
  })

  test('not without a session, and not without end', async () => {
    expect((await tern.get('/api/user/search?query=petra')).statusCode).toBe(401)
    const other = await tern.signUp('greedy')
    const replies = await Promise.all(
      Array.from({ length: 125 }, () => tern.get('/api/user/search?query=petra', other.token)),
    )
    expect(replies.filter((reply) => reply.statusCode === 429)).toHaveLength(5)
    expect((await tern.get('/api/user/search?query=petra', token)).statusCode).toBe(200)
  })

  test('by number', async () => {
    const [user] = await search('petraxk')
    const reply = await tern.get(`/api/user/profile/${user!.id}`, token)
    expect(reply.json()).toEqual({ id: user!.id, username: 'petraxk', name: null, base_currency: 'EUR' })
    const mistyped = user!.id % 10 === 9 ? user!.id - 1 : user!.id + 1
    expect((await tern.get(`/api/user/profile/${mistyped}`, token)).statusCode).toBe(404)
    expect((await tern.get('/api/user/profile/1', token)).statusCode).toBe(422)
    expect((await tern.get(`/api/user/profile/${user!.id}`)).statusCode).toBe(401)
  })
})
