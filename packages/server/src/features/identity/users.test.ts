import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../../tools/test-database.ts'
import { createTestIdentity } from './test-identity.ts'

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
    await tern.signUp('petra_k', { name: 'José Peña' })
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
