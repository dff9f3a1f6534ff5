/** Leafing through a table. */
export const table = {
  range: (first: number, last: number, total: number) => (total === 0 ? '0 of 0' : `${first}–${last} of ${total}`),
  pages: 'Pages',
  rowsPerPage: 'Rows per page',
  previousPage: 'Previous page',
  nextPage: 'Next page',
}
