import type { ReactNode } from 'react'
import { ErrorState } from './ErrorState.tsx'

/** Fields of a query that `DataShell` uses. */
export interface LoadState<Data> {
  readonly data: Data | undefined
  readonly error: Error | null
  readonly refetch: () => unknown
}

interface ShellProps<Data> {
  query: LoadState<Data>
  skeleton: ReactNode
  /** Title of the error. */
  failed: string
  /** Content that replaces empty data; returns nothing for other data. */
  empty?: (data: Data) => ReactNode
  /** Omitted if the caller shows the data itself. */
  children?: (data: Data) => ReactNode
}

/**
 * Part of a page that shows the data of a query: a skeleton, the error with a retry button, an empty state, or the
 * data. Loaded data is kept if a later request fails.
 */
export function DataShell<Data>({ query, skeleton, failed, empty, children }: ShellProps<Data>) {
  const { data, error, refetch } = query
  if (data !== undefined) return empty?.(data) || children?.(data)
  return error ? <ErrorState title={failed} onRetry={() => void refetch()} /> : skeleton
}
