import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ofacFiles, createUnFile } from '@tern/testkit/compliance/lists'
import { openTestDatabase } from '@tern/testkit/open-test-database'
import { publishedFile } from '@tern/testkit/compliance/lists/published-lists'
import { connect } from '../../../../platform/database/db.ts'
import { readConfig } from '../../../../platform/runtime/config.ts'
import type { ListSource } from '../lists/entry.ts'
import { readListStatus } from '../store/list-status.ts'
import { type DownloadLimits, defaultDownloadLimits } from './download.ts'
import { fetchLists, type FetchResult, readFailures } from './fetch-lists.ts'

const hourMs = 3_600_000
const startedAt = new Date('2026-11-20T09:00:00Z')

type Answer = (request: IncomingMessage, response: ServerResponse) => void

let now = startedAt
let answers: Map<string, Answer>
let requestedUrls: string[]
let logEntries: object[]

const database = await openTestDatabase()
/** Pool of the application role, which must have the rights to fetch lists. */
const pool = connect(database.applicationUrl)
const server = createServer((request, response) => {
  requestedUrls.push(
    `${request.url} ${request.headers['if-none-match'] ?? request.headers['if-modified-since'] ?? '-'}`,
  )
  const answer = answers.get(request.url?.replace(/\?.*/, '') ?? '')
  if (answer) answer(request, response)
  else response.writeHead(404).end('not here')
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await pool.end()
})
beforeEach(async () => {
  now = startedAt
  answers = new Map()
  requestedUrls = []
  logEntries = []
  await database.pool.query(
    'truncate screening_match, screening_name, screening_entry, screening_list, screening_epoch, screening_fetch',
  )
})
afterEach(() => server.closeAllConnections())

/** Returns an answer of these bytes with an ETag derived from `state`. */
const serve =
  (bytes: Uint8Array, state: string): Answer =>
  (request, response) => {
    if (request.headers['if-none-match'] === `"${state}"`) response.writeHead(304).end()
    else response.writeHead(200, { etag: `"${state}"` }).end(bytes)
  }
const buildUnBytes = (people?: readonly string[]) => createUnFile(people).bytes
const buildPeople = (count: number) => Array.from({ length: count }, (_, index) => `KARVE${index}, Anselm`)

/** Configuration with the default addresses of the lists. */
const productionEnvironment = {
  TERN_MODE: 'production',
  TERN_SECRET: 'vN3qk8Zt5Wc1uYe7Rb9sHd2mLx4Gp6Ja',
  DATABASE_URL: 'postgres://db.example/tern',
  PUBLIC_URL: 'https://tern.example',
}
const ofacPaths = (readConfig(productionEnvironment).lists.addresses.ofac_sdn ?? []).map(
  (address) => new URL(address).pathname,
)

const addresses = { un: ['/un.xml'], ofac_sdn: ['/SDN.CSV', '/ALT.CSV'], eu: ['/eu/content?token=secret'] }

const fetchContext = {
  now: () => now,
  log: { error: (details: object) => void logEntries.push(details) },
  downloadLimits: defaultDownloadLimits,
}

function fetchList(
  source: keyof typeof addresses,
  { limits, force }: { limits?: DownloadLimits; force?: boolean } = {},
): Promise<FetchResult[]> {
  const ctx = { ...fetchContext, listAddresses: { [source]: addresses[source].map((path) => base + path) } }
  return fetchLists({ ...ctx, downloadLimits: limits ?? defaultDownloadLimits }, pool, { force: force ?? false })
}
const loadStatus = async (source: ListSource) =>
  (await readListStatus(pool, now)).find((status) => status.source === source)

test('real lists are fetched and imported, and not transferred again while unchanged', async () => {
  const { bytes } = publishedFile('UN_consolidated.xml')
  answers.set('/un.xml', (request, response) => {
    if (request.headers['if-none-match'] === '"a"') response.writeHead(304).end()
    else response.writeHead(200, { etag: '"a"', 'content-encoding': 'gzip' }).end(gzipSync(bytes))
  })
  expect(await fetchList('un')).toEqual([{ source: 'un', outcome: 'imported' }])
  expect(await loadStatus('un')).toMatchObject({ version: 1, entries: 1003, isStale: false })
  now = new Date(startedAt.getTime() + 49 * hourMs)
  expect((await loadStatus('un'))?.isStale).toBe(true)
  expect(await fetchList('un')).toEqual([{ source: 'un', outcome: 'unchanged' }])
  expect(await loadStatus('un')).toMatchObject({ version: 1, isStale: false, checkedAt: now })
  expect(requestedUrls).toEqual(['/un.xml -', '/un.xml "a"'])
})

test('files without ETags are requested by date, and without dates compared by content', async () => {
  answers.set('/un.xml', (request, response) => {
    if (request.headers['if-modified-since'] !== undefined) response.writeHead(304).end()
    else response.writeHead(200, { 'last-modified': 'Thu, 19 Nov 2026 08:00:00 GMT' }).end(buildUnBytes())
  })
  await fetchList('un')
  expect(await fetchList('un')).toEqual([{ source: 'un', outcome: 'unchanged' }])
  expect(requestedUrls.at(-1)).toContain('19 Nov 2026')
  answers.set('/eu/content', (_request, response) => void response.end(publishedFile('eu.xml').bytes))
  expect(await fetchList('eu')).toEqual([{ source: 'eu', outcome: 'imported' }])
  expect(await fetchList('eu')).toEqual([{ source: 'eu', outcome: 'unchanged' }])
})

test('a list of several files is imported whole even if only one of them has changed', async () => {
  const [mainFile, aliases] = ofacFiles()
  answers.set('/SDN.CSV', serve(mainFile!.bytes, 'm1'))
  answers.set('/ALT.CSV', serve(aliases!.bytes, 'a1'))
  await fetchList('ofac_sdn')
  expect(await loadStatus('ofac_sdn')).toMatchObject({ version: 1, entries: 10 })
  const extraAliases = new TextEncoder().encode('1,1,"aka","KARVE, Zed",-0- \r\n2,2,"aka","KARVE, Two",-0- \r\n')
  answers.set('/ALT.CSV', serve(extraAliases, 'a2'))
  expect(await fetchList('ofac_sdn')).toEqual([{ source: 'ofac_sdn', outcome: 'imported' }])
  expect(await loadStatus('ofac_sdn')).toMatchObject({ version: 2, entries: 10 })
  requestedUrls = []
  expect(await fetchList('ofac_sdn')).toEqual([{ source: 'ofac_sdn', outcome: 'unchanged' }])
  expect(requestedUrls).toEqual(['/SDN.CSV "m1"', '/ALT.CSV "a2"'])
})

describe('the usual addresses of OFAC', () => {
  const [mainFile, aliases] = ofacFiles()
  const [mainPath = '', aliasPath = '', addressPath = '', commentPath = ''] = ofacPaths
  const encode = (text: string) => new TextEncoder().encode(text)
  const fetchAll = () =>
    fetchLists({ ...fetchContext, listAddresses: { ofac_sdn: ofacPaths.map((path) => base + path) } }, pool)
  beforeEach(() => {
    answers.set(mainPath, serve(mainFile!.bytes, 'm'))
    answers.set(aliasPath, serve(aliases!.bytes, 'a'))
    answers.set(addressPath, serve(encode('2,9,"Quay 1","Tripoli","Libya",-0- \r\n'), 'd'))
    answers.set(commentPath, serve(encode(`1,"DOB 1951; a.k.a. 'THE CLERK'."\r\n\u001A`), 'c'))
  })
  const queryClerks = () =>
    database.pool.query("select kind from screening_name where name = 'THE CLERK'").then(({ rows }) => rows)

  test('give all four files of one list, with remarks beyond 1,000 characters', async () => {
    expect(ofacPaths.map((path) => path.split('/').at(-1))).toEqual([
      ...['SDN.CSV', 'ALT.CSV', 'ADD.CSV', 'SDN_COMMENTS.CSV'],
    ])
    expect(await fetchAll()).toEqual([{ source: 'ofac_sdn', outcome: 'imported' }])
    expect(await loadStatus('ofac_sdn')).toMatchObject({ version: 1, entries: 10 })
    expect(await queryClerks()).toEqual([{ kind: 'weak' }])
    requestedUrls = []
    expect(await fetchAll()).toEqual([{ source: 'ofac_sdn', outcome: 'unchanged' }])
    expect(requestedUrls).toEqual([`${mainPath} "m"`, `${aliasPath} "a"`, `${addressPath} "d"`, `${commentPath} "c"`])
    answers.set(commentPath, serve(encode(`1,"DOB 1951."\r\n\u001A`), 'c2'))
    expect(await fetchAll()).toEqual([{ source: 'ofac_sdn', outcome: 'imported' }])
    expect(await queryClerks()).toEqual([])
  })

  test('may have no remarks beyond 1,000 characters', async () => {
    answers.set(commentPath, serve(encode('\u001A'), 'c'))
    expect(await fetchAll()).toEqual([{ source: 'ofac_sdn', outcome: 'imported' }])
    expect(await queryClerks()).toEqual([])
  })

  test('give no list while one of the four cannot be fetched', async () => {
    answers.delete(commentPath)
    expect(await fetchAll()).toEqual([
      {
        ...{ source: 'ofac_sdn', outcome: 'failed' },
        failure: `${base}${commentPath} cannot be fetched (it answers 404).`,
      },
    ])
    expect(await loadStatus('ofac_sdn')).toMatchObject({ version: undefined })
  })
})

test('a list imported by hand is not taken for the publisher’s current version', async () => {
  answers.set('/un.xml', serve(buildUnBytes(), 'a'))
  await fetchList('un')
  await database.pool.query(
    `insert into screening_list select source, 2, repeat('0', 64), files, entries, published_at, imported_at, checked_at
       from screening_list where source = 'un'`,
  )
  await fetchList('un')
  expect(requestedUrls).toEqual(['/un.xml -', '/un.xml -'])
})

test('redirects are followed, up to a limit and only to web addresses', async () => {
  answers.set('/un.xml', (_request, response) => response.writeHead(302, { location: '/moved.xml' }).end())
  answers.set('/moved.xml', (_request, response) => response.writeHead(307, { location: `${base}/here.xml` }).end())
  answers.set('/here.xml', serve(buildUnBytes(), 'a'))
  expect(await fetchList('un')).toEqual([{ source: 'un', outcome: 'imported' }])
  expect(await fetchList('un')).toEqual([{ source: 'un', outcome: 'unchanged' }])
  answers.set('/here.xml', (_request, response) => response.writeHead(302, { location: '/un.xml' }).end())
  expect(await fetchList('un')).toMatchObject([{ outcome: 'failed', failure: expect.stringContaining('too often') }])
  answers.set('/un.xml', (_request, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end())
  expect(await fetchList('un')).toMatchObject([{ outcome: 'failed', failure: expect.stringContaining('not safe') }])
})

describe('a bad answer leaves the list in force unchanged and alerts operators', () => {
  const longLimits: DownloadLimits = { bytes: 100_000, ms: 60_000 }
  const shortLimits: DownloadLimits = { bytes: 100_000, ms: 1000 }
  const endlessAnswer: Answer = (_request, response) => {
    const timer = setInterval(() => response.write(' '.repeat(100)), 20)
    response.on('close', () => clearInterval(timer))
  }

  test.each<[string, Answer, RegExp]>([
    ['garbage', serve(new Uint8Array([0xff, 0xfe, 0x00, 0x01]), 'b'), /not written in UTF-8/],
    ['a page', serve(new TextEncoder().encode('<!doctype html><html>log in</html>'), 'b'), /none of the lists/],
    ['nothing', serve(new Uint8Array(), 'b'), /none of the lists/],
    ['no entry', serve(buildUnBytes([]), 'b'), /has no entries/],
    ['half a list', serve(buildUnBytes().subarray(0, 900), 'b'), /damaged or cut off/],
    ['another list', serve(publishedFile('eu.xml').bytes, 'b'), /its addresses give eu instead/],
    ['a list that shrank', serve(buildUnBytes(buildPeople(7)), 'b'), /3 of 10 entries would vanish, more than 20 %/],
    ['an error', (_request, response) => response.writeHead(503).end(), /answers 503/],
    ['no answer at all', (request) => request.socket.destroy(), /cannot be fetched/],
    ['silence', () => {}, /took too long/],
    ['a trickle without end', endlessAnswer, /took too long/],
    ['more than a list can be', serve(new Uint8Array(200_000).fill(0x20), 'b'), /larger than 100000 bytes/],
    [
      'fewer bytes than announced',
      (_request, response) => {
        response.writeHead(200, { 'content-length': String(buildUnBytes().length) })
        response.write(buildUnBytes().subarray(0, 500), () => response.destroy())
      },
      /cannot be fetched/,
    ],
    ['"unchanged", never asked', (_request, response) => response.writeHead(304).end(), /answers 304/],
  ])('%s', async (_case, answer, sentence) => {
    answers.set('/un.xml', serve(buildUnBytes(), 'a'))
    await fetchList('un')
    await database.pool.query('update screening_fetch set version = null')
    now = new Date(startedAt.getTime() + hourMs)
    answers.set('/un.xml', answer)
    expect(
      await fetchList('un', { limits: sentence.source.includes('too long') ? shortLimits : longLimits }),
    ).toMatchObject([{ source: 'un', outcome: 'failed', failure: expect.stringMatching(sentence) }])
    expect(await loadStatus('un')).toMatchObject({ version: 1, entries: 10, checkedAt: startedAt })
    expect(await readFailures(pool)).toMatchObject([{ source: 'un', since: now }])
    expect(logEntries).toMatchObject([{ source: 'un', failure: expect.stringMatching(sentence) }])
    answers.set('/un.xml', serve(buildUnBytes(), 'a'))
    expect(await fetchList('un')).toEqual([{ source: 'un', outcome: 'unchanged' }])
    expect(await readFailures(pool)).toEqual([])
  })

  test('a failure is dated from the first one, and shows no secret of an address', async () => {
    await fetchList('eu')
    now = new Date(startedAt.getTime() + hourMs)
    await fetchList('eu')
    const [failure] = await readFailures(pool)
    expect(failure).toMatchObject({
      since: startedAt,
      failure: `${base}/eu/content cannot be fetched (it answers 404).`,
    })
  })

  test('an operator can accept a list that shrank', async () => {
    answers.set('/un.xml', serve(buildUnBytes(), 'a'))
    await fetchList('un')
    answers.set('/un.xml', serve(buildUnBytes(buildPeople(2)), 'b'))
    expect(await fetchList('un')).toMatchObject([{ outcome: 'failed' }])
    expect(await fetchList('un', { force: true })).toEqual([{ source: 'un', outcome: 'imported' }])
    expect(await loadStatus('un')).toMatchObject({ version: 2, entries: 2 })
  })
})

test('one list that cannot be fetched delays no other', async () => {
  answers.set('/un.xml', serve(buildUnBytes(), 'a'))
  const ctx = { ...fetchContext, listAddresses: { eu: [`${base}/none`], un: [`${base}/un.xml`] } }
  const results = await fetchLists(ctx, pool)
  expect(results.map(({ source, outcome }) => [source, outcome])).toEqual([
    ['eu', 'failed'],
    ['un', 'imported'],
  ])
  expect(await fetchLists(ctx, pool, { sources: ['un'] })).toHaveLength(1)
})
