import type { ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test, vi } from 'vitest'
import { DataShell, type Load } from './DataShell.tsx'
import { ErrorState } from './ErrorState.tsx'
import { together } from './together.ts'

const offline = new Error('offline')
const loading = { data: undefined, error: null, refetch: () => undefined }

const show = (query: Load<readonly string[]>) =>
  DataShell({
    query,
    skeleton: 'skeleton',
    failed: 'It did not load.',
    empty: ({ length }) => length === 0 && 'nothing yet',
    children: (names) => names.join(', '),
  })

describe('a part of a page', () => {
  test('shows its skeleton while loading, then its data', () => {
    expect([show(loading), show({ ...loading, data: ['Ines', 'Bo'] })]).toEqual(['skeleton', 'Ines, Bo'])
  })

  test('shows its empty state for empty data', () => {
    expect(show({ ...loading, data: [] })).toBe('nothing yet')
  })

  test('shows an error whose button loads again', () => {
    const refetch = vi.fn()
    const shown = show({ ...loading, error: offline, refetch }) as ReactElement<Parameters<typeof ErrorState>[0]>
    expect(renderToStaticMarkup(shown)).toContain('It did not load.')
    expect(shown.type).toBe(ErrorState)
    shown.props.onRetry?.()
    expect(refetch).toHaveBeenCalledOnce()
  })

  test('keeps its data when a later request fails', () => {
    expect(show({ ...loading, data: ['Ines'], error: offline })).toBe('Ines')
    expect(show({ ...loading, data: [], error: offline })).toBe('nothing yet')
  })

  test('shows nothing of its own for data that its caller shows', () => {
    expect(DataShell({ query: { ...loading, data: 1 }, skeleton: 'skeleton', failed: '' })).toBeUndefined()
  })
})

describe('queries shown as one', () => {
  const names = { ...loading, data: ['Ines'] }

  test('have data once all have, false and null included', () => {
    expect(together({ names, other: loading }).data).toBeUndefined()
    expect(together({ names, other: { ...loading, data: null } }).data).toEqual({ names: ['Ines'], other: null })
    expect(together({ names, other: { ...loading, data: false } }).data).toEqual({ names: ['Ines'], other: false })
  })

  test('fail as soon as one does, and keep their data when one fails later', () => {
    expect(together({ names, other: { ...loading, error: offline }, last: loading }).error).toBe(offline)
    const later = together({ names: { ...names, error: offline }, other: names })
    expect(show({ ...later, data: later.data?.names })).toBe('Ines')
  })

  test('repeat only those that failed', () => {
    const [kept, repeated] = [vi.fn(), vi.fn()]
    const query = together({
      names: { ...names, refetch: kept },
      other: { ...loading, error: offline, refetch: repeated },
    })
    query.refetch()
    expect([kept.mock.calls.length, repeated.mock.calls.length]).toEqual([0, 1])
  })
})
