import { fiatCodes } from '@tern/money/currency'
import { parseRatio } from '@tern/money/ratio'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type Answer,
  ecbFile,
  ecbRates,
  type RateSources,
  noResponse,
  startRateSources,
} from '@tern/testkit/providers/rate-sources'
import { createEcbRatesProvider } from './ecb.ts'
import type { RatesResult } from './port.ts'

let server: RateSources
beforeEach(async () => {
  server = await startRateSources()
})
afterEach(() => server.stop())

const dailyPath = '/eurofxref-daily.xml'
let currentTime = new Date('2024-06-28T14:30:00Z')
beforeEach(() => {
  currentTime = new Date('2024-06-28T14:30:00Z')
})
const createSource = (timeoutMs = 5000) =>
  createEcbRatesProvider({ url: server.url, timeoutMs, now: () => currentTime })

/** Returns the result of `latest` for this reply. */
async function loadLatest(answer: Answer, timeoutMs?: number): Promise<RatesResult> {
  server.setAnswer(dailyPath, answer)
  return createSource(timeoutMs).latest()
}
const loadFailureReason = async (answer: Answer, timeoutMs?: number): Promise<string> => {
  const result = await loadLatest(answer, timeoutMs)
  return result.status === 'unknown' ? result.reason : 'known'
}
const file = ecbFile({ '2024-06-28': ecbRates })
const buildEcbFile = (changes: Record<string, string>): string => ecbFile({ '2024-06-28': { ...ecbRates, ...changes } })

test('gives every fiat currency against the euro, exactly as published, at 16:00 in Frankfurt', async () => {
  const result = await loadLatest(file)
  if (result.status === 'unknown') throw new Error(result.reason)
  expect(result.fixes.map(({ quote }) => quote).toSorted()).toEqual(
    fiatCodes.filter((code) => code !== 'EUR').toSorted(),
  )
  for (const { base, quote, rate, asOf } of result.fixes) {
    expect([base, rate]).toEqual(['EUR', parseRatio(ecbRates[quote] ?? '')])
    expect(asOf).toEqual(new Date('2024-06-28T14:00:00Z'))
  }
})

test.each([
  ['2026-01-15', '2026-01-15T15:00:00.000Z'],
  ['2026-07-15', '2026-07-15T14:00:00.000Z'],
  // In 2026, clocks in Frankfurt change early on March 29 and October 25.
  ['2026-03-28', '2026-03-28T15:00:00.000Z'],
  ['2026-03-29', '2026-03-29T14:00:00.000Z'],
  ['2026-10-25', '2026-10-25T15:00:00.000Z'],
])('the rates of %s were fixed at %s', async (day, at) => {
  currentTime = new Date('2026-12-01T12:00:00Z')
  const result = await loadLatest(ecbFile({ [day]: ecbRates }))
  expect(result.status === 'known' && result.fixes[0]?.asOf.toISOString()).toBe(at)
})

test('the rates of an earlier day keep their own date', async () => {
  currentTime = new Date('2024-07-05T12:00:00Z')
  const result = await loadLatest(file)
  expect(result.status === 'known' && result.fixes[0]?.asOf).toEqual(new Date('2024-06-28T14:00:00Z'))
})

test('rates dated more than five minutes ahead are unknown', async () => {
  currentTime = new Date('2024-06-28T13:54:59Z')
  expect(await loadFailureReason(file)).toMatch(/dated in the future/)
  currentTime = new Date('2024-06-28T13:55:00Z')
  expect(await loadFailureReason(file)).toBe('known')
  expect(await loadFailureReason(ecbFile({ '2042-06-27': ecbRates }))).toMatch(/2042-06-27 are dated in the future/)
})

describe('a currency has no rate, without affecting others, when', () => {
  /** Returns currencies without a rate, with the sentence for operators; asserts that all others are as published. */
  async function findMissingCurrencies(
    answer: Answer,
  ): Promise<readonly [missingCodes: string[], warning: string | undefined]> {
    const result = await loadLatest(answer)
    if (result.status === 'unknown') throw new Error(result.reason)
    for (const { quote, rate } of result.fixes) expect(rate).toEqual(parseRatio(ecbRates[quote] ?? ''))
    const quotedCurrencies = new Set<string>(result.fixes.map(({ quote }) => quote))
    return [fiatCodes.filter((code) => code !== 'EUR' && !quotedCurrencies.has(code)), result.missing]
  }
  const buildWarning = (codes: string) => `The ECB's reference rates of 2024-06-28 have no usable ${codes}`

  test('it is not in the file', async () => {
    const { INR: _, BRL: __, ...remainingRates } = ecbRates
    const [missingCodes, warning] = await findMissingCurrencies(ecbFile({ '2024-06-28': remainingRates }))
    expect(missingCodes.toSorted()).toEqual(['BRL', 'INR'])
    expect(warning).toBe(buildWarning(missingCodes.join(', ')))
  })

  test.each([
    ...['0', '0.0000', '-1.07', '1e9', '1000000000', 'NaN', 'N/A', 'Infinity', '', '1,0705', '0.0000000001', ' 1.07'],
    ...['１.０７', '1.07.05', '0x1', '+1.07', '1.', '.5', '-'],
  ])('its rate is "%s"', async (rate) => {
    expect(await findMissingCurrencies(buildEcbFile({ INR: rate }))).toEqual([['INR'], buildWarning('INR')])
    expect(await findMissingCurrencies(buildEcbFile({ USD: rate }))).toEqual([['USD'], buildWarning('USD')])
  })

  test('it has two different rates; twice the same is one', async () => {
    const addDuplicateRate = (rate: string) => file.replace('</Cube>', `<Cube currency='USD' rate='${rate}'/></Cube>`)
    for (const answer of [
      addDuplicateRate('1.2'),
      addDuplicateRate('N/A'),
      addDuplicateRate('1.2').replace('</Cube>', "<Cube currency='USD' rate='1.0705'/></Cube>"),
    ])
      expect(await findMissingCurrencies(answer)).toEqual([['USD'], buildWarning('USD')])
    expect(await findMissingCurrencies(addDuplicateRate('1.0705'))).toEqual([[], undefined])
  })

  test('supported currencies are complete beside unsupported ones, and after a byte-order mark', async () => {
    expect(await findMissingCurrencies(buildEcbFile({ XAU: 'none' }))).toEqual([[], undefined])
    expect(await findMissingCurrencies(`\ufeff${file}`)).toEqual([[], undefined])
  })
})

describe('all rates are unknown for', () => {
  test('an answer without any usable rate', async () => {
    const zeroRates = Object.fromEntries(Object.keys(ecbRates).map((code) => [code, '0']))
    expect(await loadFailureReason(buildEcbFile(zeroRates))).toMatch(/no usable .*USD/)
  })

  test.each(['2024-02-30', '2024-6-28', '28.06.2024', '28/06/2024', '06/28/2024', '20240628', ''])(
    'the day "%s"',
    async (day) => {
      expect(await loadFailureReason(ecbFile({ [day]: ecbRates }))).toMatch(/no usable time/)
    },
  )

  test('no day, or two days', async () => {
    expect(await loadFailureReason(ecbFile({}))).toMatch(/0 days instead of one/)
    expect(await loadFailureReason(ecbFile({ '2024-06-27': ecbRates, '2024-06-28': ecbRates }))).toMatch(/2 days/)
  })

  test('an answer cut off anywhere, by its server or on the way', async () => {
    for (const length of [0, 100, 800, file.length - 20, file.length - 2]) {
      expect(await loadFailureReason(file.slice(0, length))).not.toBe('known')
    }
    const truncationReason = await loadFailureReason((_request, response) => {
      response.writeHead(200, { 'content-length': String(file.length) })
      response.write(file.slice(0, 900))
      setImmediate(() => response.destroy())
    })
    expect(truncationReason).toContain(dailyPath)
  })

  test.each([
    ['a page', '<!doctype html><html><body>Maintenance</body></html>'],
    ['other XML', '<rates><Cube time="2024-06-28"/></rates>'],
    ['the same in another envelope', file.replaceAll('gesmes:Envelope', 'gesmes:Letter')],
    ['other names', file.replaceAll('eurofxref"', 'other"')],
    ['JSON', '{"USD": 1.0705}'],
    ['a rate without a day', file.replace("<Cube time='2024-06-28'>", '<Cube>')],
    ['a rate without a currency', file.replace("currency='USD' ", '')],
  ])('%s', async (_name, body) => expect(await loadFailureReason(body)).not.toBe('known'))

  test('invalid UTF-8', async () => {
    expect(await loadFailureReason((_request, response) => response.end(Buffer.from(file, 'utf16le')))).not.toBe(
      'known',
    )
  })

  test('XML with a DOCTYPE: entities are not expanded, and files are not read', async () => {
    const entityLines = Array.from({ length: 9 }, (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`)
    const entityBomb = `<!DOCTYPE x [<!ENTITY l0 "lol">${entityLines.join('')}]>`
    const externalEntity = '<!DOCTYPE x [<!ENTITY l9 SYSTEM "file:///etc/hostname">]>'
    for (const doctype of [entityBomb, externalEntity]) {
      const body = file.replace('<gesmes:Envelope', `${doctype}<gesmes:Envelope`).replace('Reference rates', '&l9;')
      expect(await loadFailureReason(body)).toMatch(/DOCTYPE/)
    }
    expect(await loadFailureReason(file.replace('Reference rates', '&l9;'))).toMatch(/Invalid character entity/)
  })

  test.each([404, 429, 500, 503])('an answer of code %i', async (code) => {
    expect(await loadFailureReason((_request, response) => response.writeHead(code).end(file))).toMatch(
      `answered ${code}`,
    )
  })

  test('a redirect', async () => {
    server.setAnswer('/elsewhere', file)
    const redirectReason = await loadFailureReason((_request, response) =>
      response.writeHead(302, { location: '/elsewhere' }).end(),
    )
    expect([redirectReason, server.requestedUrls]).toEqual([expect.stringContaining('redirect'), [dailyPath]])
  })

  test('an answer that takes too long, before or after its first byte', async () => {
    expect(await loadFailureReason(noResponse, 50)).toMatch(/timeout/)
    expect(await loadFailureReason((_request, response) => void response.write(file.slice(0, 900)), 50)).toMatch(
      /timeout/,
    )
  })

  test('an answer that does not end', async () => {
    const endlessReason = await loadFailureReason((_request, response) => {
      const line = `${' '.repeat(9999)}\n`
      const writeLines = (): void => {
        while (!response.destroyed && response.write(line));
      }
      response.on('drain', writeLines)
      writeLines()
    })
    expect(endlessReason).toMatch(/longer than 100000 bytes/)
  })

  test('an empty answer', async () => {
    await server.stop()
    expect(await loadFailureReason(file)).toMatch(/ECONNREFUSED/)
  })
})

describe('the history', () => {
  const day = (date: string, rates = ecbRates) => ({ [date]: rates })

  test('comes from the short file if it covers the period, otherwise from the long one', async () => {
    server.setAnswer('/eurofxref-hist-90d.xml', ecbFile(day('2024-06-28')))
    server.setAnswer('/eurofxref-hist.xml', ecbFile({ ...day('2024-06-28'), ...day('2023-06-28') }))
    for (const [from, count] of [
      ['2024-06-01', 1],
      ['2023-06-01', 2],
    ] as const) {
      const result = await createSource().history(new Date(from))
      const days = result.status === 'known' && new Set(result.fixes.map(({ asOf }) => asOf.getTime())).size
      expect(days).toBe(count)
    }
    expect(server.requestedUrls).toEqual(['/eurofxref-hist-90d.xml', '/eurofxref-hist.xml'])
  })

  test('omits days before its start and in the future, and currencies without a rate', async () => {
    const { BRL: _, ...withoutBrl } = ecbRates
    const days = {
      ...day('2024-07-01'),
      ...day('2024-06-28'),
      ...day('2024-06-27', withoutBrl),
      ...day('2024-06-26', { ...ecbRates, INR: 'N/A' }),
      ...day('2024-06-25'),
      ...day('2024-06-24'),
    }
    server.setAnswer('/eurofxref-hist-90d.xml', ecbFile(days))
    const result = await createSource().history(new Date('2024-06-25T14:00:00Z'))
    if (result.status === 'unknown') throw new Error(result.reason)
    expect(result.fixes.filter(({ quote }) => quote === 'USD').map(({ asOf }) => asOf.toISOString())).toEqual([
      '2024-06-28T14:00:00.000Z',
      '2024-06-27T14:00:00.000Z',
      '2024-06-26T14:00:00.000Z',
      '2024-06-25T14:00:00.000Z',
    ])
    const countDays = (code: string) => result.fixes.filter(({ quote }) => quote === code).length
    expect([countDays('BRL'), countDays('INR')]).toEqual([3, 3])
  })

  test('is unknown when the file cannot be read', async () => {
    server.setAnswer('/eurofxref-hist-90d.xml', ecbFile(day('2024-06-28')).slice(0, -30))
    expect((await createSource().history(new Date('2024-06-25'))).status).toBe('unknown')
    expect((await createSource().history(new Date('2014-06-25'))).status).toBe('unknown')
  })
})
