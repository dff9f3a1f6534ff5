import type { CurrencyCode } from '@tern/money/currency'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openTestDatabase } from '@tern/testkit/open-test-database'
import { newId } from '../../../platform/ids.ts'
import { indexTransactions } from './transaction-index.ts'
import { listTransactions, type TransactionFilter } from './transaction-list.ts'

let owner = 1_000_000_000n
const unreachableCount = 1_000_000

const database = await openTestDatabase()
beforeEach(() => {
  owner += 10n
})
afterEach(async () => {
  // Word counts match the indexed rows, and all rows are within the recorded bounds.
  const { rows } = await database.pool.query(
    `with held as (
       select user_id, substr(lexeme, position(':' in lexeme) + 1) collate "C" as word, facet, count(*) as row_count,
           min(id::text) as first_id, max(id::text) as last_id,
           min(description) as first_description, max(description) as last_description
         from transaction_search, unnest(tsvector_to_array(terms)) as lexeme
        where lexeme ~ '^[^@:]*:([^0-9]|20[0-9][0-9]$)' group by 1, 2, 3
     )
     select user_id, word, facet, held.row_count as held, counted.row_count as counted
       from held full join (select * from transaction_word where row_count > 0) as counted using (user_id, word, facet)
      where held.row_count is distinct from counted.row_count
         or held.first_id < counted.first_id::text or held.last_id > counted.last_id::text
         or held.first_description < counted.first_description or held.last_description > counted.last_description`,
  )
  expect(rows).toEqual([])
})

interface Row {
  readonly id: string
  readonly kind: string
  status: string
  readonly description: string
  readonly source: CurrencyCode
  readonly target: CurrencyCode
  readonly sourceAmount: number
  readonly targetAmount: number
  readonly fee: number
  readonly counterparty: bigint | null
  /** Sender; defaults to the counterparty. */
  readonly sender?: bigint
}

const kinds = ['DEPOSIT', 'WITHDRAW', 'SEND', 'RECEIVE', 'EXCHANGE'] as const
const names = ['Ines', 'Lucas', 'Zoë'] as const
const people = names.map((name, index) => ({ id: 9_000_000_000n + BigInt(index), name }))

/** Inserts a user whom rows can name. */
async function register(id: bigint, username: string, name: string): Promise<void> {
  await database.pool.query(
    `insert into app_user (id, email, username, name, created_at) values ($1, $2, $3, $4, now()) on conflict do nothing`,
    [id, `${username}@example.com`, username, name],
  )
}

// Fixed, since rows are found by words of their time.
const createdAt = '2026-09-08T07:06:00Z'
const timeWords = ['september', '08', '8', '2026', '07:06']

/** Texts of the product's descriptions, with their codes. */
const productCodes: Readonly<Record<string, string>> = {
  'Added by card': 'card_deposit',
  'USD to EUR': 'exchange {"from":"USD","to":"EUR"}',
  'To émile & co, ending in 17.5': 'withdrawal {"bank":"émile & co","last4":"17.5"}',
  'Withdrawal returned by Rent {to} "O\'Hara"': 'withdrawal_returned {"bank":"Rent {to} \\"O\'Hara\\""}',
}
const isTransferKind = (kind: string): boolean => kind === 'SEND' || kind === 'RECEIVE'

async function insertRow(userId: bigint, row: Row): Promise<void> {
  await database.pool.query(
    `insert into transaction (user_id, id, posting_id, kind, status, created_at, sender_id, recipient_id, wallet_id, description,
         source_amount, source_currency, target_amount, target_currency, fee_amount, fee_currency)
       values ($1, $2, gen_random_uuid(), $3, $4, $12, $13, $5, gen_random_uuid(), $6, $7, $8, $9, $10, $11, $8)`,
    [
      userId,
      row.id,
      row.kind,
      row.status,
      row.counterparty,
      isTransferKind(row.kind) ? row.description : productCodes[row.description],
      row.sourceAmount,
      row.source,
      row.targetAmount,
      row.target,
      row.fee,
      createdAt,
      row.sender ?? row.counterparty,
    ],
  )
}

const start = Date.parse('2026-01-01T00:00:00Z')
const hourMs = 3_600_000

const rowArbitrary = fc
  .record({
    id: fc.integer({ min: 0, max: 400 }).map((hours) => newId(new Date(start + hours * hourMs))),
    kind: fc.constantFrom(...kinds),
    status: fc.constantFrom('COMPLETED', 'COMPLETED', 'PENDING', 'FAILED'),
    note: fc.constantFrom('', 'Rent', 'rent for March', 'Coffee', 'Invoice 17.5', 'émile & co'),
    productText: fc.constantFrom(...Object.keys(productCodes)),
    source: fc.constantFrom<CurrencyCode[]>('USD', 'EUR', 'JPY'),
    target: fc.constantFrom<CurrencyCode[]>('USD', 'EUR', 'USDT'),
    sourceAmount: fc.constantFrom(100, 100, 250, 9999),
    targetAmount: fc.constantFrom(100, 320, 320),
    fee: fc.constantFrom(0, 5),
    counterparty: fc.constantFrom(...people.map(({ id }) => id), null),
  })
  .map(({ note, productText, ...row }) =>
    Object.assign(row, { description: isTransferKind(row.kind) ? note : productText }),
  )

const filterArbitrary = fc.record({
  type: fc.constantFrom(undefined, undefined, ...kinds),
  status: fc.constantFrom(undefined, undefined, 'COMPLETED', 'PENDING', 'FAILED'),
  currency: fc.constantFrom(undefined, undefined, 'USD', 'EUR', 'USDT'),
  since: fc.constantFrom(undefined, undefined, new Date(start + 200 * hourMs)),
  search: fc.constantFrom(
    undefined,
    'rent',
    'REN',
    'co',
    'ines',
    'zoe',
    'usdt',
    '17.5',
    '1',
    '07:06',
    'rent march',
    'nothing',
    '05.01.2026',
    '2026-01-03 rent',
  ),
  sort: fc.constantFrom('date', 'type', 'description', 'amount', 'status'),
  order: fc.constantFrom('asc', 'desc'),
  limit: fc.integer({ min: 1, max: 12 }),
} as const)
type GeneratedFilter = typeof filterArbitrary extends fc.Arbitrary<infer T> ? T : never

const isIncoming = (row: Row) => row.kind === 'RECEIVE' || row.kind === 'DEPOSIT'
const computeSignedAmount = (row: Row) => (isIncoming(row) ? row.targetAmount : -(row.sourceAmount + row.fee))
const groups = ['USD', 'EUR', 'JPY', 'USDT']
const decimalsByCurrency: Partial<Record<CurrencyCode, number>> = { JPY: 0, USDT: 6 }
const formatAmount = (minor: number, currency: CurrencyCode) =>
  (minor / 10 ** (decimalsByCurrency[currency] ?? 2)).toFixed(decimalsByCurrency[currency] ?? 2)

/** Expected search words, built without product code. */
function listWords(row: Row): string[] {
  const hasCounterparty = row.kind === 'SEND' || row.kind === 'RECEIVE'
  const name = hasCounterparty ? (people.find(({ id }) => id === row.counterparty)?.name ?? '') : ''
  const words = `${row.description} ${name} ${row.kind} ${row.source} ${row.target}`
    .replaceAll(/[ëé]/g, 'e')
    .toLowerCase()
    .split(/[ &]+/)
  const paidAmounts = isIncoming(row) ? [] : [formatAmount(row.sourceAmount + row.fee, row.source)]
  return [
    ...words,
    ...timeWords,
    formatAmount(row.sourceAmount, row.source),
    formatAmount(row.targetAmount, row.target),
    ...paidAmounts,
  ]
}

/** Expected sort key of the description column. */
function describeRow(row: Row): string {
  const name = isTransferKind(row.kind) ? people.find(({ id }) => id === row.counterparty)?.name : undefined
  // No payment has arrived between the two: unfinished rows show initials.
  const person = row.status === 'COMPLETED' ? name : name && `${name.slice(0, 1)}.`
  const title = row.kind === 'EXCHANGE' ? `${row.source} to ${row.target}` : person
  const texts = title === undefined ? [row.description] : [title, row.description]
  return texts.join('\u0001').replaceAll('ë', 'e').replaceAll('é', 'e').toLowerCase()
}

const days = [
  { text: '05.01.2026', iso: '2026-01-05' },
  { text: '2026-01-03', iso: '2026-01-03' },
] as const

/** The expected list, computed naively. */
function computeExpectedIds(rows: readonly Row[], filter: GeneratedFilter): string[] {
  const direction = filter.order === 'asc' ? 1 : -1
  const findGroup = (row: Row) => groups.indexOf(isIncoming(row) ? row.target : row.source)
  const compare = <T>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0)
  const key = (row: Row) =>
    ({ date: '', type: row.kind, status: row.status, description: describeRow(row), amount: computeSignedAmount(row) })[
      filter.sort
    ]
  const parseIdTime = (id: string) => Number.parseInt(id.slice(0, 13).replace('-', ''), 16)
  return rows
    .filter((row) => filter.type === undefined || row.kind === filter.type)
    .filter((row) => filter.status === undefined || row.status === filter.status)
    .filter((row) => {
      const touchedCurrencies = [isIncoming(row) ? row.target : row.source, row.kind === 'EXCHANGE' ? row.target : '']
      return filter.currency === undefined || touchedCurrencies.includes(filter.currency)
    })
    .filter((row) => filter.since === undefined || parseIdTime(row.id) >= filter.since.getTime())
    .filter((row) => {
      const day = days.find(({ text }) => filter.search?.includes(text))
      const startMs = Date.parse(`${day?.iso ?? '2026-01-01'}T00:00:00Z`)
      return day === undefined || (parseIdTime(row.id) >= startMs && parseIdTime(row.id) < startMs + 24 * hourMs)
    })
    .filter((row) =>
      days
        .reduce((text, day) => text.replace(day.text, ''), filter.search ?? '')
        .trim()
        .toLowerCase()
        .split(' ')
        .every((word) => listWords(row).some((term) => term.startsWith(word))),
    )
    .toSorted((a, b) =>
      filter.sort === 'date'
        ? direction * compare(a.id, b.id)
        : filter.sort === 'amount' && findGroup(a) !== findGroup(b)
          ? compare(findGroup(a), findGroup(b))
          : direction * compare(key(a), key(b)) || compare(b.id, a.id),
    )
    .map((row) => row.id)
}

const list = (filter: Partial<TransactionFilter>, userId = owner) =>
  listTransactions({ primary: database.pool }, database.pool, {
    userId,
    filter: {
      limit: 10,
      offset: 0,
      sort: 'date',
      order: 'desc',
      reader: { locale: 'de-DE', now: new Date(start) },
      ...filter,
    },
    threshold: unreachableCount,
  })

/** Reads all pages by cursors in one direction; runs `insertBetween` before each further page. */
async function turnPages(
  filter: Partial<TransactionFilter>,
  {
    direction = 'next',
    insertBetween,
  }: { direction?: 'next' | 'previous'; insertBetween?: () => Promise<unknown> } = {},
): Promise<string[]> {
  const foundIds: string[] = []
  for (let cursor = filter.cursor; ;) {
    const page = await list({ ...filter, cursor })
    const ids = page.transactions.map(({ id }) => id)
    if (direction === 'next') foundIds.push(...ids)
    else foundIds.unshift(...ids)
    cursor = (direction === 'next' ? page.next_cursor : page.previous_cursor) ?? undefined
    if (cursor === undefined) return foundIds
    await insertBetween?.()
  }
}

/** Retries a check, since indexing waits for older transactions in the cluster, including those of other tests. */
const waitForCheck = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 300_000, interval: 100 })

/** Indexes a user's list, as viewing a long one would. */
async function indexRows(userId = owner): Promise<void> {
  await database.pool.query('insert into transaction_index_person (user_id) values ($1) on conflict do nothing', [
    userId,
  ])
  await indexTransactions(database.pool, unreachableCount)
}

/** Waits until all of a user's rows are indexed: a long unindexed tail is read row by row, which takes seconds. */
const indexAll = (count: number) =>
  waitForCheck(async () => {
    await indexRows()
    const { rows } = await database.pool.query('select from transaction_search where user_id = $1', [owner])
    expect(rows.length).toBe(count)
  })

test('every filter, order and search gives the same rows from the index, its tail and the plain table', async () => {
  for (const { id, name } of people) await register(id, name.toLowerCase().replace('ë', 'e'), name)
  await fc.assert(
    fc.asyncProperty(
      fc.array(rowArbitrary, { minLength: 5, maxLength: 60 }),
      fc.array(filterArbitrary, { minLength: 4, maxLength: 8 }),
      fc.constantFrom('none', 'all', 'part', 'again'),
      async (generatedRows, filters, indexing) => {
        const rows = generatedRows.map((row) => ({ ...row }))
        owner += 10n
        const isPart = indexing === 'part' || indexing === 'again'
        const splitIndex = isPart ? rows.length / 2 : rows.length
        for (const row of rows.filter((_, index) => index < splitIndex)) await insertRow(owner, row)
        if (indexing !== 'none') await indexRows()
        for (const row of rows.filter((_, index) => index >= splitIndex)) await insertRow(owner, row)
        // Completes some pending rows after the indexing.
        const completedRows = isPart ? rows.filter(({ status }, index) => status === 'PENDING' && index % 2 === 0) : []
        for (const row of completedRows) {
          row.status = 'COMPLETED'
          await database.pool.query(
            `update transaction set status = 'COMPLETED', xid = pg_current_xact_id() where user_id = $1 and id = $2`,
            [owner, row.id],
          )
        }
        if (indexing === 'again') await indexRows()
        for (const filter of filters) {
          const ids = computeExpectedIds(rows, filter)
          expect(await turnPages(filter), 'forwards').toEqual(ids)
          const offsetPage = await list({ ...filter, limit: 100, offset: 3 })
          expect(
            offsetPage.transactions.map(({ id }) => id),
            'by offset',
          ).toEqual(ids.slice(3))
          expect([offsetPage.total, offsetPage.total_is_exact]).toEqual([ids.length, true])
          const lastPage = await list({ ...filter, offset: Math.max(0, ids.length - filter.limit) })
          const previousIds =
            lastPage.previous_cursor === null
              ? []
              : await turnPages({ ...filter, cursor: lastPage.previous_cursor }, { direction: 'previous' })
          // The first page is always returned whole, so some rows repeat.
          const seenIds = new Set([...previousIds, ...lastPage.transactions.map(({ id }) => id)])
          expect([...seenIds], 'backwards').toEqual(ids)
        }
      },
    ),
    { numRuns: 25, seed: 20_261_128 },
  )
})

/** Inserts completed sends whose ids have ascending times, an hour apart. */
async function insertRows(
  count: number,
  buildDescription: (index: number) => string,
  userId = owner,
): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => newId(new Date(start + index * hourMs)))
  await database.pool.query(
    `insert into transaction (user_id, id, posting_id, kind, status, created_at, recipient_id, wallet_id, description,
         source_amount, source_currency, target_amount, target_currency, fee_amount, fee_currency)
       select $1, id, gen_random_uuid(), 'SEND', 'COMPLETED', now(), 9000000000, gen_random_uuid(), description,
           100, 'USD', 100, 'USD', 0, 'USD'
         from unnest($2::uuid[], $3::text[]) as row (id, description)`,
    [userId, ids, ids.map((_, index) => buildDescription(index))],
  )
  return ids
}

const readIds = (page: { transactions: { id: string }[] }) => page.transactions.map(({ id }) => id)

test.each([['from the index'], ['without it']])('rows added while paging do not shift pages, %s', async (source) => {
  const earlierIds = await insertRows(40, () => 'Rent')
  if (source === 'from the index') await indexRows()
  let addedCount = 0
  const insertBetween = async () => {
    addedCount += 1
    await insertRow(owner, {
      ...sampleRow,
      id: newId(new Date(start + ((addedCount * 7) % 50) * hourMs)),
      description: `new ${addedCount}`,
    })
    if (addedCount === 3) await indexRows()
  }
  for (const filter of [
    {},
    { order: 'asc' },
    { sort: 'amount' },
    { sort: 'description', order: 'asc' },
    { search: 'rent' },
  ] as const) {
    const ids = await turnPages({ ...filter, limit: 7 }, { insertBetween })
    expect(new Set(ids).size, 'no row twice').toBe(ids.length)
    expect(
      earlierIds.filter((id) => !ids.includes(id)),
      'none is missing',
    ).toEqual([])
  }
})

const sampleRow: Row = {
  id: '',
  kind: 'SEND',
  status: 'COMPLETED',
  description: 'Rent',
  source: 'USD',
  target: 'USD',
  sourceAmount: 100,
  targetAmount: 100,
  fee: 0,
  counterparty: 9_000_000_000n,
}

test('refuses a cursor that is forged, of another order or of another user', async () => {
  await insertRows(5, () => 'Rent')
  const strangerId = owner + 5n
  await insertRows(5, () => 'Rent', strangerId)
  const { next_cursor: next } = await list({ limit: 2 })
  const { next_cursor: strangerCursor } = await list({ limit: 2 }, strangerId)
  const cursors = ['x', '', Buffer.from('date desc on  1').toString('base64url'), strangerCursor ?? '']
  for (const cursor of [...cursors, Buffer.from(`date desc on  ${newId(new Date())}`).toString('base64url')]) {
    await expect(list({ cursor }), cursor).rejects.toMatchObject({
      code: 'invalid_request',
      details: { errors: [{ field: 'cursor' }] },
    })
  }
  await expect(list({ cursor: next ?? '', order: 'asc' })).rejects.toMatchObject({ code: 'invalid_request' })
  await expect(list({ at: new Date(), sort: 'amount' })).rejects.toMatchObject({
    details: { errors: [{ field: 'at' }] },
  })
  await expect(list({ at: new Date(), cursor: next ?? '' })).rejects.toMatchObject({
    details: { errors: [{ field: 'at' }] },
  })
})

test("no search shows other people's rows", async () => {
  const [first = ''] = await insertRows(3, () => 'Secret')
  await indexRows()
  const strangerId = owner + 5n
  await insertRows(3, () => 'Other', strangerId)
  await indexRows(strangerId)
  for (const search of ['secret', first, 's']) {
    const { transactions } = await list({ search }, strangerId)
    expect(transactions.map(({ description }) => description)).not.toContain('Secret')
  }
})

test.each([['from the index'], ['without it']])('a list starts at a date, %s', async (source) => {
  const ids = await insertRows(30, () => 'Rent')
  if (source === 'from the index') await indexRows()
  const at = new Date(start + 10 * hourMs)
  const newestPage = await list({ at, limit: 5 })
  expect(readIds(newestPage)).toEqual([10, 9, 8, 7, 6].map((index) => ids[index]))
  const laterPage = await list({ cursor: newestPage.previous_cursor ?? '', limit: 5 })
  expect(readIds(laterPage)).toEqual([15, 14, 13, 12, 11].map((index) => ids[index]))
  expect(readIds(await list({ at, limit: 3, order: 'asc' }))).toEqual([10, 11, 12].map((index) => ids[index]))
  const oldestPage = await list({ at: new Date(start - hourMs), limit: 3 })
  expect([readIds(oldestPage), oldestPage.next_cursor]).toEqual([[2, 1, 0].map((index) => ids[index]), null])
  const futurePage = await list({ at: new Date(start + 1000 * hourMs), limit: 3 })
  expect([readIds(futurePage), futurePage.previous_cursor]).toEqual([[29, 28, 27].map((index) => ids[index]), null])
})

test('after a restore into another cluster, lists are correct at once and reindexed', async () => {
  await insertRows(20, () => 'Rent')
  await indexRows()
  await database.pool.query('update transaction_index_position set cluster = cluster + 1, position = $1::xid8', [
    '999999999',
  ])
  await insertRow(owner, { ...sampleRow, id: newId(new Date(start)) })
  expect((await list({ search: 'rent' })).total).toBe(21)
  await indexTransactions(database.pool, unreachableCount)
  const { rows } = await database.pool.query('select from transaction_search where user_id = $1', [owner])
  expect(rows).toHaveLength(21)
  await database.pool.query('delete from transaction_index_position')
  await insertRow(owner, { ...sampleRow, id: newId(new Date(start)) })
  expect((await list({ search: 'rent' })).total).toBe(22)
  await indexTransactions(database.pool, unreachableCount)
  expect((await list({ search: 'rent' })).total).toBe(22)
})

test('a row whose status changes moves between lists, before and after reindexing', async () => {
  const ids = Array.from({ length: 6 }, () => newId(new Date(start)))
  for (const id of ids) await insertRow(owner, { ...sampleRow, id, status: 'PENDING' })
  await indexRows()
  await database.pool.query(
    `update transaction set status = 'COMPLETED', xid = pg_current_xact_id() where user_id = $1 and id = any($2::uuid[])`,
    [owner, ids.slice(0, 2)],
  )
  const loadTotals = () =>
    Promise.all(
      [{}, { status: 'PENDING' }, { status: 'COMPLETED' }, { status: 'COMPLETED', search: 'rent' }].map(
        async (filter) => {
          const page = await list(filter)
          return [page.total, new Set(readIds(page)).size, page.transactions.length]
        },
      ),
    )
  const expectedCounts = [6, 4, 2, 2].map((count) => [count, count, count])
  expect(await loadTotals()).toEqual(expectedCounts)
  await indexRows()
  expect(await loadTotals()).toEqual(expectedCounts)
})

test('counts up to 10,000 rows, indexed or not', async () => {
  await insertRows(10_000, (index) => (index % 2 === 0 ? 'Rent' : 'Coffee'))
  const loadCounts = async () => {
    const pages = await Promise.all([
      list({}),
      list({ search: 'rent' }),
      list({ search: '9000000000' }),
      list({ search: 's' }),
    ])
    return pages.map(({ total, total_is_exact: isExact }) => [total, isExact])
  }
  const exactTotals = [
    [10_000, true],
    [5000, true],
    [0, true],
    [10_000, true],
  ]
  expect(await loadCounts()).toEqual(exactTotals)
  await indexRows()
  expect(await loadCounts()).toEqual(exactTotals)
  await insertRow(owner, { ...sampleRow, id: newId(new Date()), description: 'Cat' })
  const expectedTotals = [[10_000, false], ...exactTotals.slice(1, 3), [10_000, false]]
  expect(await loadCounts()).toEqual(expectedTotals)
  await indexRows()
  expect(await loadCounts()).toEqual(expectedTotals)
  // With equal amounts, the newest come first.
  const [newestPage, sortedByAmount] = [
    await list({ search: 's' }),
    await list({ search: 's', sort: 'amount', order: 'asc' }),
  ]
  expect(readIds(sortedByAmount)).toEqual(readIds(newestPage))
  const nextQuery = { search: 's', sort: 'amount', order: 'asc', cursor: sortedByAmount.next_cursor ?? '' } as const
  expect(readIds(await list(nextQuery))).toEqual(readIds(await list({ offset: 10 })))
})

test('finds rows far from the newest in every order from every place', async () => {
  const ids = await insertRows(14_000, (index) => (index < 11_000 ? `Old ${index % 3}` : 'New'))
  await indexAll(ids.length)
  const oldIds = ids.slice(0, 11_000)
  const expectedOrders = {
    date: { asc: oldIds, desc: oldIds.toReversed() },
    // With equal amounts and types, the newest come first.
    amount: { asc: oldIds.toReversed(), desc: oldIds.toReversed() },
    type: { asc: oldIds.toReversed(), desc: oldIds.toReversed() },
    description: {
      asc: [0, 1, 2].flatMap((remainder) => oldIds.filter((_, index) => index % 3 === remainder).toReversed()),
      desc: [2, 1, 0].flatMap((remainder) => oldIds.filter((_, index) => index % 3 === remainder).toReversed()),
    },
  }
  for (const sort of ['date', 'amount', 'type', 'description'] as const) {
    for (const order of ['asc', 'desc'] as const) {
      for (const filter of [{ search: 'old' }, { search: 'ol', type: 'SEND' }, { search: 'old usd 2026' }]) {
        const page = await list({ ...filter, sort, order })
        expect(readIds(page)).toEqual(expectedOrders[sort][order].slice(0, 10))
        expect([page.total, page.total_is_exact]).toEqual([10_000, false])
        const next = await list({ ...filter, sort, order, cursor: page.next_cursor ?? '' })
        expect(readIds(next)).toEqual(expectedOrders[sort][order].slice(10, 20))
        const previousPage = await list({ ...filter, sort, order, cursor: next.previous_cursor ?? '' })
        expect(readIds(previousPage)).toEqual(readIds(page))
      }
    }
  }
  const at = new Date(start + 5000.5 * hourMs)
  expect(readIds(await list({ search: 'old', at, limit: 2 }))).toEqual([oldIds[5000], oldIds[4999]])
  expect(readIds(await list({ search: 'old', type: 'DEPOSIT' }))).toEqual([])
})

test('a day next to a month matches whole; months match by name', async () => {
  await insertRow(owner, { ...sampleRow, id: newId(new Date(start)), description: 'Order 80' })
  const searches = [
    'September 8',
    '8 Sep 2026',
    'sep 08',
    'order 8',
    'sept 80',
    '8',
    'Sep 0',
    'Sep 2',
    'Septembre 8',
    'se 0',
  ]
  const loadTotals = () => Promise.all(searches.map(async (search) => (await list({ search })).total))
  const expectedCounts = [1, 1, 1, 1, 1, 1, 0, 0, 0, 1]
  expect(await loadTotals()).toEqual(expectedCounts)
  await indexRows()
  expect(await loadTotals()).toEqual(expectedCounts)
})

test('finds people by their current name soon after a change', async () => {
  const otherUserId = 9_100_000_000n
  await register(otherUserId, 'before', 'Old Name')
  const first = newId(new Date())
  await insertRow(owner, { ...sampleRow, id: first, description: '', counterparty: otherUserId })
  const second = newId(new Date())
  await insertRow(owner, { ...sampleRow, id: second, description: 'mm', counterparty: null })
  await indexRows()
  const listSortedIds = async () => (await list({ sort: 'description', order: 'asc' })).transactions.map(({ id }) => id)
  expect(await listSortedIds(), 'm before O, whatever the case').toEqual([second, first])
  const loadTotals = () => Promise.all(['old', 'new'].map(async (search) => (await list({ search })).total))
  expect(await loadTotals()).toEqual([1, 0])
  await database.pool.query(`update app_user set name = 'A New Name' where id = $1`, [otherUserId])
  await indexTransactions(database.pool, unreachableCount)
  expect(await loadTotals()).toEqual([0, 1])
  expect(await listSortedIds()).toEqual([first, second])
})

test.each([['from the index'], ['without it']])('amounts of different currencies do not mix, %s', async (source) => {
  const amounts = [
    ['RECEIVE', 'ETH', '50000000000000'],
    ['RECEIVE', 'ETH', '10000000000000'],
    ['DEPOSIT', 'USD', 20_000],
    ['DEPOSIT', 'USD', 1],
    ['RECEIVE', 'USDT', 900],
    ['WITHDRAW', 'USD', 300],
  ] as const
  const ids: string[] = []
  for (const [kind, currency, amount] of amounts) {
    const id = newId(new Date(start + ids.length * hourMs))
    const rowSides = {
      source: currency,
      target: currency,
      sourceAmount: amount,
      targetAmount: amount,
      counterparty: null,
    }
    await insertRow(owner, { ...sampleRow, ...rowSides, id, kind, description: 'Added by card' } as unknown as Row)
    ids.push(id)
  }
  if (source === 'from the index') await indexRows()
  const pickIds = (indexes: readonly number[]) => indexes.map((index) => ids[index])
  const descending = pickIds([2, 3, 5, 4, 0, 1])
  const ascending = pickIds([5, 3, 2, 4, 1, 0])
  expect(await turnPages({ sort: 'amount', order: 'desc', limit: 1 })).toEqual(descending)
  expect(await turnPages({ sort: 'amount', order: 'asc', limit: 4 })).toEqual(ascending)
  expect(readIds(await list({ sort: 'amount', order: 'desc', offset: 2, limit: 3 }))).toEqual(descending.slice(2, 5))
  const lastPage = await list({ sort: 'amount', order: 'asc', offset: 4, limit: 2 })
  const previousIds = await turnPages(
    { sort: 'amount', order: 'asc', limit: 2, cursor: lastPage.previous_cursor ?? '' },
    { direction: 'previous' },
  )
  expect(previousIds).toEqual(ascending.slice(0, 4))
  expect(readIds(await list({ sort: 'amount', search: 'added', order: 'desc' }))).toEqual(descending)
})

test('letters without a decomposition are found and sorted by their plain ones, also from the index', async () => {
  const names = ['Łukasz', 'Sørensen', 'Weiß', 'Đặng', 'Çağrı', 'Þór', 'Æneas']
  const typedTexts = ['lukasz', 'sorensen', 'weiss', 'dang', 'cagri', 'thor', 'aeneas', 'STRASSE', 'straße', 'WEIß']
  for (const [index, name] of names.entries()) {
    const otherUserId = 9_400_000_000n + BigInt(index)
    await register(otherUserId, `letters_${index}`, name)
    const description = index === 0 ? 'Straße' : ''
    await insertRow(owner, {
      ...sampleRow,
      id: newId(new Date(start + index * hourMs)),
      description,
      counterparty: otherUserId,
    })
  }
  const loadTotals = () => Promise.all(typedTexts.map(async (search) => (await list({ search })).total))
  const loadSortedNames = async () =>
    (await list({ sort: 'description', order: 'asc' })).transactions.map(({ counterparty }) => counterparty?.name)
  const expectedNames = ['Æneas', 'Çağrı', 'Đặng', 'Łukasz', 'Sørensen', 'Þór', 'Weiß']
  expect([await loadTotals(), await loadSortedNames()]).toEqual([typedTexts.map(() => 1), expectedNames])
  await indexRows()
  expect([await loadTotals(), await loadSortedNames()], 'from the index').toEqual([
    typedTexts.map(() => 1),
    expectedNames,
  ])
})

test('search and sort use initials until a payment has arrived, and the whole name then', async () => {
  const strangerId = 9_300_000_000n
  await register(strangerId, 'zz_stranger', 'Quentin  Abbott')
  const failedId = newId(new Date(start))
  await insertRow(owner, {
    ...sampleRow,
    id: failedId,
    status: 'FAILED',
    description: '',
    counterparty: strangerId,
    sender: owner,
  })
  const note = newId(new Date(start + hourMs))
  await insertRow(owner, { ...sampleRow, id: note, description: 'Qb', counterparty: null })
  const searches = ['quentin', 'abbott', 'qu', 'q a', 'zz_stranger']
  const loadVisible = async () => ({
    found: await Promise.all(searches.map(async (search) => (await list({ search })).total)),
    sorted: readIds(await list({ sort: 'description', order: 'asc' })),
    shown: (await list({ status: 'FAILED' })).transactions.map(({ counterparty }) => counterparty?.name),
  })
  const initialsView = { found: [0, 0, 0, 1, 1], sorted: [failedId, note], shown: ['Q. A.'] }
  expect(await loadVisible()).toEqual(initialsView)
  await indexRows()
  expect(await loadVisible(), 'from the index').toEqual(initialsView)
  const arrivedRow = { ...sampleRow, id: newId(new Date(start + 2 * hourMs)), counterparty: owner, sender: strangerId }
  await insertRow(strangerId, arrivedRow)
  await waitForCheck(async () => {
    await indexRows()
    expect(await loadVisible()).toEqual({
      found: [1, 1, 1, 1, 1],
      sorted: [note, failedId],
      shown: ['Quentin  Abbott'],
    })
  })
})

test('a deleted word does not hide others with the same beginning', async () => {
  const otherUserId = 9_200_000_000n
  await register(otherUserId, 'somebody', 'Raa')
  await insertRow(owner, {
    ...sampleRow,
    id: newId(new Date(start)),
    kind: 'SEND',
    description: '',
    counterparty: otherUserId,
  })
  for (const initial of 'bcdefghijklmnopqr') {
    await insertRow(owner, { ...sampleRow, id: newId(new Date(start)), description: `Ra${initial}` })
  }
  await indexRows()
  expect((await list({ search: 'ra' })).total).toBe(18)
  await database.pool.query(`update app_user set name = 'Zoo' where id = $1`, [otherUserId])
  await indexTransactions(database.pool, unreachableCount)
  expect((await list({ search: 'ra' })).total).toBe(17)
})

test('the first reader of a long list has it indexed', async () => {
  await indexTransactions(database.pool, 5)
  await insertRows(10, () => 'Rent')
  // The last byte of its ID puts this row into the sample that is checked.
  await insertRow(owner, { ...sampleRow, id: `${newId(new Date(start)).slice(0, -2)}00` })
  const isReady = async (userId: bigint) => {
    const { rows } = await database.pool.query<{ is_ready: boolean }>(
      'select is_ready from transaction_index_person where user_id = $1',
      [userId],
    )
    return rows[0]?.is_ready
  }
  await waitForCheck(async () => {
    await indexTransactions(database.pool, 5)
    expect(await isReady(owner)).toBe(true)
  })
  const otherUserId = owner + 5n
  await insertRows(6, () => 'Rent', otherUserId)
  const filter = { limit: 1, offset: 0, sort: 'date', order: 'desc' } as const
  await listTransactions({ primary: database.pool }, database.pool, { userId: otherUserId, filter, threshold: 5 })
  expect(await isReady(otherUserId)).toBe(false)
  await indexTransactions(database.pool, 5)
  expect(await isReady(otherUserId)).toBe(true)
})

test('concurrent workers index each row once, also during writes', async () => {
  await insertRows(6000, () => 'Rent')
  await database.pool.query('insert into transaction_index_person (user_id) values ($1)', [owner])
  const runIndexer = () => indexTransactions(database.pool, unreachableCount)
  const writeLoop = (async () => {
    for (let row = 0; row < 30; row += 1) await insertRow(owner, { ...sampleRow, id: newId(new Date(start + row)) })
  })()
  await Promise.all([runIndexer(), runIndexer(), runIndexer(), writeLoop])
  await waitForCheck(async () => {
    await runIndexer()
    const { rows } = await database.pool.query<{ indexed: number; counted: number }>(
      `select count(*)::int as indexed, (select sum(row_count)::int from transaction_facet where user_id = $1) as counted
         from transaction_search where user_id = $1`,
      [owner],
    )
    expect(rows).toEqual([{ indexed: 6030, counted: 6030 }])
  })
  expect((await turnPages({ limit: 100, sort: 'amount' })).length).toBe(6030)
})
