import type { FastifyInstance } from 'fastify'
import { formatFraction } from '../server/currency.ts'
import type { Market, MarketSettings } from '../market/market.ts'
import { stepMs } from '../market/walk.ts'
import { html, type Html } from './html.ts'
import { layout, formatMoment, sendPage } from './layout.ts'

const places = 8

function courseMarkup({ mode, silent, volatility_percent }: MarketSettings, asOf: Date): Html {
  if (silent) return html`The feed is silent: it repeats the rates of ${formatMoment(asOf.toISOString())}.`
  const feedSentence = html`The mid-market feed at ${formatMoment(asOf.toISOString())}.`
  if (mode === 'still') return html`${feedSentence} It stands still until somebody moves it.`
  const volatilityNote = volatility_percent === 100 ? '' : `, with ${volatility_percent} % of the usual volatility`
  return html`${feedSentence} It walks every ${stepMs / 1000} seconds${volatilityNote}.`
}

export function ratesPage(app: FastifyInstance, market: Market): void {
  app.get('/rates', (_request, reply) => {
    const { asOf, usdPerUnit } = market.latest()
    const rows = Object.entries(usdPerUnit).map(
      ([code, { numerator, denominator }]) =>
        html`<tr>
          <th scope="row">${code}</th>
          <td class="figure">${formatFraction(numerator, denominator, places)}</td>
          <td class="figure">${formatFraction(denominator, numerator, places)}</td>
        </tr>`,
    )
    const body = html`<main class="page">
      <h1>Rates</h1>
      <p class="lead">
        ${courseMarkup(market.get(), asOf)} It carries exact fractions; the decimals here are rounded for reading.
      </p>
      <div class="scroll" tabindex="0" role="region" aria-label="Rates">
        <table>
          <thead>
            <tr>
              <th scope="col">Currency</th>
              <th scope="col" class="figure">1 unit in USD</th>
              <th scope="col" class="figure">1 USD in units</th>
            </tr>
          </thead>
          <tbody>
            ${rows}
          </tbody>
        </table>
      </div>
    </main>`
    return sendPage(reply, layout({ title: 'Rates · Tern Sandbox', menu: 'rates', body }))
  })
}
