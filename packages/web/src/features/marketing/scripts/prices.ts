/** Script of /prices: the calculator, and prices paid by users beside the World Bank's averages. */
import type { Corridor, feeIndex as endpoint } from '@tern/contract/prices/fee-index'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { feeIndex as texts } from '#messages/site/prices/fee-index.ts'
import { formatCount } from '../../../ui/format/format-count.ts'
import { formatTime } from '../../../ui/format/format.ts'
import { textLocale } from '../../../ui/format/locale.ts'
import { controlPriceCheck } from './control-price-check.ts'

type Index = Reply<typeof endpoint>
type Figures = NonNullable<Corridor['figures']>

const byId = (id: string) => document.getElementById(id) as HTMLElement
const setText = (id: string, text: string) => (byId(id).textContent = text)
const toggleElement = (id: string, isShown: boolean) => (byId(id).hidden = !isShown)

const twoPlaces = new Intl.NumberFormat(textLocale(), { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const percent = (text: string) => `${twoPlaces.format(text as `${number}`).replace('-', '−')}%`
const dateText = (date: string, format: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(textLocale(), { ...format, timeZone: 'UTC' }).format(new Date(date))
const monthName = (month: string) => dateText(`${month}-01`, { month: 'long', year: 'numeric' })

function buildElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = '',
  content: string | readonly Node[] = '',
): HTMLElementTagNameMap[Name] {
  const newElement = document.createElement(name)
  newElement.className = className
  if (typeof content === 'string') newElement.textContent = content
  else newElement.append(...content)
  return newElement
}

/** Percentage with two decimals in hundredths of a percent. */
const hundredths = (text: string): number => Number(text.replace('.', '')) // not money: a length on a plot

/** Position on the plot, which ends at twelve percent. */
const toPlotPercent = (share: number): string => `${Math.min(100, Math.max(0, share / 12))}%`

/** Dot for the price paid, mark for the World Bank's average, and a line between them. */
function renderPlot({ mean }: Figures, average: string): HTMLElement {
  const ownMean = hundredths(mean)
  const bank = hundredths(average)
  const line = buildElement('i', 'plot-line')
  line.style.insetInlineStart = toPlotPercent(Math.min(ownMean, bank))
  line.style.inlineSize = `calc(${toPlotPercent(Math.max(ownMean, bank))} - ${toPlotPercent(Math.min(ownMean, bank))})`
  const bankMark = buildElement('i', 'plot-bank')
  bankMark.style.insetInlineStart = toPlotPercent(bank)
  const ternDot = buildElement('i', 'plot-own')
  ternDot.style.insetInlineStart = toPlotPercent(ownMean)
  const plot = buildElement('div', 'plot', [line, bankMark, ternDot])
  plot.role = 'img'
  plot.ariaLabel = texts.plotOf(percent(mean), percent(average))
  return buildElement('td', 'route-plot', [plot])
}

const routeName = ({ source_currency: source, target_currency: target }: Corridor) => texts.route(source, target)

function renderRow(corridor: Corridor, figures: Figures): HTMLTableRowElement {
  const { average } = corridor.world_bank
  const name = buildElement('th', '', routeName(corridor))
  name.scope = 'row'
  return buildElement('tr', '', [
    name,
    buildElement('td', 'route-wide', formatCount(figures.payments)),
    buildElement('td', 'route-mean', percent(figures.mean)),
    renderPlot(figures, average),
    buildElement('td', 'route-wide', percent(average)),
  ])
}

function showMonths({ months, month }: Index): void {
  toggleElement('prices-months', months.length > 1)
  const list = byId('prices-month') as HTMLSelectElement
  list.replaceChildren(...months.map((name) => new Option(monthName(name), name, false, name === month)))
}

/** Number of payments, time of the count, and omitted routes. */
function describeSource({ all, counted_at: countedAt, corridors }: Index, month: string): string {
  const hiddenRoutes = corridors.filter(({ figures }) => figures === null).map(routeName)
  const countedTime = countedAt ?? ''
  const at =
    all && `${dateText(countedTime, { dateStyle: 'medium' })}, ${formatTime(countedTime, { timeZone: 'UTC' })} UTC`
  return [
    all && at ? texts.source(all.payments, formatCount(all.payments), month, at) : '',
    hiddenRoutes.length > 0 ? texts.tooFew(hiddenRoutes.join(', ')) : '',
  ].join(' ')
}

function describeStatus({ month, next_count_on: next }: Index, hasRows: boolean): string {
  if (month === null) return texts.empty(dateText(next, { month: 'long', day: 'numeric' }))
  return hasRows ? '' : texts.allTooFew
}

function showIndex(index: Index): void {
  const { month, corridors } = index
  const rows = corridors.flatMap((corridor) => (corridor.figures ? [renderRow(corridor, corridor.figures)] : []))
  const name = month === null ? '' : monthName(month)
  toggleElement('prices-sandbox', index.is_sandbox && month !== null)
  showMonths(index)
  toggleElement('prices-file', month !== null)
  toggleElement('prices-table', rows.length > 0)
  setText('prices-status', describeStatus(index, rows.length > 0))
  setText('prices-caption', texts.caption(name))
  byId('prices-rows').replaceChildren(...rows)
  setText('prices-source', describeSource(index, name))
}

async function load(month?: string): Promise<void> {
  const query = month === undefined ? '' : `?month=${month}`
  const file = byId('prices-file') as HTMLAnchorElement
  file.href = `/api/prices/index.csv${query}`
  try {
    const response = await fetch(`/api/prices/index${query}`, { headers: { accept: 'application/json' } })
    if (!response.ok) throw new Error(`status ${response.status}`)
    showIndex((await response.json()) as Index)
  } catch {
    setText('prices-status', texts.failed)
  }
}

controlPriceCheck()
setText('prices-status', byId('prices-status').dataset.loading ?? '')
byId('prices-month').addEventListener('change', ({ target }) => void load((target as HTMLSelectElement).value))
void load()
