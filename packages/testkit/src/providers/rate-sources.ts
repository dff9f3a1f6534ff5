// For tests: a server that responds like the public rate sources, or incorrectly.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type RatesByCurrency = Readonly<Record<string, string>>

/**
 * Euro foreign exchange reference rates of the European Central Bank of 28 June 2024:
 * https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.xml
 */
export const ecbRates: RatesByCurrency = {
  ...{ USD: '1.0705', JPY: '171.94', BGN: '1.9558', CZK: '25.025', DKK: '7.4575', GBP: '0.84638', HUF: '395.10' },
  ...{ PLN: '4.3090', RON: '4.9773', SEK: '11.3595', CHF: '0.9634', ISK: '148.90', NOK: '11.3965', TRY: '35.1868' },
  ...{ AUD: '1.6079', BRL: '5.8915', CAD: '1.4670', CNY: '7.7748', HKD: '8.3594', IDR: '17487.21', ILS: '4.0200' },
  ...{ INR: '89.2495', KRW: '1474.86', MXN: '19.5654', MYR: '5.0501', NZD: '1.7601', PHP: '62.560', SGD: '1.4513' },
  ...{ THB: '39.319', ZAR: '19.4970' },
}

/** Returns a file of the European Central Bank with these days. */
export function ecbFile(days: Readonly<Record<string, RatesByCurrency>>): string {
  const cubes = Object.entries(days).map(([day, rates]) => {
    const lines = Object.entries(rates).map(([code, rate]) => `\t\t\t<Cube currency='${code}' rate='${rate}'/>\n`)
    return `\t\t<Cube time='${day}'>\n${lines.join('')}\t\t</Cube>\n`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
\t<gesmes:subject>Reference rates</gesmes:subject>
\t<gesmes:Sender>
\t\t<gesmes:name>European Central Bank</gesmes:name>
\t</gesmes:Sender>
\t<Cube>
${cubes.join('')}\t</Cube>
</gesmes:Envelope>
`
}

/**
 * Returns the latest rates in the form of Open Exchange Rates, with each rate as a number of JSON in these digits:
 * https://docs.openexchangerates.org/reference/latest-json
 */
export const openExchangeRatesFile = (at: Date, rates: RatesByCurrency): string => {
  const members = Object.entries({ USD: '1', ...rates }).map(([code, rate]) => `    "${code}": ${rate}`)
  return `{
  "disclaimer": "Usage subject to terms: https://openexchangerates.org/terms",
  "license": "https://openexchangerates.org/license",
  "timestamp": ${toSeconds(at)},
  "base": "USD",
  "rates": {
${members.join(',\n')}
  }
}`
}

/** Rates of the product's fiat currencies per US dollar, close to those of `ecbRates`. */
export const openExchangeRates: RatesByCurrency = {
  ...{ AUD: '1.499025', BRL: '5.5075', CAD: '1.368165', EUR: '0.933358', GBP: '0.790837', INR: '83.3635' },
  ...{ JPY: '160.845', SGD: '1.3561' },
}

const toSeconds = (at: Date): string => String(Math.floor(at.getTime() / 1000))

/** Returns a ticker in Bitstamp's form: https://www.bitstamp.net/api/, "Get ticker data for a market". */
export const ticker = (bid: string, ask: string, at: Date): string =>
  JSON.stringify({
    ...{ timestamp: toSeconds(at), open: bid, high: ask, low: bid, last: ask, volume: '1234.56780000', vwap: bid },
    ...{ bid, ask, side: '0', open_24: bid, percent_change_24: '0.00', market_type: 'SPOT' },
  })

/** Returns candles in Bitstamp's form with these closing prices, `stepSeconds` apart: "Get OHLC data". */
export const candles = (pair: string, closingPrices: readonly string[], first: Date, stepSeconds: number): string =>
  JSON.stringify({
    data: {
      pair,
      ohlc: closingPrices.map((close, index) => ({
        timestamp: toSeconds(new Date(first.getTime() + index * stepSeconds * 1000)),
        ...{ open: close, high: close, low: close, close, volume: '26.56202532' },
      })),
    },
  })

/** Body of the response, or a function that handles the request. */
export type Answer = string | ((request: IncomingMessage, response: ServerResponse) => void)

/** Never answers. */
export const noResponse: Answer = () => {}

/** Starts a server with an answer for each path; other paths respond with 404. */
export async function startRateSources() {
  const answers = new Map<string, Answer>()
  const requestedUrls: string[] = []
  const server = createServer((request, response) => {
    const address = request.url ?? '/'
    requestedUrls.push(address)
    const answer = answers.get(address) ?? answers.get(new URL(address, 'http://localhost').pathname)
    if (answer === undefined) response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not Found</h1>')
    else if (typeof answer === 'function') answer(request, response)
    else {
      const type = answer.startsWith('<') ? 'text/xml' : 'application/json'
      response.writeHead(200, { 'content-type': type }).end(answer)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    /** Paths and queries of all requests. */
    requestedUrls,
    setAnswer: (path: string, answer: Answer) => void answers.set(path, answer),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type RateSources = Awaited<ReturnType<typeof startRateSources>>
