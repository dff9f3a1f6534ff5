import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import type { BookLine } from './books.ts'
import { computeBalances, type OwnLine } from './own-money.ts'
import { throwFieldError } from '../server/api.ts'
import { readFields } from '../server/fields.ts'
import type { Store } from '../server/store.ts'

const pageSize = 200

interface Span {
  from: string
  until: string
  /** Id of the last line of the previous page; empty for the first page. */
  after: string
}

function readSpan(query: unknown): Span {
  const fields = readFields(query)
  const readTime = (name: 'from' | 'until'): string => {
    const text = fields.text(name, { max: 40 })
    const date = new Date(text)
    if (text && Number.isNaN(date.getTime())) fields.addProblem(name, 'Must be a time such as 2026-03-01T09:00:00Z.')
    return text && !Number.isNaN(date.getTime()) ? date.toISOString() : ''
  }
  const span = {
    from: readTime('from'),
    until: readTime('until'),
    after: fields.text('after', { max: 100, optional: true }),
  }
  fields.check()
  return span
}

const columns = {
  book_line: 'id, kind, amount_minor, currency, reference, occurred_at, undoes',
  own_line: 'id, kind, balance, amount_minor, currency, occurred_at',
} as const

/**
 * Returns one page of the movements with `from <= occurred_at < until`, oldest first. Throws ApiError 422 for an
 * unknown `after`.
 */
function loadPage<Line extends BookLine | OwnLine>(
  store: Store,
  table: keyof typeof columns,
  { from, until, after }: Span,
): { lines: Line[]; next: string | null } {
  const last = store.get<{ number: number; occurred_at: string }>(
    `select number, occurred_at from ${table} where id = ?`,
    after,
  )
  if (after && !last) throwFieldError('after', 'Is no line of the books.')
  const found = store.all<Line>(
    `select ${columns[table]} from ${table}
     where occurred_at >= ? and occurred_at < ? and (occurred_at, number) > (?, ?)
     order by occurred_at, number limit ?`,
    from,
    until,
    last?.occurred_at ?? '',
    last?.number ?? 0,
    pageSize + 1,
  )
  const lines = found.slice(0, pageSize)
  for (const line of lines) if ('undoes' in line && line.undoes === null) delete line.undoes
  return { lines, next: found.length > pageSize ? (lines.at(-1)?.id ?? null) : null }
}

/** Registers the report of the sandbox's books, which the product uses for reconciliation. */
export function reportRoutes(app: FastifyInstance, store: Store, requireProduct: onRequestHookHandler): void {
  const guard = { onRequest: requireProduct }
  app.get('/api/report/lines', guard, (request) => loadPage<BookLine>(store, 'book_line', readSpan(request.query)))
  app.get('/api/report/own', guard, (request) => loadPage<OwnLine>(store, 'own_line', readSpan(request.query)))
  app.get('/api/report/balances', guard, () => ({ balances: computeBalances(store) }))
}
