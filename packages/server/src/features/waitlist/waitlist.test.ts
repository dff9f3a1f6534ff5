// Tests the waitlist through the page's script and plain forms, and its forwarding to a form service.

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
const joinWaitlist = (email: string, headers?: Record<string, string>) =>
  post('application/json', JSON.stringify({ email }), headers)
const sendForm = (email: string) =>
  post('application/x-www-form-urlencoded', new URLSearchParams({ email }).toString(), {
    'sec-fetch-site': 'same-origin',
  })

const loadEmails = async () =>
  (await world.database.pool.query<{ email: string }>('select email from waitlist order by id')).rows.map(
    ({ email }) => email,
  )

describe('joining', () => {
  test('an address is stored once, in any case', async () => {
    expect((await joinWaitlist(' Ada@Example.com')).status).toBe(204)
    expect((await joinWaitlist('ada@example.com')).status).toBe(204)
    expect(await loadEmails()).toEqual(['ada@example.com'])
  })

  test.each(['', 'ada', 'ada@', 'ada@example', `${'a'.repeat(250)}@example.com`])(
    'an invalid address is ignored silently: %j',
    async (email) => {
      const answer = await joinWaitlist(email)
      expect([answer.status, await answer.text()]).toEqual([204, ''])
      expect(await loadEmails()).toEqual([])
    },
  )

  test('an international domain is stored once, in A-labels', async () => {
    for (const email of ['ida@bücher.example', 'ida@xn--bcher-kva.example', '\u200Eida@Bücher.example'])
      expect((await joinWaitlist(email)).status, email).toBe(204)
    expect((await loadEmails()).filter((email) => email.startsWith('ida@'))).toEqual(['ida@xn--bcher-kva.example'])
  })

  test('the country is stored if it is closed, also when an address joins again; an open or unknown one is ignored', async () => {
    const joinWithCountry = (email: string, country: string) =>
      post('application/json', JSON.stringify({ email, country }))
    await joinWithCountry('ada@example.com', '')
    await joinWithCountry('ada@example.com', 'KE')
    await joinWithCountry('ada@example.com', 'AT')
    const ignoredCountries = ['DE', 'ZZ', 'at', 'Austria', "'; drop table waitlist"]
    for (const [index, country] of ignoredCountries.entries()) {
      expect((await joinWithCountry(`eve${index}@example.com`, country)).status).toBe(204)
    }
    const formBody = new URLSearchParams({ email: 'lin@example.com', country: 'MX' }).toString()
    await post('application/x-www-form-urlencoded', formBody, { 'sec-fetch-site': 'same-origin' })
    const { rows } = await world.database.pool.query<{ email: string; country: string }>(
      'select email, country from waitlist where country is not null order by id',
    )
    expect(rows).toEqual([
      { email: 'ada@example.com', country: 'KE' },
      { email: 'lin@example.com', country: 'MX' },
    ])
    expect(await loadEmails()).toHaveLength(7)
  })

  test('a plain form is led back to the page, which thanks for an address only', async () => {
    const [acceptedForm, invalidForm] = [await sendForm('ada@example.com'), await sendForm('ada')]
    expect([acceptedForm.status, acceptedForm.headers.get('location')]).toEqual([303, '/#joined'])
    expect([invalidForm.status, invalidForm.headers.get('location')]).toEqual([303, '/#top'])
    expect(await loadEmails()).toEqual(['ada@example.com'])
  })

  test('a page of another site is refused', async () => {
    const answer = await joinWaitlist('ada@example.com', {
      origin: 'https://elsewhere.example',
      'sec-fetch-site': 'cross-site',
    })
    expect(answer.status).toBe(403)
    expect(await answer.json()).toMatchObject({ code: 'cross_site_request' })
    expect(await loadEmails()).toEqual([])
  })

  test('the eleventh in a minute from one address is refused; a plain form is still thanked', async () => {
    for (let number = 0; number < 10; number++) await joinWaitlist(`ada${number}@example.com`)
    const [scriptReply, formReply] = [await joinWaitlist('last@example.com'), await sendForm('last@example.com')]
    expect(scriptReply.status).toBe(429)
    expect([formReply.status, formReply.headers.get('location')]).toEqual([303, '/#joined'])
    expect(await loadEmails()).toHaveLength(10)
  })
})

describe('forwarding', () => {
  const receivedBodies: unknown[] = []
  let answers: number[] = []
  let duringAnswer: (() => Promise<unknown>) | undefined
  const receiveEntry = async (request: IncomingMessage, response: ServerResponse) => {
    receivedBodies.push(await json(request))
    await duringAnswer?.()
    response.writeHead(answers.shift() ?? 200).end()
  }
  const service = createServer((request, response) => void receiveEntry(request, response))
  const jobs = { pool: undefined as ReturnType<typeof connectQueue> | undefined }

  beforeAll(async () => {
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
    jobs.pool = connectQueue(world.database.applicationUrl)
  })
  afterAll(async () => {
    await jobs.pool?.end()
    service.close()
  })

  /** Simulates a process that is configured with this form service. */
  function start(formUrl: string | undefined) {
    const { pool } = world.app.product
    const ctx = { formUrl }
    const runWorker = () =>
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
      runWorker: runWorker,
      add: (entry: Parameters<typeof addEntry>[2]) => addEntry(ctx, pool, entry),
      resumeForwarding: () => resumeForwarding(ctx, pool),
    }
  }

  test('each address is sent to the form service until accepted, also those from before it was configured', async () => {
    await start(undefined).add({ email: 'before@example.com' })
    const { port } = service.address() as AddressInfo
    const waitlist = start(`http://127.0.0.1:${port}/forms/1`)
    await waitlist.runWorker()
    expect(receivedBodies).toEqual([])

    answers = [503]
    await waitlist.add({ email: 'ada@example.com', country: 'AT' })
    await waitlist.runWorker()
    expect(receivedBodies).toEqual([{ email: 'ada@example.com', country: 'AT' }])
    const { rows } = await world.database.pool.query(
      `select last_error from graphile_worker._private_jobs where last_error is not null`,
    )
    expect(rows).toEqual([{ last_error: expect.stringContaining('the form service answered 503') as string }])
    expect(JSON.stringify(rows)).not.toContain('ada')

    await world.database.pool.query('update graphile_worker._private_jobs set run_at = now()')
    await waitlist.resumeForwarding()
    await waitlist.runWorker()
    await waitlist.resumeForwarding()
    await waitlist.runWorker()
    expect(receivedBodies).toEqual([
      { email: 'ada@example.com', country: 'AT' },
      { email: 'ada@example.com', country: 'AT' },
      { email: 'before@example.com' },
    ])
    const pendingResult = await world.database.pool.query('select from waitlist where forwarded_at is null')
    expect(pendingResult.rowCount).toBe(0)
  })

  test('a country added after the entry was forwarded is forwarded too', async () => {
    const { port } = service.address() as AddressInfo
    const waitlist = start(`http://127.0.0.1:${port}/forms/1`)
    receivedBodies.length = 0
    await waitlist.add({ email: 'ada@example.com' })
    await waitlist.runWorker()
    await waitlist.add({ email: 'ada@example.com', country: 'KE' })
    await waitlist.runWorker()
    await waitlist.add({ email: 'ada@example.com', country: 'AT' })
    await waitlist.runWorker()
    expect(receivedBodies).toEqual([{ email: 'ada@example.com' }, { email: 'ada@example.com', country: 'KE' }])
  })

  test('a country added while the entry is being forwarded is forwarded too', async () => {
    const { port } = service.address() as AddressInfo
    const waitlist = start(`http://127.0.0.1:${port}/forms/1`)
    receivedBodies.length = 0
    await waitlist.add({ email: 'ada@example.com' })
    duringAnswer = () => waitlist.add({ email: 'ada@example.com', country: 'KE' })
    await waitlist.runWorker()
    duringAnswer = undefined
    await waitlist.resumeForwarding()
    await waitlist.runWorker()
    expect(receivedBodies).toEqual([{ email: 'ada@example.com' }, { email: 'ada@example.com', country: 'KE' }])
  })
})
