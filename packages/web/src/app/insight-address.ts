import { type Category, categories, type FlowKind, flowKinds } from '@tern/contract/insight'
import { type CurrencyCode, isCurrencyCode } from '@tern/money/currency'
import { paths } from './paths.ts'

/** Figure of /insights whose transactions are shown: a kind of money, all of it or of one category or person. */
export interface FigureChoice {
  readonly flow: FlowKind
  readonly category?: Category
  /** Id of a person, or payers without an account. */
  readonly person?: number | 'guests'
}

/** State of /insights named in an address; what is missing is chosen by the page. */
export interface InsightAddress {
  readonly currency: CurrencyCode | undefined
  readonly period: string | undefined
  readonly figure: FigureChoice | undefined
}

const findIn = <Value extends string>(values: readonly Value[], text: string | null): Value | undefined =>
  values.find((value) => value === text)

function readFigure(address: URLSearchParams): FigureChoice | undefined {
  const flow = findIn(flowKinds, address.get('flow'))
  const category = findIn(categories, address.get('category'))
  const person = address.get('person') ?? ''
  if (flow === undefined) return undefined
  return {
    flow,
    ...(category && { category }),
    ...(person === 'guests' ? { person } : /^\d{1,15}$/.test(person) && { person: Number(person) }), // not money: an id
  }
}

/** Parses an address; ignores unknown values. */
export function readInsightAddress(address: URLSearchParams): InsightAddress {
  const currency = address.get('currency') ?? ''
  const period = address.get('period') ?? ''
  return {
    currency: isCurrencyCode(currency) ? currency : undefined,
    period: /^20\d\d(-(0[1-9]|1[0-2]|Q[1-4]))?$/.test(period) ? period : undefined,
    figure: readFigure(address),
  }
}

/** Query of /insights for a balance and period, with the transactions of one figure opened. */
export const writeInsightQuery = (currency: string, period: string, figure?: FigureChoice): URLSearchParams =>
  new URLSearchParams({
    ...{ currency, period },
    ...(figure && {
      flow: figure.flow,
      ...(figure.category && { category: figure.category }),
      ...(figure.person !== undefined && { person: String(figure.person) }),
    }),
  })

export const writeInsightAddress = (currency: string, period: string, figure?: FigureChoice): string =>
  `${paths.insights}?${writeInsightQuery(currency, period, figure).toString()}`
