import '../../css/table.css'
import type { ReactNode } from 'react'
import { table } from '#messages/table.ts'
import { IconButton } from '../forms/Button.tsx'
import { Icon } from '../icon/Icon.tsx'
import { personLocale } from '../format/locale.ts'

export interface Sorting<Column extends string> {
  readonly column: Column
  readonly direction: 'ascending' | 'descending'
}

interface SortHeadProps<Column extends string> {
  column: Column
  sorting: Sorting<Column>
  onSort: (sorting: Sorting<Column>) => void
  /** Aligns numbers with the end of their column. */
  end?: boolean | undefined
  children: ReactNode
}

/** Head of a column that sorts the table; a second press reverses the order. Use inside `<table className="table">`. */
export function SortHead<Column extends string>({ column, sorting, onSort, end, children }: SortHeadProps<Column>) {
  const isSorted = sorting.column === column
  const nextDirection = isSorted && sorting.direction === 'descending' ? 'ascending' : 'descending'
  return (
    <th scope="col" className={end ? 'table-end' : undefined} aria-sort={isSorted ? sorting.direction : undefined}>
      <button type="button" onClick={() => onSort({ column, direction: nextDirection })}>
        {children}
        {isSorted && <Icon name="down" />}
      </button>
    </th>
  )
}

interface PaginationProps {
  /** Position of the first row shown in the list, from 1; undefined if the rows before it were not counted. */
  first: number | undefined
  shownCount: number
  total: number
  /** False if there are more rows than `total`. */
  isTotalExact: boolean
  pageSize: number
  pageSizes: readonly number[]
  /** Undefined where there is no such page. */
  onPrevious: (() => void) | undefined
  onNext: (() => void) | undefined
  onPageSize: (size: number) => void
}

/** Range of rows shown, page size, and buttons for other pages. */
export function Pagination(props: PaginationProps) {
  const { first, shownCount, total, isTotalExact, pageSize, pageSizes, onPrevious, onNext, onPageSize } = props
  const all = isTotalExact ? String(total) : table.moreThan(total.toLocaleString(personLocale()))
  return (
    <div className="row small muted tabular mt-4" role="group" aria-label={table.pages}>
      <span aria-live="polite">
        {first === undefined
          ? table.shown(shownCount, all)
          : table.range(first, shownCount === 0 ? 0 : first + shownCount - 1, all)}
      </span>
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
      <IconButton icon="previous" label={table.previousPage} disabled={!onPrevious} onClick={onPrevious} />
      <IconButton icon="next" label={table.nextPage} disabled={!onNext} onClick={onNext} />
    </div>
  )
}
