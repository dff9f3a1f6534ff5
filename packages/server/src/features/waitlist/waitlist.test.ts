// The waitlist as used by the page's script and its plain forms, and as received by a form service.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { Logger, runOnce } from 'graphile-worker'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '@tern/testkit/app'
import { connectQueue } from '../../platform/database/queue/queue-pool.ts'
import { preset } from '../../platform/database/queue/queue-runner.ts'
import { addEntry, forwardEntry, resumeForwarding } from './waitlist.ts'

let world: TestApp
beforeAll(async () => {
  world = await startTestApp()
})
afterAll(() => world.close())
beforeEach(async () => {
  await world.database.pool.query('truncate waitlist, rate_limit')
})

const post = (type: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`${world.url}/api/waitlist`, {
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    body,
    redirect: 'manual',
  })
const join = (email: string, headers?: Record<string, string>) =>
  post('application/json', JSON.stringify({ email }), headers)
const sendForm = (email: string) =>
  post('application/x-www-form-urlencoded', new URLSearchParams({ email }).toString(), {
    'sec-fetch-site': 'same-origin',
  })

const stored = async () =>
  (await world.database.pool.query<{ email: string }>('select email from waitlist order by id')).rows.map(
    ({ email }) => email,
  )

describe('joining', () => {
  test('an address is stored once, in any case', async () => {
    expect((await join(' Ada@Example.com')).status).toBe(204)
    expect((await join('ada@example.com')).status).toBe(204)
    expect(await stored()).toEqual(['ada@example.com'])
  })

  test.each(['', 'ada', 'ada@', 'ada@example', `${'a'.repeat(250)}@example.com`])(
    'an invalid address is ignored silently: %j',
    async (email) => {
      const answer = await join(email)
      expect([answer.status, await answer.text()]).toEqual([204, ''])
      expect(await stored()).toEqual([])
    },
  )

  test('an international domain is stored once, in A-labels', async () => {
    for (const email of ['ida@bücher.example', 'ida@xn--bcher-kva.example', '\u200Eida@Bücher.example'])
      expect((await join(email)).status, email).toBe(204)
    expect((await stored()).filter((email) => email.startsWith('ida@'))).toEqual(['ida@xn--bcher-kva.example'])
  })

  test('the country is stored if it is closed, also when an address joins again; an open or unknown one is ignored', async () => {
    const joinFrom = (email: string, country: string) => post('application/json', JSON.stringify({ email, country }))
    await joinFrom('ada@example.com', '')
    await joinFrom('ada@example.com', 'KE')
    await joinFrom('ada@example.com', 'AT')
    const ignored = ['DE', 'ZZ', 'at', 'Austria', "'; drop table waitlist"]
    for (const [index, country] of ignored.entries()) {
      expect((await joinFrom(`eve${index}@example.com`, country)).status).toBe(204)
    }
    const form = new URLSearchParams({ email: 'lin@example.com', country: 'MX' }).toString()
    await post('application/x-www-form-urlencoded', form, { 'sec-fetch-site': 'same-origin' })
    const { rows } = await world.database.pool.query<{ email: string; country: string }>(
      'select email, country from waitlist where country is not null order by id',
    )
    expect(rows).toEqual([
      { email: 'ada@example.com', country: 'KE' },
      { email: 'lin@example.com', country: 'MX' },
    ])
    expect(await stored()).toHaveLength(7)
  })

  test('a plain form is led back to the page, which thanks for an address only', async () => {
    const [taken, ignored] = [await sendForm('ada@example.com'), await sendForm('ada')]
    expect([taken.status, taken.headers.get('location')]).toEqual([303, '/#joined'])
    expect([ignored.status, ignored.headers.get('location')]).toEqual([303, '/#top'])
    expect(await stored()).toEqual(['ada@example.com'])
  })

  test('a page of another site is refused', async () => {
    const answer = await join('ada@example.com', {
      origin: 'https://elsewhere.example',
      'sec-fetch-site': 'cross-site',
    })
    expect(answer.status).toBe(403)
    expect(await answer.json()).toMatchObject({ code: 'cross_site_request' })
    expect(await stored()).toEqual([])
  })

  test('the eleventh in a minute from one address is refused; a plain form is still thanked', async () => {
    for (let number = 0; number < 10; number++) await join(`ada${number}@example.com`)
    const [script, form] = [await join('last@example.com'), await sendForm('last@example.com')]
    expect(script.status).toBe(429)
    expect([form.status, form.headers.get('location')]).toEqual([303, '/#joined'])
    expect(await stored()).toHaveLength(10)
  })
})

describe('forwarding', () => {
  const received: unknown[] = []
  let answers: number[] = []
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    received.push(await json(request))
    response.writeHead(answers.shift() ?? 200).end()
  }
  const service = createServer((request, response) => void take(request, response))
  const jobs = { pool: undefined as ReturnType<typeof connectQueue> | undefined }

  beforeAll(async () => {
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
    jobs.pool = connectQueue(world.database.applicationUrl)
  })
  afterAll(async () => {
    await jobs.pool?.end()
    service.close()
  })

  /** One process with this configuration. */
  function start(formUrl: string | undefined) {
    const { pool } = world.app.product
    const ctx = { formUrl }
    const work = () =>
      runOnce({
        pgPool: jobs.pool as ReturnType<typeof connectQueue>,
        noHandleSignals: true,
        preset,
        logger: new Logger(() => () => undefined),
        taskList: {
          forward_waitlist: (payload) => forwardEntry(ctx, pool, (payload as { waitlistId: string }).waitlistId),
        },
      })
    return {
      work,
      add: (entry: Parameters<typeof addEntry>[2]) => addEntry(ctx, pool, entry),
      resumeForwarding: () => resumeForwarding(ctx, pool),
    }
  }

  test('each address is sent to the form service until accepted, also those from before it was configured', async () => {
    await start(undefined).add({ email: 'before@example.com' })
    const { port } = service.address() as AddressInfo
    const waitlist = start(`http://127.0.0.1:${port}/forms/1`)
    await waitlist.work()
    expect(received).toEqual([])

    answers = [503]
    await waitlist.add({ email: 'ada@example.com', country: 'AT' })
    await waitlist.work()
    expect(received).toEqual([{ email: 'ada@example.com', country: 'AT' }])
    const { rows } = await world.database.pool.query(
      `select last_error from graphile_worker._private_jobs where last_error is not null`,
    )
    expect(rows).toEqual([{ last_error: expect.stringContaining('the form service answered 503') as string }])
    expect(JSON.stringify(rows)).not.toContain('ada')

    await world.database.pool.query('update graphile_worker._private_jobs set run_at = now()')
    await waitlist.resumeForwarding()
    await waitlist.work()
    await waitlist.resumeForwarding()
    await waitlist.work()
    expect(received).toEqual([
      { email: 'ada@example.com', country: 'AT' },
      { email: 'ada@example.com', country: 'AT' },
      { email: 'before@example.com' },
    ])
    const left = await world.database.pool.query('select from waitlist where forwarded_at is null')
    expect(left.rowCount).toBe(0)
  })
})
