import type { ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test, vi } from 'vitest'
import { DataShell, type LoadState } from './DataShell.tsx'
import { ErrorState } from './ErrorState.tsx'
import { combineQueries } from './combine-queries.ts'

const offline = new Error('offline')
const loading = { data: undefined, error: null, refetch: () => undefined }

const render = (query: LoadState<readonly string[]>) =>
  DataShell({
    query,
    skeleton: 'skeleton',
    failed: 'It did not load.',
    empty: ({ length }) => length === 0 && 'nothing yet',
    children: (names) => names.join(', '),
  })

describe('a part of a page', () => {
  test('shows its skeleton while loading, then its data', () => {
    expect([render(loading), render({ ...loading, data: ['Ines', 'Bo'] })]).toEqual(['skeleton', 'Ines, Bo'])
  })

  test('shows its empty state for empty data', () => {
    expect(render({ ...loading, data: [] })).toBe('nothing yet')
  })

  test('shows an error whose button loads again', () => {
    const refetch = vi.fn()
    const rendered = render({ ...loading, error: offline, refetch }) as ReactElement<Parameters<typeof ErrorState>[0]>
    expect(renderToStaticMarkup(rendered)).toContain('It did not load.')
    expect(rendered.type).toBe(ErrorState)
    rendered.props.onRetry?.()
    expect(refetch).toHaveBeenCalledOnce()
  })

  test('keeps its data when a later request fails', () => {
    expect(render({ ...loading, data: ['Ines'], error: offline })).toBe('Ines')
    expect(render({ ...loading, data: [], error: offline })).toBe('nothing yet')
  })

  test('shows nothing of its own for data that its caller shows', () => {
    expect(DataShell({ query: { ...loading, data: 1 }, skeleton: 'skeleton', failed: '' })).toBeUndefined()
  })
})

describe('queries shown as one', () => {
  const names = { ...loading, data: ['Ines'] }

  test('have data once all have, false and null included', () => {
    expect(combineQueries({ names, other: loading }).data).toBeUndefined()
    expect(combineQueries({ names, other: { ...loading, data: null } }).data).toEqual({ names: ['Ines'], other: null })
    expect(combineQueries({ names, other: { ...loading, data: false } }).data).toEqual({
      names: ['Ines'],
      other: false,
    })
  })

  test('fail as soon as one does, and keep their data when one fails later', () => {
    expect(combineQueries({ names, other: { ...loading, error: offline }, last: loading }).error).toBe(offline)
    const laterResult = combineQueries({ names: { ...names, error: offline }, other: names })
    expect(render({ ...laterResult, data: laterResult.data?.names })).toBe('Ines')
  })

  test('repeat only those that failed', () => {
    const [keptRefetch, repeatedRefetch] = [vi.fn(), vi.fn()]
    const query = combineQueries({
      names: { ...names, refetch: keptRefetch },
      other: { ...loading, error: offline, refetch: repeatedRefetch },
    })
    query.refetch()
    expect([keptRefetch.mock.calls.length, repeatedRefetch.mock.calls.length]).toEqual([0, 1])
  })
})
