import '../css/table.css'
import type { ReactNode } from 'react'
import { table } from '#messages/table.ts'
import { IconButton } from './Button.tsx'
import { Icon } from './Icon.tsx'

export interface Sorting<Column extends string> {
  readonly column: Column
  readonly direction: 'ascending' | 'descending'
}

interface SortHeadProps<Column extends string> {
  column: Column
  sorting: Sorting<Column>
  onSort: (sorting: Sorting<Column>) => void
  /** Numbers stand at the end of their column. */
  end?: boolean | undefined
  children: ReactNode
}

/** The head of a column that sorts the table; pressing it again turns the order round. Use inside `<table className="table">`. */
export function SortHead<Column extends string>({ column, sorting, onSort, end, children }: SortHeadProps<Column>) {
  const isSorted = sorting.column === column
  const turned = isSorted && sorting.direction === 'descending' ? 'ascending' : 'descending'
  return (
    <th scope="col" className={end ? 'table-end' : undefined} aria-sort={isSorted ? sorting.direction : undefined}>
      <button type="button" onClick={() => onSort({ column, direction: turned })}>
        {children}
        {isSorted && <Icon name="down" />}
      </button>
    </th>
  )
}

interface PaginationProps {
  /** Counts from 0. */
  page: number
  pageSize: number
  total: number
  pageSizes: readonly number[]
  onPage: (page: number) => void
  onPageSize: (size: number) => void
}

/** Which rows are shown, how many at a time, and the way to the next. */
export function Pagination({ page, pageSize, total, pageSizes, onPage, onPageSize }: PaginationProps) {
  const first = page * pageSize + 1
  const last = Math.min(total, first + pageSize - 1)
  return (
    <div className="pagination" role="group" aria-label={table.pages}>
      <span aria-live="polite">{table.range(first, last, total)}</span>
      <label className="row row-end">
        <span className="wide-only">{table.rowsPerPage}</span>
        <span className="input-unit border-0">
          <select
            aria-label={table.rowsPerPage}
            value={pageSize}
            onChange={(event) => onPageSize(Number(event.target.value))}
          >
            {pageSizes.map((size) => (
              <option key={size}>{size}</option>
            ))}
          </select>
          <Icon name="down" small />
        </span>
      </label>
      <IconButton icon="previous" label={table.previousPage} disabled={page === 0} onClick={() => onPage(page - 1)} />
      <IconButton icon="next" label={table.nextPage} disabled={last >= total} onClick={() => onPage(page + 1)} />
    </div>
  )
}
