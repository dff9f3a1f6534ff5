// Floods the login of a running product, whose password hashing is deliberately expensive, from nine addresses and
// measures the response times of other requests meanwhile.

import { request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isFullRun } from '@tern/testkit/length'
import { enroll, type TestPerson } from '@tern/testkit/people'
import { startTestProduct, type TestProduct } from '@tern/testkit/product'

// The long tests run the full flood alone on the machine; `npm test` runs others in parallel, so its limits are looser.
const addresses = 9
const loginsPerKind = isFullRun ? 40 : 15
// Refused logins are retried, as an attacker would; more attempts would exceed the limit per minute.
const attempts = 3
const pauseMs = 700
const maxPageMs = isFullRun ? 300 : 1500
const maxLoginMs = isFullRun ? 3000 : 8000

let product: TestProduct
let owner: TestPerson
beforeAll(async () => {
  product = await startTestProduct({ TRUSTED_PROXIES: '1' })
  owner = await enroll(product.address.E2E_URL, 'other', null)
})
afterAll(() => product.remove())

interface TimedResponse {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly text: string
  readonly ms: number
}

function sendRequest(method: string, path: string, address: string, body?: object): Promise<TimedResponse> {
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const headers = { 'x-forwarded-for': address, ...(body ? { 'content-type': 'application/json' } : {}) }
    const call = request(`${product.address.E2E_URL}${path}`, { method, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => (text += part))
      response.on('end', () => {
        const { statusCode = 0, headers: responseHeaders } = response
        resolve({
          status: statusCode,
          retryAfter: responseHeaders['retry-after'],
          text,
          ms: performance.now() - startedAt,
        })
      })
    })
    call.on('error', reject)
    call.end(body && JSON.stringify(body))
  })
}

const logIn = (email: string, password: string, address: string) =>
  sendRequest('POST', '/api/user/login', address, { email, password })

const quantile = (times: readonly number[], share: number) =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN

test('40 logins from each of nine addresses delay no pages, other calls or other logins', async () => {
  // Warm-up: loads templates, caches and threads.
  for (const path of ['/', '/login']) expect((await sendRequest('GET', path, '198.51.100.1')).status).toBe(200)
  expect((await logIn(owner.email, owner.password, '198.51.100.1')).status).toBe(200)

  let isFlooded = true
  const refusedResponses: TimedResponse[] = []
  const attack = async (_: unknown, i: number) => {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await logIn(
        `nobody${String(i)}@flood.example`,
        'a wrong passphrase',
        `203.0.113.${String(i % addresses)}`,
      )
      if (answer.status === 429) refusedResponses.push(answer)
      if (answer.status !== 429 || attempt === attempts) return answer
      await delay(pauseMs)
    }
  }
  const flood = Promise.all(Array.from({ length: addresses * loginsPerKind }, attack)).finally(
    () => (isFlooded = false),
  )
  const pages: number[] = []
  const logins: number[] = []
  const readPages = async () => {
    for (let i = 0; isFlooded; i += 1) {
      const page = await sendRequest(
        'GET',
        ['/', '/login', '/.well-known/jwks.json', '/api/rates'][i % 4]!,
        '198.51.100.2',
      )
      if (isFlooded || pages.length === 0) pages.push(page.ms)
      await delay(5)
    }
  }
  const logInAgain = async () => {
    while (isFlooded) {
      const answer = await logIn(owner.email, owner.password, '198.51.100.3')
      expect([answer.status, answer.text.slice(0, 200)]).toMatchObject([200, expect.anything()])
      logins.push(answer.ms)
      await delay(100)
    }
  }
  const [answers] = await Promise.all([flood, readPages(), logInAgain()])

  const checkedLogins = answers.filter(({ status }) => status === 401)
  const figures = {
    logins: answers.length,
    checked: checkedLogins.length,
    turnedAway: refusedResponses.length,
    pages: pages.length,
    pageP95: Math.round(quantile(pages, 0.95)),
    pageMost: Math.round(Math.max(...pages)),
    otherLogins: logins.length,
    otherLoginMost: Math.round(Math.max(...logins)),
  }
  console.log(JSON.stringify(figures))
  expect(figures.pageP95).toBeLessThan(maxPageMs)
  expect(figures.otherLoginMost).toBeLessThan(maxLoginMs)
  expect(answers.map(({ status }) => status).filter((status) => status !== 401 && status !== 429)).toEqual([])
  for (const { retryAfter, text } of refusedResponses) {
    expect(Number(retryAfter)).toBeGreaterThan(0)
    expect(text).toContain('Please try again in a few seconds.')
  }
  // At least two logins per address, on average, got as far as the password check.
  expect(checkedLogins.length).toBeGreaterThanOrEqual(addresses * 2)
  expect(refusedResponses.length).toBeGreaterThan(0)
})
