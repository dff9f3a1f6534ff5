import type { FastifyInstance } from 'fastify'
import type { Clock } from '../control/clock.ts'
import { formatFraction } from '../server/currency.ts'
import type { Rates } from '../reports/rates.ts'
import { html } from './html.ts'
import { layout, moment, sendPage } from './layout.ts'

const places = 8

export function ratesPage(app: FastifyInstance, rates: Rates, clock: Clock): void {
  app.get('/rates', (_request, reply) => {
    const rows = Object.entries(rates.all()).map(
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
        The mid-market feed at ${moment(clock.now().toISOString())}. It stands still until somebody moves it, and
        carries exact fractions; the decimals here are rounded for reading.
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
