// Favorites: who can be marked, how they are shown, and the maximum.

import { randomUUID } from 'node:crypto'
import { addFavorite, favorites, removeFavorite } from '@tern/contract/identity/favorites'
import { sendMoney } from '@tern/contract/transfers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { settleCall } from '@tern/testkit/banking'
import { blockWriters } from '@tern/testkit/block-writers'

let world: TestApp
let alice: TestPerson
let bruno: TestPerson

beforeAll(async () => {
  world = await startTestApp()
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
  await world.fund(alice, 10_000)
})
afterAll(() => world.close())

const toParams = ({ id }: TestPerson) => ({ params: { id: String(id) } })
const pay = (from: TestPerson, to: TestPerson) =>
  from.call(sendMoney, {
    body: { recipient_id: to.id, amount: '1.00', source_currency: 'USD' },
    idempotencyKey: randomUUID(),
  })
const loadNames = async (person: TestPerson) => (await person.call(favorites, {})).map(({ name }) => name)

test('strangers, unknown numbers and oneself cannot be favorites', async () => {
  for (const id of [String(bruno.id), '1000000009', String(alice.id)]) {
    expect([id, await settleCall(alice.call(addFavorite, { params: { id } }))]).toEqual([
      id,
      expect.objectContaining({ code: 'not_found' }),
    ])
  }
  expect(await loadNames(alice)).toEqual([])
  expect((await world.raw('PUT', '/user/favorites/bruno', { token: alice.token })).status).toBe(422)
})

test('a paid user can be marked once, is listed with the whole name, and can be removed', async () => {
  const carol = await world.enroll('carol', 'Germany')
  await pay(alice, bruno)
  await pay(alice, carol)
  for (const person of [bruno, carol, bruno]) await alice.call(addFavorite, toParams(person))
  expect(await loadNames(alice)).toEqual(['carol Tester', 'bruno Tester'])
  expect((await alice.call(favorites, {}))[0]).toMatchObject({ id: carol.id, base_currency: 'EUR' })
  expect(await loadNames(bruno), 'marks are one’s own').toEqual([])
  // A completed payment counts in both directions.
  await bruno.call(addFavorite, toParams(alice))
  expect(await loadNames(bruno)).toEqual(['alice Tester'])
  for (const person of [carol, carol]) await alice.call(removeFavorite, toParams(person))
  expect(await loadNames(alice)).toEqual(['bruno Tester'])
})

test('a user has at most 24, also with concurrent marks', async () => {
  const { pool } = world.database
  const dora = await world.enroll('dora', 'United States')
  await world.fund(dora, 10_000)
  const people: TestPerson[] = []
  for (const name of ['first', 'second', 'third']) people.push(await world.enroll(name, 'Germany'))
  for (const person of people) await pay(dora, person)
  // Inserts 22 favorites directly into the database.
  await pool.query(
    `with person as (
       insert into app_user (id, email, username, created_at)
       select 2000000000 + n, 'p' || n || '@example.com', 'p' || n, now() from generate_series(1, 22) as n returning id
     ), wallet as (
       insert into wallet (id, user_id, name, base_currency, created_at)
       select gen_random_uuid(), id, 'Main wallet', 'EUR', now() from person
     )
     insert into favorite (user_id, favorite_id, created_at) select $1, id, now() from person`,
    [dora.id],
  )
  const writers = await blockWriters(world.database, 'favorite')
  const additions = Promise.all(people.map((person) => settleCall(dora.call(addFavorite, toParams(person)))))
  await writers.waitForWaiters(people.length)
  await writers.release()
  const outcomes = await additions
  expect(outcomes.filter((outcome) => outcome !== undefined)).toEqual([
    expect.objectContaining({ code: 'too_many_favorites' }),
  ])
  expect(await loadNames(dora)).toHaveLength(24)
  // Marking a favorite again is allowed at the maximum.
  const [favoritePerson] = await dora.call(favorites, {})
  await dora.call(addFavorite, { params: { id: String(favoritePerson!.id) } })
})
